/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What stands above a comparison table: the axes that all its runs share, and
 * the commits that are compared.
 */
#ifndef REPORT_AXES_H
#define REPORT_AXES_H

#include <stddef.h>

#include "base/err.h"
#include "base/json.h"

#define AXES_MAX	 128
#define AXES_MAX_COMMITS 16

struct axis {
	char *key;
	char *value;
};

/* @runs: how many runs there were at least; 0 when unknown. */
struct axes_commit {
	char *id;      /* the sha as it heads the column, 27 digits or more */
	char *abbrev;  /* 10 digits */
	char *subject; /* "" when unknown */
	size_t runs;
};

/*
 * @axis is kept sorted by the string "key=value", so that "fs2=" stands before
 * "fs=". @commit: base first. All strings owned; axes_release frees.
 */
struct axes {
	struct axis *axis;
	size_t nr;
	struct axes_commit *commit;
	size_t nr_commits;
};

#define AXES_INIT                \
	{                        \
		NULL, 0, NULL, 0 \
	}

void axes_release(struct axes *a);

/* Add an axis in its place. ERR_EXISTS (the key is there), ERR_LIMIT. */
int axes_add(struct axes *a, const char *key, const char *value,
	     struct err *err);

/*
 * Add the next commit: @sha is cut for the column and abbreviated to 10 digits.
 * ERR_LIMIT past AXES_MAX_COMMITS.
 */
int axes_add_commit(struct axes *a, const char *sha, const char *subject,
		    size_t runs, struct err *err);

/* The value of @key, or @or. Borrowed. */
const char *axes_get(const struct axes *a, const char *key, const char * or);

/*
 * Fill the empty @a from axes.json:
 * {"axes": {key: string|number|bool}, "commits": [{"id", "abbrev", "subject"}],
 *  "runs": N | [N, …]}. @name stands in errors. ERR_DATA, ERR_LIMIT.
 */
int axes_from_json(struct axes *a, const json_t *obj, const char *name,
		   struct err *err);

#endif
