// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Settings from their sources, the last one winning: files, environment,
 * flags; then the paths that follow from others, and the checks that span more
 * than one option. Each value remembers where it came from.
 */
#include "configs/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "configs/options_table.h"

#define CONFIG_SYSTEM_FILE "/etc/drover/drover.yaml"
#define CONFIG_MAX_REPOS   200

/* Row behind the table's own: the list of repositories. */
#define ROW_REPOS (options_table.nr)

void options_set_origin(struct config *cfg, size_t row, const char *origin)
{
	free(cfg->origins[row]);
	cfg->origins[row] = xstrdup(origin);
}

void config_init(struct config *cfg)
{
	memset(cfg, 0, sizeof(*cfg));
	fields_init(&options_table, cfg);
	cfg->origins = xcalloc(ROW_REPOS + 1, sizeof(char *));
	for (size_t i = 0; i <= ROW_REPOS; i++)
		options_set_origin(cfg, i, "default");
}

static void drop_repos(struct config *cfg)
{
	for (size_t i = 0; i < cfg->nr_repos; i++)
		fields_release(&options_repo_table, &cfg->repos[i]);
	free(cfg->repos);
	cfg->repos = NULL;
	cfg->nr_repos = 0;
}

void config_release(struct config *cfg)
{
	if (!cfg->origins)
		return;
	drop_repos(cfg);
	fields_release(&options_table, cfg);
	for (size_t i = 0; i <= ROW_REPOS; i++)
		free(cfg->origins[i]);
	free(cfg->origins);
	memset(cfg, 0, sizeof(*cfg));
}

static bool name_ok(const char *s)
{
	static const char all[] = "abcdefghijklmnopqrstuvwxyz0123456789._-";
	size_t len = strlen(s);

	return len && len <= 64 && strspn(s, all) == len && *s != '.' &&
	       *s != '-' && *s != '_';
}

/* What a reader callback knows: whose values, and what they are called. */
struct source {
	struct config *cfg;
	const char *name;
};

static void note_origin(void *arg, size_t row)
{
	const struct source *s = arg;

	options_set_origin(s->cfg, row, s->name);
}

static int read_repo(struct config *cfg, const struct yaml_node *node,
		     const char *file, struct err *err)
{
	struct config_repo *repo = &cfg->repos[cfg->nr_repos++];
	struct fields_reader r = { .table = &options_repo_table,
				   .base = repo,
				   .file = file };
	int rc;

	fields_init(&options_repo_table, repo);
	rc = fields_read(&r, node, err);
	if (rc)
		return rc;
	if (!name_ok(repo->name))
		return err_set(err, ERR_CONFIG,
			       "%s:%d:%d: a repository needs a name of "
			       "a-z, 0-9, '.', '_', '-'",
			       file, node->line, node->col);
	if (config_repo_find(cfg, repo->name) != repo)
		return err_set(err, ERR_CONFIG,
			       "%s:%d:%d: there is a repository \"%s\" "
			       "already",
			       file, node->line, node->col, repo->name);
	return 0;
}

/* The one key that isn't a row: the list of repositories, replaced whole. */
static int read_other(void *arg, const char *key, const struct yaml_node *node,
		      struct err *err)
{
	struct source *s = arg;

	if (strcmp(key, "repos") != 0)
		return 0;
	if (node->kind != YAML_SEQ && !yaml_is_null(node))
		return err_set(err, ERR_CONFIG,
			       "%s:%d:%d: repos: expected a list", s->name,
			       node->line, node->col);
	if (node->nr > CONFIG_MAX_REPOS)
		return err_set(err, ERR_LIMIT,
			       "%s:%d:%d: more than %d repositories", s->name,
			       node->line, node->col, CONFIG_MAX_REPOS);
	drop_repos(s->cfg);
	s->cfg->repos = xcalloc(node->nr + 1, sizeof(struct config_repo));
	for (size_t i = 0; i < node->nr; i++) {
		int rc = read_repo(s->cfg, node->items[i], s->name, err);

		if (rc)
			return rc;
	}
	options_set_origin(s->cfg, ROW_REPOS, s->name);
	return 1;
}

static int apply_yaml(struct config *cfg, const struct yaml_file *file,
		      struct err *err)
{
	struct source s = { cfg, file->name };
	struct fields_reader r = { .table = &options_table,
				   .base = cfg,
				   .file = file->name,
				   .seen = note_origin,
				   .other = read_other,
				   .arg = &s };

	if (file->nr > 1)
		return err_set(err, ERR_CONFIG,
			       "%s:%d:1: settings are one document, without "
			       "---",
			       file->name, file->docs[1]->line);
	return file->nr ? fields_read(&r, file->docs[0], err) : 0;
}

int config_apply_text(struct config *cfg, const char *text, size_t len,
		      const char *name, struct err *err)
{
	struct yaml_file file;
	int rc = yaml_parse(text, len, name, &file, err);

	if (!rc)
		rc = apply_yaml(cfg, &file, err);
	yaml_file_release(&file);
	return rc;
}

static int apply_file(struct config *cfg, const char *path, bool needed,
		      struct err *err)
{
	struct yaml_file file;
	int rc = yaml_read(path, &file, err);

	if (rc == ERR_NOTFOUND && !needed)
		rc = 0;
	else if (!rc)
		rc = apply_yaml(cfg, &file, err);
	yaml_file_release(&file);
	return rc;
}

static int apply_files(struct config *cfg, struct err *err)
{
	const char *only = getenv("DROVER_CONFIG");
	const char *xdg = getenv("XDG_CONFIG_HOME");
	const char *home = getenv("HOME");
	char *path = NULL;
	int rc;

	if (only && *only)
		return apply_file(cfg, only, true, err);
	rc = apply_file(cfg, CONFIG_SYSTEM_FILE, false, err);
	if (rc)
		return rc;
	if (xdg && *xdg)
		path = xasprintf("%s/drover/drover.yaml", xdg);
	else if (home && *home)
		path = xasprintf("%s/.config/drover/drover.yaml", home);
	if (path)
		rc = apply_file(cfg, path, false, err);
	free(path);
	return rc;
}

int config_set(struct config *cfg, const char *key, const char *value,
	       const char *origin, struct err *err)
{
	long row = fields_find(&options_table, key);
	char hint[128];
	int rc;

	if (row < 0 && !strcmp(key, "repos"))
		return err_set(err, ERR_CONFIG,
			       "%s: repositories can be given in a file only",
			       origin);
	if (row < 0) {
		fields_hint(&options_table, key, hint);
		return err_set(err, ERR_CONFIG,
			       "%s: there is no option \"%.80s\"%s", origin,
			       key, hint);
	}
	rc = field_set(&options_table.v[row], cfg, value, origin, err);
	if (!rc)
		options_set_origin(cfg, (size_t)row, origin);
	return rc;
}

static int apply_env(struct config *cfg, struct err *err)
{
	for (size_t i = 0; i < options_table.nr; i++) {
		char name[64], origin[96];
		const char *value;
		struct str s = STR_INIT;
		int rc;

		options_env_name(options_table.v[i].key, name);
		value = getenv(name);
		if (!value)
			continue;
		s.max_bytes = sizeof(origin) - 1;
		str_addf(&s, "environment %s", name);
		memcpy(origin, s.p, s.len + 1);
		str_release(&s);
		rc = config_set(cfg, options_table.v[i].key, value, origin,
				err);
		if (rc)
			return rc;
	}
	return 0;
}

static int apply_sets(struct config *cfg, const char *const *sets, size_t nr,
		      struct err *err)
{
	for (size_t i = 0; i < nr; i++) {
		const char *eq = strchr(sets[i], '=');
		char *key;
		int rc;

		if (!eq)
			return err_set(err, ERR_CONFIG,
				       "--set %.80s: expected key=value",
				       sets[i]);
		key = xstrndup(sets[i], (size_t)(eq - sets[i]));
		rc = config_set(cfg, key, eq + 1, "flag --set", err);
		free(key);
		if (rc)
			return rc;
	}
	return 0;
}

static int check_addresses(const char *key, const struct config_list *list,
			   struct err *err)
{
	for (size_t i = 0; i < list->nr; i++)
		if (!strchr(list->v[i], '@'))
			return err_set(err, ERR_CONFIG,
				       "%s: \"%s\" is no mail address", key,
				       list->v[i]);
	return 0;
}

/* A password that others can read is not a secret: refuse to start. */
static int check_secret(const char *path, struct err *err)
{
	struct stat st;

	if (!*path)
		return 0;
	if (stat(path, &st))
		return err_errno(err, ERR_CONFIG, "mail.password_file %s",
				 path);
	if (st.st_mode & 077)
		return err_set(err, ERR_DENIED,
			       "mail.password_file %s can be read by others "
			       "(mode %04o): chmod 600 it",
			       path, (unsigned)(st.st_mode & 07777));
	return 0;
}

static int check_all(const struct config *cfg, struct err *err)
{
	const struct config_mail *m = &cfg->mail;
	int rc = check_addresses("mail.to", &m->to, err);

	if (!rc)
		rc = check_addresses("mail.cc", &m->cc, err);
	if (rc)
		return rc;
	if (*m->from && !strchr(m->from, '@'))
		return err_set(err, ERR_CONFIG,
			       "mail.from: \"%s\" is no mail address", m->from);
	if (m->enabled && !*m->from)
		return err_set(err, ERR_CONFIG,
			       "mail.enabled needs a sender: set mail.from");
	if (m->backoff_first_s > m->backoff_max_s)
		return err_set(err, ERR_CONFIG,
			       "mail.backoff_first is longer than "
			       "mail.backoff_max");
	return check_secret(m->password_file, err);
}

int config_load(struct config *cfg, const char *const *sets, size_t nr_sets,
		struct err *err)
{
	int rc;

	config_init(cfg);
	rc = apply_files(cfg, err);
	if (!rc)
		rc = apply_env(cfg, err);
	if (!rc)
		rc = apply_sets(cfg, sets, nr_sets, err);
	if (!rc) {
		rc = options_derive_paths(cfg, err);
	}
	if (!rc)
		rc = check_all(cfg, err);
	if (rc)
		config_release(cfg);
	return rc;
}

const struct config_repo *config_repo_find(const struct config *cfg,
					   const char *name)
{
	for (size_t i = 0; i < cfg->nr_repos; i++)
		if (!strcmp(cfg->repos[i].name, name))
			return &cfg->repos[i];
	return NULL;
}
