// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of job: made, found, ended, opened again.
#include "db/db_job.h"

#include <stdlib.h>

#include "base/mem.h"

void db_job_release(struct db_job *job)
{
	free(job->merge_base);
	free(job->name);
	free(job->yaml);
	free(job->client_key);
	free(job->state);
	free(job->why);
	json_decref(job->options);
	*job = (struct db_job){ 0 };
}

int db_job_add(struct db *db, const struct db_job *job, long long *out_id,
	       struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "INSERT INTO job (created_s, uid, repo_id, base_id, "
		    "head_id, merge_base, name, yaml, options_json, "
		    "client_key, prio, state) "
		    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'queued')");

	db_bind_int(q, job->created_s);
	db_bind_int(q, job->uid);
	db_bind_int(q, job->repo_id);
	db_bind_int(q, job->base_id);
	db_bind_int(q, job->head_id);
	db_bind_text(q, job->merge_base ? job->merge_base : "");
	db_bind_text(q, job->name);
	db_bind_text(q, job->yaml);
	db_bind_json(q, job->options);
	db_bind_text(q, job->client_key);
	db_bind_int(q, job->prio);
	return db_insert(q, out_id, err);
}

static void read_job(const struct db_stmt *q, struct db_job *out)
{
	out->id = db_col_int(q, 0);
	out->created_s = db_col_int(q, 1);
	out->ended_s = db_col_int(q, 2);
	out->uid = db_col_int(q, 3);
	out->repo_id = db_col_int(q, 4);
	out->base_id = db_col_int(q, 5);
	out->head_id = db_col_int(q, 6);
	out->prio = db_col_int(q, 7);
	out->merge_base = db_col_dup(q, 8);
	out->name = db_col_dup(q, 9);
	out->yaml = db_col_dup(q, 10);
	out->client_key = db_col_null(q, 11) ? NULL : db_col_dup(q, 11);
	out->state = db_col_dup(q, 12);
	out->why = db_col_dup(q, 13);
	out->options = db_col_json(q, 14);
}

int db_job_get(struct db *db, long long id, struct db_job *out, struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "SELECT id, created_s, ended_s, uid, repo_id, base_id, "
		    "head_id, prio, merge_base, name, yaml, client_key, state, "
		    "why, options_json FROM job WHERE id = ?");
	int rc;

	*out = (struct db_job){ 0 };
	db_bind_int(q, id);
	rc = db_step(q, err);
	if (rc > 0)
		read_job(q, out);
	else if (!rc)
		rc = err_set(err, ERR_NOTFOUND,
			     "no job %lld (drover queue --all lists them)", id);
	db_stmt_free(&q);
	return rc > 0 ? 0 : rc;
}

int db_job_by_key(struct db *db, const char *key, long long *out_id,
		  struct err *err)
{
	struct db_stmt *q =
		db_stmt(db, "SELECT id FROM job WHERE client_key = ?");
	int rc;

	db_bind_text(q, key);
	rc = db_get_int(q, out_id, err);
	if (rc == ERR_NOTFOUND) {
		*out_id = 0;
		rc = 0;
	}
	return rc;
}

int db_job_count_open(struct db *db, long long uid, long long *out,
		      struct err *err)
{
	struct db_stmt *q =
		db_stmt(db, "SELECT count(*) FROM job WHERE state IN "
			    "('queued', 'running') AND uid = ?");

	db_bind_int(q, uid);
	return db_get_int(q, out, err);
}

int db_job_running(struct db *db, long long id, struct err *err)
{
	struct db_stmt *q = db_stmt(db, "UPDATE job SET state = 'running' "
					"WHERE id = ? AND state = 'queued'");

	db_bind_int(q, id);
	return db_run(q, err);
}

int db_job_end(struct db *db, long long id, const char *state, const char *why,
	       long long now_s, struct err *err)
{
	struct db_stmt *q = db_stmt(db, "UPDATE job SET state = ?, why = ?, "
					"ended_s = ? WHERE id = ?");

	db_bind_text(q, state);
	db_bind_text(q, why);
	db_bind_int(q, now_s);
	db_bind_int(q, id);
	return db_run(q, err);
}

int db_job_reopen(struct db *db, long long id, struct err *err)
{
	struct db_stmt *q = db_stmt(db, "UPDATE job SET state = 'running', "
					"why = '', ended_s = NULL "
					"WHERE id = ?");

	db_bind_int(q, id);
	return db_run(q, err);
}

int db_job_set_prio(struct db *db, long long id, long long prio,
		    struct err *err)
{
	struct db_stmt *q = db_stmt(db, "UPDATE job SET prio = ? WHERE id = ?");

	db_bind_int(q, prio);
	db_bind_int(q, id);
	return db_run(q, err);
}

int db_job_outcome(struct db *db, long long id, const char **out,
		   char **out_why, struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "SELECT coalesce(sum(state IN ('new', 'running', "
		    "'bisecting')), 0), coalesce(sum(state = 'done'), 0), "
		    "coalesce(sum(state = 'failed'), 0), "
		    "(SELECT why FROM comparison WHERE job_id = ? AND "
		    "state = 'failed' ORDER BY id LIMIT 1) "
		    "FROM comparison WHERE job_id = ?");
	int rc;

	db_bind_int(q, id);
	db_bind_int(q, id);
	rc = db_step(q, err);
	if (rc > 0) {
		if (db_col_int(q, 0))
			*out = "";
		else if (db_col_int(q, 1))
			*out = "done";
		else
			*out = db_col_int(q, 2) ? "failed" : "cancelled";
		*out_why = xstrdup(db_col_int(q, 1) ? "" : db_col_text(q, 3));
	}
	db_stmt_free(&q);
	return rc > 0 ? 0 : rc;
}

int db_job_verdict(struct db *db, long long id, const char **out,
		   struct err *err)
{
	static const char *const words[] = { "", "no-change", "improvement",
					     "undecided", "regression" };
	struct db_stmt *q = db_stmt(
		db, "SELECT coalesce(max(CASE verdict WHEN 'regression' THEN 4 "
		    "WHEN 'undecided' THEN 3 WHEN 'improvement' THEN 2 "
		    "WHEN 'no-change' THEN 1 ELSE 0 END), 0) "
		    "FROM comparison WHERE job_id = ?");
	long long rank = 0;
	int rc;

	db_bind_int(q, id);
	rc = db_get_int(q, &rank, err);
	if (!rc)
		*out = words[rank];
	return rc;
}

/* Words of plan.failure that say nothing of a commit (daemon/outcome.c). */
#define OF_THE_LAB "IN ('infra', 'timeout', 'io', 'busy')"

/* A comparison's boots that the lab failed, or that were not begun because it
 * had failed the others; boots of a step under way. */
static int queue_again(struct db *db, long long job_id, long long *out_nr,
		       struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "UPDATE plan SET state = 'queued', failure = '', why = '', "
		    "tries = 0, not_before_s = 0 WHERE job_id = ? AND "
		    "CASE (SELECT state FROM comparison WHERE "
		    "id = plan.comparison_id) "
		    "WHEN 'running' THEN step_id IS NULL AND "
		    "(state = 'cancelled' OR "
		    "(state = 'failed' AND failure " OF_THE_LAB ")) "
		    "WHEN 'bisecting' THEN state = 'failed' AND "
		    "failure " OF_THE_LAB " AND (SELECT result_json IS NULL "
		    "FROM bisect_step WHERE id = plan.step_id) END");
	int rc;

	db_bind_int(q, job_id);
	rc = db_run(q, err);
	if (!rc)
		*out_nr = db_changes(db);
	return rc;
}

int db_job_retry(struct db *db, long long job_id, long long *out_nr,
		 struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "UPDATE comparison SET state = 'running', why = '', "
		    "ended_s = NULL WHERE job_id = ? AND state = 'failed' AND "
		    "EXISTS (SELECT 1 FROM plan WHERE "
		    "comparison_id = comparison.id AND step_id IS NULL AND "
		    "state = 'failed' AND failure " OF_THE_LAB ")");
	int rc;

	db_bind_int(q, job_id);
	rc = db_run(q, err);
	return rc ? rc : queue_again(db, job_id, out_nr, err);
}
