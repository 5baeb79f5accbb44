/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plans (boots that somebody wants) and artifacts (the kernels they need). */
#ifndef DB_DB_PLAN_H
#define DB_DB_PLAN_H

#include "db/db.h"

/* Longest pause before another try. */
#define DB_PLAN_PAUSE_MAX_S 300

/*
 * A row of plan. Strings are owned (db_plan_release); for db_plan_add they are
 * not looked at. @artifact_id, @step_id: 0 for none.
 */
struct db_plan {
	long long id;
	long long job_id;
	long long comparison_id;
	long long step_id;
	long long seq;
	long long commit_id;
	long long artifact_id;
	long long box_id;
	long long layout;
	long long nr_runs;
	long long tries;
	long long not_before_s;
	char *state;
	char *failure;
	char *why;
};

void db_plan_release(struct db_plan *plan);

/*
 * Insert a queued plan: @job_id, @comparison_id, @step_id, @commit_id,
 * @artifact_id, @box_id, @layout, @nr_runs count; @seq 0 takes the comparison's
 * next number.
 */
int db_plan_add(struct db *db, const struct db_plan *plan, long long *out_id,
		struct err *err);
/* ERR_NOTFOUND. @out is initialised here. */
int db_plan_get(struct db *db, long long id, struct db_plan *out,
		struct err *err);
/* Set state, failure ("" none) and why. */
int db_plan_end(struct db *db, long long id, const char *state,
		const char *failure, const char *why, struct err *err);
/* Back to queued after trouble that says nothing of the commit. */
int db_plan_requeue(struct db *db, long long id, long long tries,
		    long long not_before_s, struct err *err);
/*
 * The plans that wait for an artifact have had one try more at its build;
 * *@out: how many those with the most have had, 0 when none waits.
 */
int db_plan_add_try(struct db *db, long long artifact_id, long long *out,
		    struct err *err);
/* It is built: the tries at their boots are counted from here. */
int db_plan_clear_tries(struct db *db, long long artifact_id, struct err *err);
/* Plans of a comparison that are queued or leased. */
int db_plan_count_open(struct db *db, long long comparison_id, long long *out,
		       struct err *err);

/*
 * The next plan to run on a box: of the open job with the highest priority, the
 * oldest first, in the order of its comparisons and their boots; its artifact
 * is done or none is needed. *@out_id 0 when there is none, or while the pause
 * after its last failure isn't over.
 */
int db_plan_next(struct db *db, long long box_id, long long now_s,
		 long long *out_id, struct err *err);

/* A row of artifact; strings owned, "" for NULL. */
struct db_artifact {
	long long id;
	long long repo_id;
	long long commit_id;
	long long layout;
	double seconds;
	char *tree;
	char *kconfig;
	char *state;
	char *key;
	char *kernel_path;
	char *build_id;
	char *why;
};

void db_artifact_release(struct db_artifact *a);

/*
 * The artifact of a commit's tree with the repository's kconfig and a code
 * layout, made ('wanted') when there is none: equal trees share one.
 */
int db_artifact_want(struct db *db, long long commit_id, long long layout,
		     long long *out_id, struct err *err);
int db_artifact_get(struct db *db, long long id, struct db_artifact *out,
		    struct err *err);
/* 'wanted' or 'building', without a result. */
int db_artifact_set_state(struct db *db, long long id, const char *state,
			  struct err *err);
/* Built: key, kernel_path, build_id and seconds of @a count. */
int db_artifact_done(struct db *db, const struct db_artifact *a,
		     struct err *err);
int db_artifact_failed(struct db *db, long long id, const char *why,
		       struct err *err);

/*
 * The next artifact to build, in the order in which its plans would run.
 * *@out_id 0 when there is none.
 */
int db_artifact_next(struct db *db, long long now_s, long long *out_id,
		     struct err *err);

/*
 * A queued plan whose artifact failed, so that it can be failed too.
 * *@out_id 0 when there is none.
 */
int db_plan_next_unbuildable(struct db *db, long long *out_id, struct err *err);

#endif
