/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of bisect, bisect_step and regression as the flows write them. */
#ifndef DB_DB_FLOW_BISECT_H
#define DB_DB_FLOW_BISECT_H

#include "db/db.h"

/* Insert a running bisection. */
int db_bisect_add(struct db *db, long long comparison_id, const json_t *start,
		  const json_t *engine, long long now_s, struct err *err);

/*
 * The newest bisection of a comparison: {"id", "comparison_id", "state",
 * "start", "engine", "verdict", "commits", "posterior", "evidence", "why",
 * "created_s"}. NULL with ERR_NOTFOUND when there is none.
 */
json_t *db_bisect_of(struct db *db, long long comparison_id, struct err *err);

/*
 * Store the engine's state after a step, and, with @state other than
 * "running", the end. @posterior NaN is stored as NULL.
 */
struct db_bisect_end {
	const char *state;   /* running, done, stopped, failed */
	const char *verdict; /* "" while running */
	const json_t *engine, *commits, *evidence;
	double posterior;
	const char *why;
};
int db_bisect_set(struct db *db, long long id, const struct db_bisect_end *e,
		  long long now_s, struct err *err);

/* Insert the next step of a bisection; its number counts from 1. */
int db_step_add(struct db *db, long long bisect_id, const json_t *ask,
		long long *out_id, struct err *err);
/* The step without a result: {"id", "seq", "ask"}. NULL with ERR_NOTFOUND. */
json_t *db_step_open(struct db *db, long long bisect_id, struct err *err);
int db_step_end(struct db *db, long long id, const json_t *result,
		const json_t *posterior, const char *note, struct err *err);
/* [{"seq", "ask", "result", "posterior", "note"}] in order. New reference. */
json_t *db_steps(struct db *db, long long bisect_id, struct err *err);

/* Ready boxes of a group, the box @first_id in front: [{"id", "name",
 * "spec"}]. New reference. */
json_t *db_flow_boxes(struct db *db, const char *tbox_group, long long first_id,
		      struct err *err);

/*
 * An open regression for a comparison, or its culprit when there is one
 * already; @bisect_id and @culprit_id may be 0.
 */
int db_regression_put(struct db *db, long long comparison_id,
		      long long bisect_id, long long culprit_id,
		      long long now_s, struct err *err);

#endif
