// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of series and comparison.
#include <stdlib.h>
#include <string.h>

#include "db/db_job.h"

static void bind_series(struct db_stmt *q, const struct db_series *s)
{
	db_bind_int(q, s->repo_id);
	db_bind_text(q, s->path);
	db_bind_json(q, s->job);
	db_bind_text(q, s->tbox_group);
	db_bind_text(q, s->rootfs);
	db_bind_text(q, s->kconfig);
	db_bind_text(q, s->compiler);
}

int db_series_put(struct db *db, const struct db_series *series,
		  long long *out_id, struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "INSERT INTO series (repo_id, path, job_json, tbox_group, "
		    "rootfs, kconfig, compiler, testcase) "
		    "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING");
	int rc;

	bind_series(q, series);
	db_bind_text(q, series->testcase);
	rc = db_run(q, err);
	if (rc)
		return rc;
	q = db_stmt(db, "SELECT id FROM series WHERE repo_id = ? AND path = ? "
			"AND job_json = ? AND tbox_group = ? AND rootfs = ? "
			"AND kconfig = ? AND compiler = ?");
	bind_series(q, series);
	return db_get_int(q, out_id, err);
}

void db_comparison_release(struct db_comparison *c)
{
	free(c->state);
	free(c->verdict);
	free(c->why);
	*c = (struct db_comparison){ 0 };
}

int db_comparison_add(struct db *db, const struct db_comparison *c,
		      long long now_s, long long *out_id, struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "INSERT INTO comparison (job_id, series_id, box_id, "
		    "base_id, head_id, state, created_s) "
		    "VALUES (?, ?, ?, ?, ?, 'new', ?)");

	db_bind_int(q, c->job_id);
	db_bind_int(q, c->series_id);
	db_bind_int(q, c->box_id);
	db_bind_int(q, c->base_id);
	db_bind_int(q, c->head_id);
	db_bind_int(q, now_s);
	return db_insert(q, out_id, err);
}

int db_comparison_get(struct db *db, long long id, struct db_comparison *out,
		      struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "SELECT id, job_id, series_id, box_id, base_id, head_id, "
		    "state, verdict, why FROM comparison WHERE id = ?");
	int rc;

	*out = (struct db_comparison){ 0 };
	db_bind_int(q, id);
	rc = db_step(q, err);
	if (rc > 0) {
		out->id = db_col_int(q, 0);
		out->job_id = db_col_int(q, 1);
		out->series_id = db_col_int(q, 2);
		out->box_id = db_col_int(q, 3);
		out->base_id = db_col_int(q, 4);
		out->head_id = db_col_int(q, 5);
		out->state = db_col_dup(q, 6);
		out->verdict = db_col_dup(q, 7);
		out->why = db_col_dup(q, 8);
	} else if (!rc) {
		rc = err_set(err, ERR_NOTFOUND, "no comparison %lld", id);
	}
	db_stmt_free(&q);
	return rc > 0 ? 0 : rc;
}

int db_comparison_set_state(struct db *db, long long id, const char *state,
			    const char *why, long long now_s, struct err *err)
{
	bool end = !strcmp(state, "done") || !strcmp(state, "failed") ||
		   !strcmp(state, "cancelled");
	struct db_stmt *q = db_stmt(
		db, "UPDATE comparison SET state = ?, why = ?, ended_s = ? "
		    "WHERE id = ?");

	db_bind_text(q, state);
	db_bind_text(q, why);
	db_bind_id(q, end ? now_s : 0);
	db_bind_int(q, id);
	return db_run(q, err);
}

int db_job_cancel_open(struct db *db, long long job_id, long long now_s,
		       struct err *err)
{
	static const char *const sql[] = {
		"UPDATE bisect SET state = 'stopped', why = 'cancelled', "
		"ended_s = ? WHERE state = 'running' AND comparison_id IN "
		"(SELECT id FROM comparison WHERE job_id = ?)",
		"UPDATE comparison SET state = 'cancelled', ended_s = ? "
		"WHERE state IN ('new', 'running', 'bisecting') "
		"AND job_id = ?",
	};
	struct db_stmt *q;
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < sizeof(sql) / sizeof(sql[0]); i++) {
		q = db_stmt(db, sql[i]);
		db_bind_int(q, now_s);
		db_bind_int(q, job_id);
		rc = db_run(q, err);
	}
	if (rc)
		return rc;
	q = db_stmt(db, "UPDATE plan SET state = 'cancelled' "
			"WHERE state = 'queued' AND job_id = ?");
	db_bind_int(q, job_id);
	return db_run(q, err);
}
