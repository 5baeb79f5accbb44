// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of bisections, their steps, and the regressions they find.
#include "db/db_flow_bisect.h"

#include <math.h>
#include <string.h>

int db_bisect_add(struct db *db, long long comparison_id, const json_t *start,
		  const json_t *engine, long long now_s, struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "INSERT INTO bisect (comparison_id, state, start_json, "
		    "engine_json, created_s) VALUES (?, 'running', ?, ?, ?)");

	db_bind_int(q, comparison_id);
	db_bind_json(q, start);
	db_bind_json(q, engine);
	db_bind_int(q, now_s);
	return db_run(q, err);
}

json_t *db_bisect_of(struct db *db, long long comparison_id, struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "SELECT id, comparison_id, state, start_json, engine_json, "
		    "verdict, commits_json, posterior, evidence_json, why, "
		    "created_s FROM bisect WHERE comparison_id = ? "
		    "ORDER BY id DESC LIMIT 1");

	db_bind_int(q, comparison_id);
	return db_row(q, err);
}

int db_bisect_set(struct db *db, long long id, const struct db_bisect_end *e,
		  long long now_s, struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "UPDATE bisect SET state = ?, verdict = ?, engine_json = ?,"
		    " commits_json = ?, evidence_json = ?, posterior = ?, "
		    "why = ?, ended_s = ? WHERE id = ?");
	bool end = strcmp(e->state, "running") != 0;

	db_bind_text(q, e->state);
	db_bind_text(q, e->verdict);
	db_bind_json(q, e->engine);
	db_bind_json(q, e->commits);
	db_bind_json(q, e->evidence);
	if (isfinite(e->posterior))
		db_bind_real(q, e->posterior);
	else
		db_bind_null(q);
	db_bind_text(q, e->why);
	db_bind_id(q, end ? now_s : 0);
	db_bind_int(q, id);
	return db_run(q, err);
}

int db_bisect_fail(struct db *db, long long comparison_id, const char *why,
		   long long now_s, struct err *err)
{
	struct db_stmt *q =
		db_stmt(db, "UPDATE bisect SET state = 'failed', why = ?, "
			    "ended_s = ? WHERE comparison_id = ? AND "
			    "state = 'running'");

	db_bind_text(q, why);
	db_bind_int(q, now_s);
	db_bind_int(q, comparison_id);
	return db_run(q, err);
}

int db_step_add(struct db *db, long long bisect_id, const json_t *ask,
		long long *out_id, struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "INSERT INTO bisect_step (bisect_id, seq, ask_json) "
		    "SELECT ?1, coalesce(max(seq), 0) + 1, ?2 "
		    "FROM bisect_step WHERE bisect_id = ?1");

	db_bind_int(q, bisect_id);
	db_bind_json(q, ask);
	return db_insert(q, out_id, err);
}

json_t *db_step_open(struct db *db, long long bisect_id, struct err *err)
{
	struct db_stmt *q =
		db_stmt(db, "SELECT id, seq, ask_json FROM bisect_step "
			    "WHERE bisect_id = ? AND result_json IS NULL "
			    "ORDER BY seq LIMIT 1");

	db_bind_int(q, bisect_id);
	return db_row(q, err);
}

int db_step_end(struct db *db, long long id, const json_t *result,
		const json_t *posterior, const char *note, struct err *err)
{
	struct db_stmt *q =
		db_stmt(db, "UPDATE bisect_step SET result_json = ?, "
			    "posterior_json = ?, note = ? WHERE id = ?");

	db_bind_json(q, result);
	db_bind_json(q, posterior);
	db_bind_text(q, note);
	db_bind_int(q, id);
	return db_run(q, err);
}

json_t *db_steps(struct db *db, long long bisect_id, struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "SELECT seq, ask_json, result_json, posterior_json, note "
		    "FROM bisect_step WHERE bisect_id = ? ORDER BY seq");

	db_bind_int(q, bisect_id);
	return db_rows(q, err);
}

/*
 * The kernels that open steps may lead to, as rows (artifact, job). CROSS JOIN
 * begins with the few bisections that are running: there is no end to steps
 * that are over.
 */
#define AHEAD                                                         \
	"bisect b INDEXED BY bisect_running CROSS JOIN comparison c " \
	"ON c.id = b.comparison_id AND c.state = 'bisecting' "        \
	"CROSS JOIN job j ON j.id = c.job_id "                        \
	"AND j.state IN ('queued', 'running') "                       \
	"CROSS JOIN bisect_step t ON t.bisect_id = b.id "             \
	"AND t.result_json IS NULL "                                  \
	"CROSS JOIN json_each(t.ask_json, '$.speculate') s "          \
	"CROSS JOIN artifact a "                                      \
	"ON a.id = json_extract(s.value, '$.artifact') "              \
	"WHERE b.state = 'running' "

int db_artifact_need(struct db *db, long long id, enum db_need *out,
		     struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "SELECT CASE WHEN EXISTS (SELECT 1 FROM plan "
		    "WHERE artifact_id = ?1 AND state = 'queued') THEN 2 "
		    "ELSE EXISTS (SELECT 1 FROM " AHEAD "AND a.id = ?1) END");
	long long need = 0;
	int rc;

	db_bind_int(q, id);
	rc = db_get_int(q, &need, err);
	if (!rc)
		*out = (enum db_need)need;
	return rc;
}

int db_artifact_next_ahead(struct db *db, long long *out_id, struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "SELECT a.id FROM " AHEAD "AND a.state = 'wanted' "
		    "AND NOT EXISTS (SELECT 1 FROM attempt "
		    "WHERE artifact_id = a.id AND state IN ('infra', 'lost')) "
		    "ORDER BY j.prio DESC, j.id, b.id, s.key LIMIT 1");
	int rc = db_get_int(q, out_id, err);

	if (rc != ERR_NOTFOUND)
		return rc;
	*out_id = 0;
	return 0;
}

json_t *db_ahead_jobs(struct db *db, long long artifact_id, struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "SELECT DISTINCT j.id AS job FROM " AHEAD "AND a.id = ?");

	db_bind_int(q, artifact_id);
	return db_rows(q, err);
}

json_t *db_kernels_built(struct db *db, long long repo_id, struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "SELECT g.sha, a.build_id FROM git_commit g JOIN repo r "
		    "ON r.id = g.repo_id JOIN artifact a ON a.repo_id = r.id "
		    "AND a.tree = g.tree AND a.kconfig = r.kconfig "
		    "AND a.layout = 0 WHERE g.repo_id = ? "
		    "AND a.state = 'done' AND a.build_id <> '' "
		    "ORDER BY a.build_id, g.id");

	db_bind_int(q, repo_id);
	return db_rows(q, err);
}

json_t *db_steps_waiting(struct db *db, long long artifact_id, struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "SELECT DISTINCT p.comparison_id AS comparison, "
		    "p.commit_id, p.step_id FROM plan p JOIN comparison c "
		    "ON c.id = p.comparison_id AND c.state = 'bisecting' "
		    "JOIN bisect_step t ON t.id = p.step_id "
		    "WHERE p.artifact_id = ? AND p.state = 'queued' "
		    "AND p.layout = 0 "
		    "AND json_extract(t.ask_json, '$.phase') <> 'revert' "
		    "ORDER BY p.step_id");

	db_bind_int(q, artifact_id);
	return db_rows(q, err);
}

int db_step_skip(struct db *db, long long step_id, long long artifact_id,
		 const char *failure, const char *why, struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "UPDATE plan SET state = 'cancelled', failure = ?, why = ? "
		    "WHERE step_id = ? AND artifact_id = ? "
		    "AND state = 'queued'");

	db_bind_text(q, failure);
	db_bind_text(q, why);
	db_bind_int(q, step_id);
	db_bind_int(q, artifact_id);
	return db_run(q, err);
}

json_t *db_bisect_cost(struct db *db, long long bisect_id, struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "WITH mine AS (SELECT p.id, p.artifact_id FROM plan p "
		    "JOIN bisect_step t ON t.id = p.step_id "
		    "WHERE t.bisect_id = ?1), "
		    "used AS (SELECT id, seconds FROM artifact WHERE id IN "
		    "(SELECT artifact_id FROM mine) "
		    "AND state IN ('done', 'failed')), "
		    "unused AS (SELECT DISTINCT a.id, a.seconds "
		    "FROM bisect_step t, json_each(t.ask_json, '$.speculate') "
		    "s JOIN artifact a "
		    "ON a.id = json_extract(s.value, '$.artifact') "
		    "WHERE t.bisect_id = ?1 AND a.state IN ('done', 'failed') "
		    "AND a.id NOT IN (SELECT artifact_id FROM mine "
		    "WHERE artifact_id NOT NULL))"
		    " SELECT (SELECT count(*) FROM used) AS builds, "
		    "(SELECT coalesce(sum(seconds), 0) FROM used) "
		    "AS build_seconds, "
		    "(SELECT count(*) FROM boot WHERE plan_id IN "
		    "(SELECT id FROM mine)) AS boots, "
		    "(SELECT count(*) FROM run r JOIN boot b "
		    "ON b.id = r.boot_id WHERE b.plan_id IN "
		    "(SELECT id FROM mine)) AS runs, "
		    "(SELECT coalesce(sum(ended_s - started_s), 0) "
		    "FROM attempt WHERE ended_s NOT NULL AND plan_id IN "
		    "(SELECT id FROM mine)) AS box_seconds, "
		    "(SELECT count(*) FROM unused) AS unused, "
		    "(SELECT coalesce(sum(seconds), 0) FROM unused) "
		    "AS unused_seconds");

	db_bind_int(q, bisect_id);
	return db_row(q, err);
}

json_t *db_flow_boxes(struct db *db, const char *tbox_group, long long first_id,
		      struct err *err)
{
	struct db_stmt *q =
		db_stmt(db, "SELECT id, name, spec_json FROM box "
			    "WHERE tbox_group = ? AND state = 'ready' "
			    "ORDER BY id <> ?, name");

	db_bind_text(q, tbox_group);
	db_bind_int(q, first_id);
	return db_rows(q, err);
}

int db_regression_put(struct db *db, long long comparison_id,
		      long long bisect_id, long long culprit_id,
		      long long now_s, struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "INSERT INTO regression (comparison_id, bisect_id, "
		    "culprit_id, state, created_s) VALUES (?, ?, ?, 'open', ?) "
		    "ON CONFLICT (comparison_id) DO UPDATE SET "
		    "bisect_id = excluded.bisect_id, "
		    "culprit_id = excluded.culprit_id");

	db_bind_int(q, comparison_id);
	db_bind_id(q, bisect_id);
	db_bind_id(q, culprit_id);
	db_bind_int(q, now_s);
	return db_run(q, err);
}
