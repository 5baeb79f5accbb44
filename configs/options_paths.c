// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Paths that follow from other settings or from where the program is: so that
 * one state_dir is enough, and a build folder works without installation.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "configs/options_table.h"

/* The folder of this program (that of droverd for its workers), or NULL. */
static char *program_dir(void)
{
	char exe[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	char *slash;

	if (n <= 0)
		return NULL;
	exe[n] = '\0';
	slash = strrchr(exe, '/');
	if (slash)
		*slash = '\0';
	if (str_ends(exe, "/libexec"))
		exe[strlen(exe) - strlen("/libexec")] = '\0';
	return xstrdup(exe);
}

/* libexec beside this program where it exists, else the installed one. */
static char *find_libexec(void)
{
	char *dir = program_dir();
	char *path = dir ? file_join(dir, "libexec") : NULL;

	free(dir);
	if (path && file_is_dir(path))
		return path;
	free(path);
	return xstrdup(DROVER_PREFIX "/libexec/drover");
}

/* A fragment that comes with Drover, from the source tree or installed. */
static char *find_kconfig(const char *name)
{
	char *dir = program_dir();
	char *path = xasprintf("%s/../configs/kconfig/%s.config",
			       dir ? dir : "", name);

	if (!dir || !file_exists(path)) {
		free(path);
		path = xasprintf(
			DROVER_PREFIX "/share/drover/kconfig/%s.config", name);
	}
	free(dir);
	if (file_exists(path))
		return path;
	free(path);
	return NULL;
}

/* Names of fragments become their paths: workers want them absolute. */
static int resolve_kconfigs(struct config *cfg, struct err *err)
{
	for (size_t i = 0; i < cfg->nr_repos; i++) {
		struct config_repo *r = &cfg->repos[i];
		char *path;

		if (!*r->kconfig || *r->kconfig == '/')
			continue;
		path = strchr(r->kconfig, '/') ? realpath(r->kconfig, NULL)
					       : find_kconfig(r->kconfig);
		if (!path)
			return err_set(err, ERR_CONFIG,
				       "repository %s: there is no kernel "
				       "configuration fragment \"%s\"",
				       r->name, r->kconfig);
		free(r->kconfig);
		r->kconfig = path;
	}
	return 0;
}

/* Paths left empty follow from state_dir, or are where the FHS has them. */
static void derive_dirs(struct config *cfg)
{
	bool own = strcmp(cfg->state_dir, "/var/lib/drover") != 0;
	const struct {
		const char *key;
		char **path;
		const char *below, *system;
	} rules[] = {
		{ "cache_dir", &cfg->cache_dir, "cache", "/var/cache/drover" },
		{ "socket", &cfg->socket, "drover.sock",
		  "/run/drover/drover.sock" },
		{ "artifact_dir", &cfg->artifact_dir, "artifacts", NULL },
		{ "pages_dir", &cfg->pages_dir, "pages", NULL },
		{ "lab_file", &cfg->lab_file, "lab.yaml",
		  "/etc/drover/lab.yaml" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
		long row = fields_find(&options_table, rules[i].key);

		if (**rules[i].path)
			continue;
		free(*rules[i].path);
		*rules[i].path =
			own || !rules[i].system
				? file_join(cfg->state_dir, rules[i].below)
				: xstrdup(rules[i].system);
		options_set_origin(cfg, (size_t)row, "derived from state_dir");
	}
	if (!*cfg->libexec_dir) {
		free(cfg->libexec_dir);
		cfg->libexec_dir = find_libexec();
		options_set_origin(
			cfg, (size_t)fields_find(&options_table, "libexec_dir"),
			"derived from the program's place");
	}
}

int options_derive_paths(struct config *cfg, struct err *err)
{
	derive_dirs(cfg);
	return resolve_kconfigs(cfg, err);
}
