// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of attempt: leased, ended, counted, their durations.
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "db/db_box.h"

void db_attempt_release(struct db_attempt *a)
{
	free(a->kind);
	free(a->folder);
	free(a->token);
	free(a->state);
	free(a->failure);
	free(a->why);
	*a = (struct db_attempt){ 0 };
}

int db_attempt_add(struct db *db, const struct db_attempt *a,
		   const char *folder_of, long long *out_id, struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "INSERT INTO attempt (kind, artifact_id, plan_id, box_id, "
		    "folder, token, state, started_s) "
		    "VALUES (?, ?, ?, ?, '', ?, 'leased', ?)");
	long long id = 0;
	char *folder;
	int rc;

	db_bind_text(q, a->kind);
	db_bind_id(q, a->artifact_id);
	db_bind_id(q, a->plan_id);
	db_bind_id(q, a->box_id);
	db_bind_text(q, a->token);
	db_bind_int(q, a->started_s);
	rc = db_insert(q, &id, err);
	if (rc)
		return rc;
	folder = xasprintf("%s/%lld-%.8s", folder_of, id, a->token);
	q = db_stmt(db, "UPDATE attempt SET folder = ? WHERE id = ?");
	db_bind_text(q, folder);
	db_bind_int(q, id);
	rc = db_run(q, err);
	free(folder);
	if (!rc)
		*out_id = id;
	return rc;
}

int db_attempt_get(struct db *db, long long id, struct db_attempt *out,
		   struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "SELECT id, artifact_id, plan_id, box_id, started_s, "
		    "ended_s, kind, folder, token, state, failure, why "
		    "FROM attempt WHERE id = ?");
	int rc;

	*out = (struct db_attempt){ 0 };
	db_bind_int(q, id);
	rc = db_step(q, err);
	if (rc > 0) {
		out->id = db_col_int(q, 0);
		out->artifact_id = db_col_int(q, 1);
		out->plan_id = db_col_int(q, 2);
		out->box_id = db_col_int(q, 3);
		out->started_s = db_col_int(q, 4);
		out->ended_s = db_col_int(q, 5);
		out->kind = db_col_dup(q, 6);
		out->folder = db_col_dup(q, 7);
		out->token = db_col_dup(q, 8);
		out->state = db_col_dup(q, 9);
		out->failure = db_col_dup(q, 10);
		out->why = db_col_dup(q, 11);
	} else if (!rc) {
		rc = err_set(err, ERR_NOTFOUND, "no attempt %lld", id);
	}
	db_stmt_free(&q);
	return rc > 0 ? 0 : rc;
}

int db_attempt_end(struct db *db, long long id, const char *state,
		   const char *failure, const char *why, struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "UPDATE attempt SET state = ?, failure = ?, why = ?, "
		    "ended_s = ? WHERE id = ? AND state = 'leased'");
	int rc;

	db_bind_text(q, state);
	db_bind_text(q, failure);
	db_bind_text(q, why);
	db_bind_int(q, clock_wall_s());
	db_bind_int(q, id);
	rc = db_run(q, err);
	if (!rc && db_changes(db) != 1)
		rc = err_set(err, ERR_EXISTS, "attempt %lld has ended already",
			     id);
	return rc;
}

int db_attempt_median_s(struct db *db, const char *kind, long long box_id,
			double *out, struct err *err)
{
	bool any = !box_id && !strcmp(kind, "run");
	struct db_stmt *q = db_stmt(
		db, any ? "SELECT ended_s - started_s FROM (SELECT started_s, "
			  "ended_s FROM attempt WHERE state = 'done' "
			  "AND kind = ? ORDER BY id DESC LIMIT 50) ORDER BY 1"
			: "SELECT ended_s - started_s FROM (SELECT started_s, "
			  "ended_s FROM attempt INDEXED BY attempt_done "
			  "WHERE state = 'done' AND kind = ? AND box_id IS ? "
			  "ORDER BY id DESC LIMIT 50) ORDER BY 1");
	double v[50];
	size_t nr = 0;
	int rc;

	db_bind_text(q, kind);
	/* a build has no box */
	if (!any)
		db_bind_id(q, box_id);
	while ((rc = db_step(q, err)) > 0)
		v[nr++] = db_col_real(q, 0);
	db_stmt_free(&q);
	if (!rc)
		*out = nr ? v[nr / 2] : 0;
	return rc;
}
