/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a bisection's page shows. Read-only. */
#ifndef DB_VIEW_BISECT_H
#define DB_VIEW_BISECT_H

#include "db/view.h"

/* Each bisection: "id", "comparison", "stamp" (as view_comparison_list). */
json_t *view_bisect_list(struct db *db, struct err *err);

/*
 * One bisection as stored ("start", "engine", "evidence", "commits" are the
 * JSON that the flow wrote), with the comparison's headline and commits, and
 * "cost": {builds, boots, runs, boot_seconds, build_seconds, unused (kernels
 * built ahead and never asked for), unused_seconds}. ERR_NOTFOUND.
 */
json_t *view_bisect(struct db *db, long long id, struct err *err);

/*
 * Its steps: "seq", "ask", "result", "posterior", "note", and what was done for
 * each: "boots", "runs", "failed", "seconds", "why" (of a failed boot or
 * build).
 */
json_t *view_bisect_steps(struct db *db, long long id, struct err *err);

/*
 * The runs of its steps: "seq" (of the step), "sha", "box", "boot", "layout",
 * "headline" (the value of the comparison's headline metric, null without).
 */
json_t *view_bisect_runs(struct db *db, long long id, struct err *err);

/* Subjects of commits that Drover knows, as far as this bisection's comparison
 * touched them: {"sha": "subject"}. New reference. */
json_t *view_bisect_subjects(struct db *db, long long id, struct err *err);

#endif
