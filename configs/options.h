/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All settings of Drover as one struct, filled from one table: each row gives
 * an option's key, type, default, range, description and example, and parsing,
 * checks, `drover config`, the example file and the reference page follow from
 * it. A new option is one field here and one row in options_table.c.
 */
#ifndef CONFIGS_OPTIONS_H
#define CONFIGS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/json.h"
#include "base/str.h"

/* Strings in the order given; owned. */
struct config_list {
	char **v;
	size_t nr;
	size_t alloc;
};

/* Append @item, which the list takes. Release frees items and list. */
void config_list_add(struct config_list *list, char *item);
void config_list_release(struct config_list *list);

/* One watched source tree. Empty strings mean "not given". */
struct config_repo {
	char *name;    /* [a-z0-9][a-z0-9._-]*, unique */
	char *path;    /* local clone */
	char *url;     /* where to fetch from, shown in reports */
	char *branch;  /* watched branch */
	char *kconfig; /* kconfig fragment: path, or lab-slim, lab-full */
	struct config_list targets; /* make targets, e.g. bzImage */
	struct config_list subdirs; /* only commits that touch these */
};

struct config_mail {
	bool enabled;
	char *from;
	char *host;
	long long port;
	char *tls; /* none, starttls, tls */
	char *user;
	char *password_file; /* 0600; its first line */
	struct config_list to;
	struct config_list cc;
	struct config_list admin; /* who runs the lab */
	bool ascii;		  /* +- for ± */
	char *public_url;	  /* artifacts as readers reach them */
	double backoff_first_s;
	double backoff_max_s;
};

struct config_build {
	long long slots;
	long long jobs; /* 0: one per CPU */
	bool ccache;
	long long ccache_max_bytes;
	double timeout_s;
	char *cc;
};

struct config_run {
	double timeout_s;
	double boot_timeout_s;
	double ssh_connect_timeout_s;
	double lease_s;
	long long retries;
};

struct config_bisect {
	bool auto_start;
	long long budget_runs;
	long long max_boots;
	bool speculate;
	bool revert;
};

struct config_compare {
	long long pairs; /* interleaved boots per side */
	long long runs_per_boot;
	double min_effect_pct;
};

struct config_calibrate {
	long long boots;
	double max_age_s;
	double every_s;
	long long hour; /* UTC; -1: never by itself */
};

/* 0: for ever. */
struct config_keep {
	double kernels_s;
	double logs_s;
};

struct config_limits {
	long long max_frame_bytes;
	long long max_jobs_per_user;
};

struct config {
	char *state_dir;
	char *cache_dir;
	char *socket;
	char *artifact_dir;
	char *pages_dir;
	char *libexec_dir;
	char *lab_file;
	struct config_mail mail;
	struct config_repo *repos;
	size_t nr_repos;
	struct config_build build;
	struct config_run run;
	struct config_bisect bisect;
	struct config_compare compare;
	struct config_calibrate calibrate;
	struct config_keep keep;
	char *web_base_url;
	struct config_limits limits;
	/* where each option's value came from, in table order; owned */
	char **origins;
};

/* Everything at its default; "origin" default. Owned: config_release. */
void config_init(struct config *cfg);
void config_release(struct config *cfg);

/*
 * Defaults, then the files, the environment and @sets, the last one winning:
 * /etc/drover/drover.yaml, $XDG_CONFIG_HOME/drover/drover.yaml (or ~/.config),
 * or instead of both $DROVER_CONFIG; DROVER_<KEY> with '.' as '_' (DROVER_
 * MAIL_HOST=…); then @nr_sets strings "key=value" from --set. Paths that were
 * left empty are derived: cache, artifacts, pages and socket below state_dir
 * when that isn't the default.
 * Kconfig fragments given by name or relative path become absolute paths.
 * @cfg is initialised here; on error it is released again.
 * ERR_CONFIG names file:line:col, variable or flag; ERR_NOTFOUND for a
 * $DROVER_CONFIG that isn't there; ERR_DENIED for a secret others can read.
 */
int config_load(struct config *cfg, const char *const *sets, size_t nr_sets,
		struct err *err);

/* Apply one YAML text over @cfg; @name stands in errors and as the origin. */
int config_apply_text(struct config *cfg, const char *text, size_t len,
		      const char *name, struct err *err);

/* Apply one "key=value" or key and value; lists are comma-separated. */
int config_set(struct config *cfg, const char *key, const char *value,
	       const char *origin, struct err *err);

/* The repository called @name, borrowed, or NULL. */
const struct config_repo *config_repo_find(const struct config *cfg,
					   const char *name);

/*
 * All options as YAML that config_apply_text reads back to the same values.
 * @origins puts each value's origin behind it as a comment.
 */
void config_dump(const struct config *cfg, bool origins, struct str *out);

/* {"key": {"value": …, "origin": "…"}} of all options; new reference. */
json_t *config_to_json(const struct config *cfg);

/* The commented example file and the reference page (markdown). */
void config_example(struct str *out);
void config_reference(struct str *out);

#endif
