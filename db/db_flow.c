// SPDX-License-Identifier: GPL-3.0-or-later
// Queries of the flows: a comparison in one row, its boots, runs and samples.
#include "db/db_flow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

json_t *db_flow_context(struct db *db, long long comparison_id, struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "SELECT c.id, c.job_id, c.series_id, c.state, c.verdict, "
		    "c.headline, c.direction, c.change_pct, c.e_value, "
		    "c.ci_low_pct, c.ci_high_pct, c.evidence_json, c.why, "
		    "c.created_s, c.base_id, b.sha AS base_sha, "
		    "b.subject AS base_subject, c.head_id, h.sha AS head_sha, "
		    "h.subject AS head_subject, j.name AS job_name, j.yaml, "
		    "j.options_json, j.merge_base, j.state AS job_state, "
		    "s.testcase, s.path, s.job_json, s.tbox_group, s.rootfs, "
		    "s.kconfig, s.compiler, c.box_id, x.name AS box, "
		    "x.spec_json AS box_spec_json, x.hw_json AS box_hw_json, "
		    "r.id AS repo_id, r.name AS repo, r.path AS repo_path, "
		    "r.url AS repo_url, r.branch AS repo_branch "
		    "FROM comparison c JOIN git_commit b ON b.id = c.base_id "
		    "JOIN git_commit h ON h.id = c.head_id "
		    "JOIN job j ON j.id = c.job_id "
		    "JOIN series s ON s.id = c.series_id "
		    "JOIN box x ON x.id = c.box_id "
		    "JOIN repo r ON r.id = j.repo_id WHERE c.id = ?");
	struct err e = { 0 };
	json_t *row;

	db_bind_int(q, comparison_id);
	row = db_row(q, &e);
	if (!row && e.code == ERR_NOTFOUND)
		err_set(err, ERR_NOTFOUND, "no comparison %lld", comparison_id);
	else if (!row && err)
		*err = e;
	return row;
}

json_t *db_flow_comparisons(struct db *db, long long job_id, struct err *err)
{
	struct db_stmt *q;

	if (job_id) {
		q = db_stmt(db, "SELECT id FROM comparison WHERE job_id = ? "
				"ORDER BY id");
		db_bind_int(q, job_id);
	} else {
		q = db_stmt(db,
			    "SELECT id FROM comparison c WHERE state IN "
			    "('new', 'running', 'bisecting') AND NOT EXISTS "
			    "(SELECT 1 FROM plan WHERE comparison_id = c.id "
			    "AND state IN ('queued', 'leased')) ORDER BY id");
	}
	return db_rows(q, err);
}

json_t *db_flow_plans(struct db *db, long long comparison_id, long long step_id,
		      struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "SELECT p.id, p.commit_id, p.box_id, x.name AS box, "
		    "p.layout, p.nr_runs, p.state, p.failure, p.why "
		    "FROM plan p JOIN box x ON x.id = p.box_id "
		    "WHERE p.comparison_id = ? AND p.step_id IS ? "
		    "ORDER BY p.seq, p.id");

	db_bind_int(q, comparison_id);
	db_bind_id(q, step_id);
	return db_rows(q, err);
}

json_t *db_flow_values(struct db *db, long long comparison_id,
		       long long step_id, const char *metric, struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "SELECT p.id AS plan, v.value FROM plan p "
		    "JOIN boot b ON b.id = "
		    "(SELECT max(id) FROM boot WHERE plan_id = p.id) "
		    "JOIN run r ON r.boot_id = b.id AND r.state = 'done' "
		    "JOIN sample v ON v.run_id = r.id AND v.metric_id = "
		    "(SELECT id FROM metric WHERE name = ?) "
		    "WHERE p.comparison_id = ? AND p.step_id IS ? "
		    "ORDER BY p.seq, p.id, r.seq");

	db_bind_text(q, metric);
	db_bind_int(q, comparison_id);
	db_bind_id(q, step_id);
	return db_rows(q, err);
}

json_t *db_flow_invariants(struct db *db, long long comparison_id,
			   long long commit_id, struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "SELECT x.name AS box, b.invariants_json FROM plan p "
		    "JOIN boot b ON b.plan_id = p.id "
		    "JOIN box x ON x.id = b.box_id "
		    "WHERE p.comparison_id = ? AND b.commit_id = ? "
		    "ORDER BY b.id");

	db_bind_int(q, comparison_id);
	db_bind_int(q, commit_id);
	return db_rows(q, err);
}

json_t *db_flow_runs(struct db *db, long long comparison_id,
		     long long commit_id, bool all, struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "SELECT r.id, r.boot_id AS boot, r.state FROM plan p "
		    "JOIN boot b ON b.plan_id = p.id AND b.layout = 0 "
		    "JOIN run r ON r.boot_id = b.id "
		    "WHERE p.comparison_id = ? AND b.commit_id = ? "
		    "AND (? OR p.step_id IS NULL) ORDER BY b.id, r.seq");

	db_bind_int(q, comparison_id);
	db_bind_int(q, commit_id);
	db_bind_int(q, all);
	return db_rows(q, err);
}

/* Names are copied by @fn where it keeps them: no query runs meanwhile. */
int db_flow_samples(struct db *db, long long run_id, db_flow_sample_fn *fn,
		    void *ctx, struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "SELECT m.name, v.value, 0 FROM sample v "
		    "JOIN metric m ON m.id = v.metric_id WHERE v.run_id = ? "
		    "UNION ALL SELECT name, 1.0, 1 FROM run_failure "
		    "WHERE run_id = ?");
	int rc;

	db_bind_int(q, run_id);
	db_bind_int(q, run_id);
	while ((rc = db_step(q, err)) > 0) {
		rc = fn(ctx, db_col_text(q, 0), db_col_real(q, 1),
			db_col_int(q, 2) != 0, err);
		if (rc)
			break;
	}
	db_stmt_free(&q);
	return rc;
}

json_t *db_flow_costs(struct db *db, long long repo_id, long long series_id,
		      struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "SELECT (SELECT avg(seconds) FROM artifact "
		    "WHERE repo_id = ? AND seconds > 0) AS build, "
		    "(SELECT avg(boot_seconds) FROM boot WHERE id IN "
		    "(SELECT boot_id FROM run WHERE series_id = ?)) AS boot, "
		    "(SELECT avg(seconds) FROM run WHERE series_id = ? "
		    "AND state = 'done') AS run");

	db_bind_int(q, repo_id);
	db_bind_int(q, series_id);
	db_bind_int(q, series_id);
	return db_row(q, err);
}

static void bind_finite(struct db_stmt *q, double value)
{
	if (isfinite(value))
		db_bind_real(q, value);
	else
		db_bind_null(q);
}

int db_flow_set_verdict(struct db *db, long long comparison_id,
			const struct db_flow_verdict *v, struct err *err)
{
	struct db_stmt *q =
		db_stmt(db, "UPDATE comparison SET state = ?, verdict = ?, "
			    "headline = ?, direction = ?, change_pct = ?, "
			    "e_value = ?, ci_low_pct = ?, ci_high_pct = ?, "
			    "evidence_json = ?, why = ? WHERE id = ?");

	db_bind_text(q, v->state);
	db_bind_text(q, v->verdict);
	db_bind_text(q, v->headline);
	db_bind_text(q, v->direction);
	bind_finite(q, v->change_pct);
	bind_finite(q, v->e_value);
	bind_finite(q, v->ci_low_pct);
	bind_finite(q, v->ci_high_pct);
	db_bind_json(q, v->evidence);
	db_bind_text(q, v->why);
	db_bind_int(q, comparison_id);
	return db_run(q, err);
}

int db_flow_cancel_queued(struct db *db, long long comparison_id,
			  struct err *err)
{
	struct db_stmt *q =
		db_stmt(db, "UPDATE plan SET state = 'cancelled' WHERE "
			    "comparison_id = ? AND state = 'queued'");

	db_bind_int(q, comparison_id);
	return db_run(q, err);
}

int db_flow_mail_add(struct db *db, const struct db_flow_mail *m,
		     long long now_s, struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "INSERT INTO outbox (message_id, job_id, comparison_id, "
		    "subject, body, headers_json, state, created_s) "
		    "VALUES (?, ?, ?, ?, ?, ?, 'queued', ?) "
		    "ON CONFLICT (message_id) DO NOTHING");

	db_bind_text(q, m->message_id);
	db_bind_int(q, m->job_id);
	db_bind_id(q, m->comparison_id);
	db_bind_text(q, m->subject);
	db_bind_text(q, m->body);
	db_bind_json(q, m->headers);
	db_bind_int(q, now_s);
	return db_run(q, err);
}

json_t *db_flow_mail_of(struct db *db, long long job_id, struct err *err)
{
	struct db_stmt *q =
		db_stmt(db, "SELECT id, message_id, subject, state, tries, "
			    "last_error AS why, body, headers_json FROM outbox "
			    "WHERE job_id = ? AND message_id NOT LIKE 'lab-%' "
			    "ORDER BY id DESC LIMIT 1");

	db_bind_int(q, job_id);
	return db_row(q, err);
}
