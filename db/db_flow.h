/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the flows of the daemon ask and store about a comparison: its context in
 * one row, its boots with the values of one metric, its verdict, its report.
 */
#ifndef DB_DB_FLOW_H
#define DB_DB_FLOW_H

#include "db/db.h"

/*
 * A comparison with all that hangs on it, in one object: "id", "job_id",
 * "series_id", "state", "verdict", "headline", "direction", "change_pct",
 * "e_value", "ci_low_pct", "ci_high_pct", "evidence" {}, "why", "created_s";
 * base and head: "base_id", "base_sha", "base_subject", "head_…"; job:
 * "job_name", "yaml", "options" {}, "merge_base", "job_state"; series:
 * "testcase", "path", "job" {}, "tbox_group", "rootfs", "kconfig", "compiler";
 * box: "box_id", "box", "box_spec" {}, "box_hw" {}; repository: "repo_id",
 * "repo", "repo_path", "repo_url", "repo_branch".
 * New reference; NULL with ERR_NOTFOUND.
 */
json_t *db_flow_context(struct db *db, long long comparison_id,
			struct err *err);

/*
 * Ids of comparisons: of a job, by id; or (@job_id 0) those that wait for a
 * flow: without a verdict and without a plan that is queued or leased. New
 * reference.
 */
json_t *db_flow_comparisons(struct db *db, long long job_id, struct err *err);

/*
 * Plans of a comparison in their order; @step_id 0: its own, else those of a
 * bisection's step. [{"id", "commit_id", "box_id", "box", "layout", "nr_runs",
 * "state", "failure", "why"}]. New reference.
 */
json_t *db_flow_plans(struct db *db, long long comparison_id, long long step_id,
		      struct err *err);

/*
 * The values of @metric in the done runs of those plans, each plan's last boot
 * alone, in order: [{"plan", "value"}]. New reference.
 */
json_t *db_flow_values(struct db *db, long long comparison_id,
		       long long step_id, const char *metric, struct err *err);

/* Invariants of a commit's boots in a comparison: [{"box", "invariants"}]. */
json_t *db_flow_invariants(struct db *db, long long comparison_id,
			   long long commit_id, struct err *err);

/*
 * Every run of a commit in a comparison, as configured (layout 0), in order of
 * time: [{"id", "boot", "state"}]; the bisection's too if @all. New reference.
 */
json_t *db_flow_runs(struct db *db, long long comparison_id,
		     long long commit_id, bool all, struct err *err);

/* The samples of a run, the failures seen in it (value 1, @failure true). */
typedef int db_flow_sample_fn(void *ctx, const char *metric, double value,
			      bool failure, struct err *err);
int db_flow_samples(struct db *db, long long run_id, db_flow_sample_fn *fn,
		    void *ctx, struct err *err);

/*
 * Mean seconds of what is known of a repository's builds and a series' boots
 * and runs: {"build", "boot", "run"}, null where there is none. New reference.
 */
json_t *db_flow_costs(struct db *db, long long repo_id, long long series_id,
		      struct err *err);

/* What was found out about a comparison. NaN is stored as NULL. */
struct db_flow_verdict {
	const char *state;
	const char *verdict;
	const char *headline;
	const char *direction; /* higher, lower: which way is better */
	double change_pct, e_value, ci_low_pct, ci_high_pct;
	const json_t *evidence;
	const char *why;
};

int db_flow_set_verdict(struct db *db, long long comparison_id,
			const struct db_flow_verdict *v, struct err *err);

/* Queued plans of a comparison become cancelled. */
int db_flow_cancel_queued(struct db *db, long long comparison_id,
			  struct err *err);

/*
 * Put a mail into the outbox, queued, unless its Message-ID is there already.
 * @comparison_id may be 0.
 */
struct db_flow_mail {
	long long job_id, comparison_id;
	const char *message_id, *subject, *body;
	const json_t *headers;
};
int db_flow_mail_add(struct db *db, const struct db_flow_mail *m,
		     long long now_s, struct err *err);
/* The newest report of a job as mail: {"id", "message_id", "subject", "state",
 * "body", "headers"}; NULL with ERR_NOTFOUND when there is none. */
json_t *db_flow_mail_of(struct db *db, long long job_id, struct err *err);

#endif
