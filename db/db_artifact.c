// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of artifact: what is wanted, built, failed.
#include <stdlib.h>

#include "db/db_plan.h"

void db_artifact_release(struct db_artifact *a)
{
	free(a->tree);
	free(a->kconfig);
	free(a->state);
	free(a->key);
	free(a->kernel_path);
	free(a->build_id);
	free(a->why);
	*a = (struct db_artifact){ 0 };
}

int db_artifact_want(struct db *db, long long commit_id, long long layout,
		     long long *out_id, struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "INSERT INTO artifact (repo_id, tree, kconfig, layout, "
		    "commit_id, state) SELECT r.id, c.tree, r.kconfig, ?, c.id,"
		    " 'wanted' FROM git_commit c JOIN repo r "
		    "ON r.id = c.repo_id WHERE c.id = ? "
		    "ON CONFLICT (repo_id, tree, kconfig, layout) DO NOTHING");
	int rc;

	db_bind_int(q, layout);
	db_bind_int(q, commit_id);
	rc = db_run(q, err);
	if (rc)
		return rc;
	q = db_stmt(db, "SELECT a.id FROM git_commit c JOIN repo r "
			"ON r.id = c.repo_id JOIN artifact a "
			"ON a.repo_id = r.id AND a.tree = c.tree AND "
			"a.kconfig = r.kconfig AND a.layout = ? "
			"WHERE c.id = ?");
	db_bind_int(q, layout);
	db_bind_int(q, commit_id);
	rc = db_get_int(q, out_id, err);
	return rc == ERR_NOTFOUND
		       ? err_set(err, rc, "no commit row %lld", commit_id)
		       : rc;
}

static void read_artifact(const struct db_stmt *q, struct db_artifact *out)
{
	out->id = db_col_int(q, 0);
	out->repo_id = db_col_int(q, 1);
	out->commit_id = db_col_int(q, 2);
	out->layout = db_col_int(q, 3);
	out->seconds = db_col_real(q, 4);
	out->tree = db_col_dup(q, 5);
	out->kconfig = db_col_dup(q, 6);
	out->state = db_col_dup(q, 7);
	out->key = db_col_dup(q, 8);
	out->kernel_path = db_col_dup(q, 9);
	out->build_id = db_col_dup(q, 10);
	out->why = db_col_dup(q, 11);
}

int db_artifact_get(struct db *db, long long id, struct db_artifact *out,
		    struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "SELECT id, repo_id, commit_id, layout, seconds, tree, "
		    "kconfig, state, key, kernel_path, build_id, why "
		    "FROM artifact WHERE id = ?");
	int rc;

	*out = (struct db_artifact){ 0 };
	db_bind_int(q, id);
	rc = db_step(q, err);
	if (rc > 0)
		read_artifact(q, out);
	else if (!rc)
		rc = err_set(err, ERR_NOTFOUND, "no artifact %lld", id);
	db_stmt_free(&q);
	return rc > 0 ? 0 : rc;
}

int db_artifact_set_state(struct db *db, long long id, const char *state,
			  struct err *err)
{
	struct db_stmt *q =
		db_stmt(db, "UPDATE artifact SET state = ? WHERE id = ?");

	db_bind_text(q, state);
	db_bind_int(q, id);
	return db_run(q, err);
}

int db_artifact_done(struct db *db, const struct db_artifact *a,
		     struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "UPDATE artifact SET state = 'done', key = ?, "
		    "kernel_path = ?, build_id = ?, seconds = ?, why = '' "
		    "WHERE id = ?");

	db_bind_text(q, a->key);
	db_bind_text(q, a->kernel_path);
	db_bind_text(q, a->build_id);
	db_bind_real(q, a->seconds);
	db_bind_int(q, a->id);
	return db_run(q, err);
}

int db_artifact_failed(struct db *db, long long id, const char *why,
		       struct err *err)
{
	struct db_stmt *q = db_stmt(db, "UPDATE artifact SET state = 'failed', "
					"why = ? WHERE id = ?");

	db_bind_text(q, why);
	db_bind_int(q, id);
	return db_run(q, err);
}
