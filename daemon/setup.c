// SPDX-License-Identifier: GPL-3.0-or-later
// Boxes and repositories from the settings into the database.
#include "daemon/setup.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "base/spawn.h"
#include "configs/lab.h"

#define FRAGMENT_MAX_BYTES ((size_t)1 << 20)
#define CC_TIMEOUT_MS	   10000
#define FINGERPRINT_DIGITS 16
#define COMPILER_AGE_NS	   60000000000LL

static int put_box(struct daemon *d, const struct lab_box *box,
		   long long *out_id, struct err *err)
{
	struct str tags = STR_INIT;
	struct db_box row = { .name = box->name,
			      .tbox_group = box->tbox_group };
	size_t i;
	int rc;

	for (i = 0; i < box->tags.nr; i++)
		str_addf(&tags, "%s%s", i ? " " : "", box->tags.v[i]);
	row.tags = tags.p;
	row.spec = lab_box_to_json(box);
	rc = db_box_put(d->db, &row, out_id, err);
	json_decref(row.spec);
	str_release(&tags);
	return rc;
}

int setup_box(struct daemon *d, const json_t *spec, long long *out_id,
	      struct err *err)
{
	struct lab_box box;
	int rc = lab_box_from_json(spec, &box, err);

	if (!rc)
		rc = put_box(d, &box, out_id, err);
	lab_box_release(&box);
	return rc;
}

static int put_lab(struct daemon *d, struct err *err)
{
	struct lab lab = { 0 };
	long long id;
	size_t i;
	int rc;

	if (!*d->cfg.lab_file)
		return 0;
	if (!file_exists(d->cfg.lab_file)) {
		daemon_log("lab file %s is not there: no boxes come from it "
			   "(lab_file names another, drover box add FILE adds "
			   "some)",
			   d->cfg.lab_file);
		return 0;
	}
	rc = lab_read(d->cfg.lab_file, &lab, err);
	for (i = 0; !rc && i < lab.nr; i++)
		rc = put_box(d, &lab.boxes[i], &id, err);
	lab_release(&lab);
	return rc;
}

/* The compiler's own words about itself, asked once a minute; empty when it
 * isn't there, since not every lab builds kernels. */
static void add_compiler(struct daemon *d, struct str *out)
{
	const char *argv[] = { d->cfg.build.cc, "--version", NULL };
	long long now_ns = clock_mono_ns();
	struct str said = STR_INIT;

	if (!d->compiler || now_ns - d->compiler_ns > COMPILER_AGE_NS) {
		spawn_output(argv, NULL, CC_TIMEOUT_MS, &said, NULL);
		free(d->compiler);
		d->compiler = str_detach(&said);
		d->compiler_ns = now_ns;
	}
	str_add(out, d->compiler);
	str_release(&said);
}

/* "12" out of "gcc (Debian 12.2.0-14) 12.2.0": the last word that is a version,
 * up to its first dot. */
static size_t major_version(const char *said, const char **out)
{
	size_t line = strcspn(said, "\n");
	size_t at = line;
	size_t len;

	while (at > 0 && said[at - 1] != ' ')
		at--;
	*out = said + at;
	len = strspn(said + at, "0123456789");
	return at > 0 && said[at + len] == '.' ? len : 0;
}

char *setup_compiler_label(const char *cc, const char *said)
{
	const char *slash = strrchr(cc, '/');
	const char *name = slash ? slash + 1 : cc;
	size_t digits = strlen(name);
	const char *major;
	size_t len = major_version(said, &major);

	while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
		digits--;
	if (!len || (digits > 0 && name[digits] && name[digits - 1] == '-'))
		return xstrdup(name);
	return xasprintf("%s-%.*s", name, (int)len, major);
}

char *setup_compiler_name(struct daemon *d)
{
	struct str said = STR_INIT;
	char *name;

	add_compiler(d, &said);
	name = setup_compiler_label(d->cfg.build.cc, said.p);
	str_release(&said);
	return name;
}

static int add_fragment(const char *name, struct str *paths,
			struct str *content, struct err *err)
{
	int rc = file_read(name, FRAGMENT_MAX_BYTES, content, err);

	str_addf(paths, "%s\n", name);
	str_addch(content, '\n');
	return rc ? err_wrap(err, "kconfig fragment") : 0;
}

static int add_fragments(const char *kconfig, struct str *paths,
			 struct str *content, struct err *err)
{
	int rc = 0;

	while (!rc && *kconfig) {
		size_t len = strcspn(kconfig, "\n");
		char *name = xstrndup(kconfig, len);

		if (len && *name != '#')
			rc = add_fragment(name, paths, content, err);
		free(name);
		kconfig += len + (kconfig[len] == '\n');
	}
	return rc;
}

int setup_refresh_repo(struct daemon *d, struct db_repo *repo, struct err *err)
{
	char hex[SHA256_HEX_BYTES];
	struct str paths = STR_INIT;
	struct str content = STR_INIT;
	long long id;
	int rc;

	rc = add_fragments(repo->kconfig, &paths, &content, err);
	if (!rc) {
		add_compiler(d, &content);
		sha256_hex(content.p, content.len, hex);
		str_addf(&paths, "#%.*s", FINGERPRINT_DIGITS, hex);
		free(repo->kconfig);
		repo->kconfig = xstrdup(paths.p);
		rc = db_repo_put(d->db, repo, &id, err);
	}
	str_release(&paths);
	str_release(&content);
	return rc;
}

char *setup_kconfig_name(const char *kconfig)
{
	size_t len = strcspn(kconfig, "\n");
	char *name = xstrndup(kconfig, len);
	char *slash = strrchr(name, '/');
	char *base;

	if (*name == '#')
		*name = '\0';
	base = xstrdup(slash ? slash + 1 : name);
	free(name);
	if (str_ends(base, ".config"))
		base[strlen(base) - strlen(".config")] = '\0';
	return base;
}

static int put_repos(struct daemon *d, struct err *err)
{
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < d->cfg.nr_repos; i++) {
		const struct config_repo *r = &d->cfg.repos[i];
		struct db_repo row = { .name = xstrdup(r->name),
				       .path = xstrdup(r->path),
				       .url = xstrdup(r->url),
				       .branch = xstrdup(r->branch),
				       .kconfig = xstrdup(r->kconfig) };

		if (!file_is_dir(r->path))
			daemon_log("repository %s: no folder %s; submissions "
				   "to it fail until it is there",
				   r->name, r->path);
		rc = setup_refresh_repo(d, &row, err);
		if (rc)
			err_wrap(err, "repository %s", r->name);
		db_repo_release(&row);
	}
	return rc;
}

int setup_from_config(struct daemon *d, struct err *err)
{
	int rc = db_begin(d->db, err);

	if (!rc)
		rc = put_lab(d, err);
	if (!rc)
		rc = put_repos(d, err);
	if (rc)
		db_rollback(d->db);
	else
		rc = db_commit(d->db, err);
	return rc;
}
