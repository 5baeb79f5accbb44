/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a comparison's pages show. Read-only. */
#ifndef DB_VIEW_COMPARISON_H
#define DB_VIEW_COMPARISON_H

#include "db/view.h"

/*
 * Each comparison's identity, by id: "id", "base_sha", "head_sha", "path",
 * "tbox_group", and "stamp": a text that differs whenever something differs
 * that its pages show.
 */
json_t *view_comparison_list(struct db *db, struct err *err);

/*
 * One comparison with its commits ("base", "head": {sha, subject, author}),
 * series, repository, job and ids of what hangs on it ("bisect", "regression"
 * or null). ERR_NOTFOUND.
 */
json_t *view_comparison(struct db *db, long long id, struct err *err);

/*
 * Its runs in the order they were made, the bisection's left out: "id", "side"
 * (0 base, 1 head), "boot" (row id), "box", "boot_id", "build_id", "booted_s",
 * "boot_seconds", "invariants", "layout", "seq", "started_s", "seconds",
 * "state", "why".
 */
json_t *view_comparison_runs(struct db *db, long long id, struct err *err);

/* Failure rows of those runs: "run", "name". */
json_t *view_comparison_failures(struct db *db, long long id, struct err *err);

/*
 * Call @fn for each sample of those runs, grouped by run. @run and @metric are
 * row ids. Stops with the first negative result and returns it.
 */
int view_comparison_samples(struct db *db, long long id,
			    int (*fn)(void *arg, long long run,
				      long long metric, double value,
				      struct err *err),
			    void *arg, struct err *err);

/*
 * Names of all metrics, indexed by row id (@out_nr entries, NULL where there is
 * none); the array and its strings are owned by the caller. ERR_LIMIT.
 */
int view_metric_names(struct db *db, char ***out, size_t *out_nr,
		      struct err *err);

#endif
