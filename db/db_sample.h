/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was measured: boots, runs, samples by metric, failures seen. */
#ifndef DB_DB_SAMPLE_H
#define DB_DB_SAMPLE_H

#include "db/db.h"

/* A row of boot to insert. Borrowed strings. */
struct db_boot {
	long long attempt_id;
	long long plan_id;
	long long booted_s;
	double boot_seconds;
	const char *boot_id;
	const char *build_id;
	const json_t *invariants;
};

/* Box, commit, artifact and layout are taken from the plan. ERR_EXISTS when
 * this attempt has its boot already. */
int db_boot_add(struct db *db, const struct db_boot *boot, long long *out_id,
		struct err *err);

/* A row of run to insert. Borrowed strings. */
struct db_run {
	long long boot_id;
	long long seq;
	long long started_s;
	double seconds;
	const char *state; /* done, failed */
	const char *why;
};

/* Series and commit are taken from the boot's plan. */
int db_run_add(struct db *db, const struct db_run *run, long long *out_id,
	       struct err *err);
/* One value. With @kpi it also goes to the table for trends. */
int db_sample_add(struct db *db, long long run_id, const char *metric,
		  double value, bool kpi, struct err *err);
/* A failure row seen in the run; a second one of the name is ignored. */
int db_failure_add(struct db *db, long long run_id, const char *name,
		   struct err *err);

/*
 * The samples of one side: @values {"metric": [value of each run or null, …]}
 * and @boots [the boot, counted from 0, of each run], over the done runs of a
 * commit in a comparison (its own boots, not a bisection's), in order of time.
 * @pairs [the place of each run's boot among all that were planned for the
 * commit, failed ones too]: boots of base and head in one place are a pair.
 * New references, owned by the caller.
 */
struct db_matrix {
	json_t *values;
	json_t *boots;
	json_t *pairs;
};

int db_sample_matrix(struct db *db, long long comparison_id,
		     long long commit_id, struct db_matrix *out,
		     struct err *err);

#endif
