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
