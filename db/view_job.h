/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the pages of a job, a box, a commit and a regression show. Read-only. */
#ifndef DB_VIEW_JOB_H
#define DB_VIEW_JOB_H

#include "db/view.h"

/* Each job: "id", "stamp" (as view_comparison_list). */
json_t *view_job_list(struct db *db, struct err *err);

/*
 * One job with "comparisons", "artifacts" (kernels it used), "attempts" (the
 * last 500), "events" (the last 500, in order), "nr_events", "mails".
 * ERR_NOTFOUND.
 */
json_t *view_job(struct db *db, long long id, struct err *err);

/* One box by name with "calibrations" (newest first), "queue" (boots that wait
 * for it, 200 at most) and "boots" (its last 100). ERR_NOTFOUND. */
json_t *view_box(struct db *db, const char *name, struct err *err);

/* Commits that have a page: ends of comparisons, culprits, what was booted:
 * "id", "sha". */
json_t *view_commit_list(struct db *db, struct err *err);

/* One commit with "comparisons", "regressions" (it is the culprit) and
 * "artifacts". ERR_NOTFOUND. */
json_t *view_commit(struct db *db, long long id, struct err *err);

/* Each regression: "id", "comparison", "stamp". */
json_t *view_regression_list(struct db *db, struct err *err);

/* One regression with "changes" of its state and "mails". ERR_NOTFOUND. */
json_t *view_regression(struct db *db, long long id, struct err *err);

#endif
