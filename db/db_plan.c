// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of plan and the order in which boxes take them.
#include "db/db_plan.h"

#include <stdlib.h>

void db_plan_release(struct db_plan *plan)
{
	free(plan->state);
	free(plan->failure);
	free(plan->why);
	*plan = (struct db_plan){ 0 };
}

static int next_seq(struct db *db, long long comparison_id, long long *out,
		    struct err *err)
{
	struct db_stmt *q =
		db_stmt(db, "SELECT coalesce(max(seq), 0) + 1 FROM plan "
			    "WHERE comparison_id = ?");

	db_bind_int(q, comparison_id);
	return db_get_int(q, out, err);
}

int db_plan_add(struct db *db, const struct db_plan *plan, long long *out_id,
		struct err *err)
{
	long long seq = plan->seq;
	struct db_stmt *q;
	int rc;

	if (!seq) {
		rc = next_seq(db, plan->comparison_id, &seq, err);
		if (rc)
			return rc;
	}
	q = db_stmt(db,
		    "INSERT INTO plan (job_id, comparison_id, step_id, seq, "
		    "commit_id, artifact_id, box_id, layout, nr_runs, "
		    "state) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'queued')");
	db_bind_int(q, plan->job_id);
	db_bind_int(q, plan->comparison_id);
	db_bind_id(q, plan->step_id);
	db_bind_int(q, seq);
	db_bind_int(q, plan->commit_id);
	db_bind_id(q, plan->artifact_id);
	db_bind_int(q, plan->box_id);
	db_bind_int(q, plan->layout);
	db_bind_int(q, plan->nr_runs);
	return db_insert(q, out_id, err);
}

static void read_plan(const struct db_stmt *q, struct db_plan *out)
{
	out->id = db_col_int(q, 0);
	out->job_id = db_col_int(q, 1);
	out->comparison_id = db_col_int(q, 2);
	out->step_id = db_col_int(q, 3);
	out->seq = db_col_int(q, 4);
	out->commit_id = db_col_int(q, 5);
	out->artifact_id = db_col_int(q, 6);
	out->box_id = db_col_int(q, 7);
	out->layout = db_col_int(q, 8);
	out->nr_runs = db_col_int(q, 9);
	out->tries = db_col_int(q, 10);
	out->not_before_s = db_col_int(q, 11);
	out->state = db_col_dup(q, 12);
	out->failure = db_col_dup(q, 13);
	out->why = db_col_dup(q, 14);
}

int db_plan_get(struct db *db, long long id, struct db_plan *out,
		struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "SELECT id, job_id, comparison_id, step_id, seq, commit_id,"
		    " artifact_id, box_id, layout, nr_runs, tries, "
		    "not_before_s, state, failure, why FROM plan WHERE id = ?");
	int rc;

	*out = (struct db_plan){ 0 };
	db_bind_int(q, id);
	rc = db_step(q, err);
	if (rc > 0)
		read_plan(q, out);
	else if (!rc)
		rc = err_set(err, ERR_NOTFOUND, "no plan %lld", id);
	db_stmt_free(&q);
	return rc > 0 ? 0 : rc;
}

int db_plan_end(struct db *db, long long id, const char *state,
		const char *failure, const char *why, struct err *err)
{
	struct db_stmt *q = db_stmt(
		db,
		"UPDATE plan SET state = ?, failure = ?, why = ? WHERE id = ?");

	db_bind_text(q, state);
	db_bind_text(q, failure);
	db_bind_text(q, why);
	db_bind_int(q, id);
	return db_run(q, err);
}

int db_plan_requeue(struct db *db, long long id, long long tries,
		    long long not_before_s, struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "UPDATE plan SET state = 'queued', failure = '', why = '', "
		    "tries = ?, not_before_s = ? WHERE id = ?");

	db_bind_int(q, tries);
	db_bind_int(q, not_before_s);
	db_bind_int(q, id);
	return db_run(q, err);
}

int db_plan_add_try(struct db *db, long long artifact_id, long long *out,
		    struct err *err)
{
	struct db_stmt *q =
		db_stmt(db, "UPDATE plan SET tries = tries + 1 "
			    "WHERE artifact_id = ? AND state = 'queued'");
	int rc;

	db_bind_int(q, artifact_id);
	rc = db_run(q, err);
	if (rc)
		return rc;
	q = db_stmt(db, "SELECT coalesce(max(tries), 0) FROM plan "
			"WHERE artifact_id = ? AND state = 'queued'");
	db_bind_int(q, artifact_id);
	return db_get_int(q, out, err);
}

int db_plan_clear_tries(struct db *db, long long artifact_id, struct err *err)
{
	struct db_stmt *q =
		db_stmt(db, "UPDATE plan SET tries = 0 WHERE artifact_id = ? "
			    "AND state = 'queued' AND tries > 0");

	db_bind_int(q, artifact_id);
	return db_run(q, err);
}

int db_plan_count_open(struct db *db, long long comparison_id, long long *out,
		       struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "SELECT count(*) FROM plan WHERE comparison_id = ? AND "
		    "state IN ('queued', 'leased')");

	db_bind_int(q, comparison_id);
	return db_get_int(q, out, err);
}

/* ERR_NOTFOUND becomes id 0. */
static int get_or_zero(struct db_stmt *q, long long *out_id, struct err *err)
{
	int rc = db_get_int(q, out_id, err);

	if (rc != ERR_NOTFOUND)
		return rc;
	*out_id = 0;
	return 0;
}

/* A pause that ends later than any pause can: the wall clock was set back. */
#define PAUSE_OVER "(p.not_before_s <= ? OR p.not_before_s > ?)"

/*
 * CROSS JOIN keeps the order of the job_open index, so that LIMIT 1 ends the
 * search at the first plan instead of sorting all of them. A plan whose pause
 * isn't over holds its box up: most likely the box is what failed, and the
 * boots of base and head stay interleaved.
 */
int db_plan_next(struct db *db, long long box_id, long long now_s,
		 long long *out_id, struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "SELECT CASE WHEN " PAUSE_OVER " THEN p.id ELSE 0 END "
		    "FROM job j CROSS JOIN plan p "
		    "ON p.job_id = j.id AND p.state = 'queued' "
		    "WHERE j.state IN ('queued', 'running') AND p.box_id = ? "
		    "AND (p.artifact_id IS NULL OR "
		    "(SELECT state FROM artifact WHERE id = p.artifact_id) "
		    "= 'done') "
		    "ORDER BY j.prio DESC, j.id, p.comparison_id, p.seq "
		    "LIMIT 1");

	db_bind_int(q, now_s);
	db_bind_int(q, now_s + DB_PLAN_PAUSE_MAX_S);
	db_bind_int(q, box_id);
	return get_or_zero(q, out_id, err);
}

int db_artifact_next(struct db *db, long long now_s, long long *out_id,
		     struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "SELECT p.artifact_id FROM job j CROSS JOIN plan p "
		    "INDEXED BY plan_queue "
		    "ON p.job_id = j.id AND p.state = 'queued' "
		    "WHERE j.state IN ('queued', 'running') "
		    "AND " PAUSE_OVER " AND "
		    "(SELECT state FROM artifact WHERE id = p.artifact_id) "
		    "= 'wanted' "
		    "ORDER BY j.prio DESC, j.id, p.comparison_id, p.seq "
		    "LIMIT 1");

	db_bind_int(q, now_s);
	db_bind_int(q, now_s + DB_PLAN_PAUSE_MAX_S);
	return get_or_zero(q, out_id, err);
}

int db_plan_next_unbuildable(struct db *db, long long *out_id, struct err *err)
{
	struct db_stmt *q =
		db_stmt(db, "SELECT p.id FROM artifact a CROSS JOIN plan p "
			    "INDEXED BY plan_waits ON p.artifact_id = a.id "
			    "WHERE a.state = 'failed' AND p.state = 'queued' "
			    "LIMIT 1");

	return get_or_zero(q, out_id, err);
}
