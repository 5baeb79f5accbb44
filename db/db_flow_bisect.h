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

/* End the bisection of a comparison that is running, if there is one, as
 * failed. */
int db_bisect_fail(struct db *db, long long comparison_id, const char *why,
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

/* Who waits for an artifact. */
enum db_need {
	DB_NEED_NOBODY,
	DB_NEED_AHEAD, /* an open step of a bisection may lead there */
	DB_NEED_PLAN,  /* a queued boot */
};
int db_artifact_need(struct db *db, long long id, enum db_need *out,
		     struct err *err);
/*
 * The next artifact to build ahead, of the open steps in the order of their
 * jobs; one that failed for reasons of the lab isn't tried again. *@out_id 0
 * when there is none.
 */
int db_artifact_next_ahead(struct db *db, long long *out_id, struct err *err);
/* Jobs whose open steps may lead to the artifact: [{"job"}]. New reference. */
json_t *db_ahead_jobs(struct db *db, long long artifact_id, struct err *err);

/*
 * The kernels of a repository's commits as configured that are built, in the
 * order of their bits: [{"sha", "build_id"}]. New reference.
 */
json_t *db_kernels_built(struct db *db, long long repo_id, struct err *err);
/* Queued boots of bisections that wait for the artifact, but not those that
 * check a revert: [{"comparison", "commit_id", "step_id"}]. New reference. */
json_t *db_steps_waiting(struct db *db, long long artifact_id, struct err *err);
/* Cancel a step's queued boots of a kernel that is known already. */
int db_step_skip(struct db *db, long long step_id, long long artifact_id,
		 const char *failure, const char *why, struct err *err);

/*
 * What a bisection cost: {"builds" (kernels it asked for), "build_seconds",
 * "boots", "runs", "box_seconds", "unused" (kernels built ahead of a question
 * that was never asked), "unused_seconds"}. New reference.
 */
json_t *db_bisect_cost(struct db *db, long long bisect_id, struct err *err);

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
