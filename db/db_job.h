/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Jobs, the series their runs belong to, and comparisons. */
#ifndef DB_DB_JOB_H
#define DB_DB_JOB_H

#include "db/db.h"

/* A row of job; strings owned (db_job_release). @client_key NULL: none. */
struct db_job {
	long long id;
	long long created_s;
	long long ended_s;
	long long uid;
	long long repo_id;
	long long base_id;
	long long head_id;
	long long prio;
	char *merge_base;
	char *name;
	char *yaml;
	char *client_key;
	char *state;
	char *why;
	json_t *options;
};

void db_job_release(struct db_job *job);
/* Insert a job of state 'queued'. Borrowed strings. */
int db_job_add(struct db *db, const struct db_job *job, long long *out_id,
	       struct err *err);
/* ERR_NOTFOUND "no job 7". @out is initialised here. */
int db_job_get(struct db *db, long long id, struct db_job *out,
	       struct err *err);
/* The job of a client key, 0 for none. */
int db_job_by_key(struct db *db, const char *key, long long *out_id,
		  struct err *err);
/* Jobs of a user that have not ended. */
int db_job_count_open(struct db *db, long long uid, long long *out,
		      struct err *err);
/* 'queued' becomes 'running'; other states stay. */
int db_job_running(struct db *db, long long id, struct err *err);
/* Set an end state with the reason and the time. */
int db_job_end(struct db *db, long long id, const char *state, const char *why,
	       long long now_s, struct err *err);
/* A job that had ended is 'running' again. */
int db_job_reopen(struct db *db, long long id, struct err *err);
int db_job_set_prio(struct db *db, long long id, long long prio,
		    struct err *err);
/*
 * What a job's comparisons add up to: *@out is "" while one is open, else done
 * (at least one done), failed or cancelled. @out_why (owned by the caller): the
 * first failed comparison's reason, "" otherwise.
 */
int db_job_outcome(struct db *db, long long id, const char **out,
		   char **out_why, struct err *err);
/* The gravest verdict among its comparisons; "" for none. Static. */
int db_job_verdict(struct db *db, long long id, const char **out,
		   struct err *err);

/* A row of series, to be found or made. Borrowed strings. */
struct db_series {
	long long repo_id;
	const char *testcase;
	const char *path;
	const char *tbox_group;
	const char *rootfs;
	const char *kconfig;
	const char *compiler;
	const json_t *job; /* the atomic job */
};

int db_series_put(struct db *db, const struct db_series *series,
		  long long *out_id, struct err *err);

/* A row of comparison as far as the core needs it; strings owned. */
struct db_comparison {
	long long id;
	long long job_id;
	long long series_id;
	long long box_id;
	long long base_id;
	long long head_id;
	char *state;
	char *verdict;
	char *why;
};

void db_comparison_release(struct db_comparison *c);
/* Insert one of state 'new'; the ids of @c count. */
int db_comparison_add(struct db *db, const struct db_comparison *c,
		      long long now_s, long long *out_id, struct err *err);
int db_comparison_get(struct db *db, long long id, struct db_comparison *out,
		      struct err *err);
/* Set state and reason; end states get the time too. */
int db_comparison_set_state(struct db *db, long long id, const char *state,
			    const char *why, long long now_s, struct err *err);
/* Cancel what is open of a job: comparisons, bisections, queued plans. */
int db_job_cancel_open(struct db *db, long long job_id, long long now_s,
		       struct err *err);
/*
 * Open again the comparisons of a job that failed and had boots which the lab
 * failed, and queue those, and what was cancelled with them, again; so in
 * comparisons and steps of bisections that are open. What has its verdict stays
 * as it is. *@out_nr: how many plans.
 */
int db_job_retry(struct db *db, long long job_id, long long *out_nr,
		 struct err *err);

#endif
