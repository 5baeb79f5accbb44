/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the front page and the feed show, as JSON. Read-only. */
#ifndef DB_VIEW_INDEX_H
#define DB_VIEW_INDEX_H

#include "db/view.h"

/*
 * Newest time the database knows of: events, jobs, comparisons, runs, mails.
 * 0 in an empty database. It stands for "now" on pages, so that the same
 * database always makes the same pages.
 */
int view_newest_s(struct db *db, long long *out, struct err *err);

/* {"id", "state", "created_s", "comparison", "culprit_sha", "subject", …} of
 * each regression, newest first. New reference or NULL. */
json_t *view_regressions(struct db *db, struct err *err);

/* Jobs that are queued or running, the running ones first, with their boots
 * counted: "done", "total", and "eta_s" (seconds from now on, null unknown). */
json_t *view_queue(struct db *db, struct err *err);

/* Each box with its state, the boots that wait for it and that it did. */
json_t *view_boxes(struct db *db, struct err *err);

/* The @nr comparisons that ended last, newest first; only with a verdict. */
json_t *view_reports(struct db *db, int nr, struct err *err);

#endif
