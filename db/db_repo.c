// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of repo and git_commit.
#include "db/db_repo.h"

#include <stdlib.h>

#include "base/str.h"

void db_repo_release(struct db_repo *repo)
{
	free(repo->name);
	free(repo->path);
	free(repo->url);
	free(repo->branch);
	free(repo->kconfig);
	*repo = (struct db_repo){ 0 };
}

int db_repo_put(struct db *db, const struct db_repo *repo, long long *out_id,
		struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "INSERT INTO repo (name, path, url, branch, kconfig) "
		    "VALUES (?, ?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET "
		    "path = excluded.path, url = excluded.url, "
		    "branch = excluded.branch, kconfig = excluded.kconfig");
	int rc;

	db_bind_text(q, repo->name);
	db_bind_text(q, repo->path);
	db_bind_text(q, repo->url ? repo->url : "");
	db_bind_text(q, repo->branch ? repo->branch : "");
	db_bind_text(q, repo->kconfig ? repo->kconfig : "");
	rc = db_run(q, err);
	if (rc)
		return rc;
	q = db_stmt(db, "SELECT id FROM repo WHERE name = ?");
	db_bind_text(q, repo->name);
	return db_get_int(q, out_id, err);
}

#define REPO_COLUMNS "SELECT id, name, path, url, branch, kconfig FROM repo"

static void read_repo(const struct db_stmt *q, struct db_repo *out)
{
	out->id = db_col_int(q, 0);
	out->name = db_col_dup(q, 1);
	out->path = db_col_dup(q, 2);
	out->url = db_col_dup(q, 3);
	out->branch = db_col_dup(q, 4);
	out->kconfig = db_col_dup(q, 5);
}

int db_repo_get(struct db *db, long long id, struct db_repo *out,
		struct err *err)
{
	struct db_stmt *q = db_stmt(db, REPO_COLUMNS " WHERE id = ?");
	int rc;

	*out = (struct db_repo){ 0 };
	db_bind_int(q, id);
	rc = db_step(q, err);
	if (rc > 0)
		read_repo(q, out);
	else if (!rc)
		rc = err_set(err, ERR_NOTFOUND, "no repository %lld", id);
	db_stmt_free(&q);
	return rc > 0 ? 0 : rc;
}

/* "a, b, c", or what to do when there is none. */
static void say_names(struct db *db, struct str *out)
{
	struct db_stmt *q = db_stmt(db, "SELECT name FROM repo ORDER BY name");

	while (db_step(q, NULL) > 0)
		str_addf(out, "%s%s", out->len ? ", " : "", db_col_text(q, 0));
	db_stmt_free(&q);
	if (!out->len)
		str_add(out, "none: set repos in the configuration, or use "
			     "drover repo add");
}

int db_repo_find(struct db *db, const char *name, struct db_repo *out,
		 struct err *err)
{
	struct db_stmt *q =
		db_stmt(db, REPO_COLUMNS " WHERE name = ? OR ? = '' LIMIT 2");
	struct str names = STR_INIT;
	int rc;

	*out = (struct db_repo){ 0 };
	db_bind_text(q, name);
	db_bind_text(q, name);
	rc = db_step(q, err);
	if (rc > 0) {
		read_repo(q, out);
		rc = db_step(q, err);
		say_names(db, &names);
		if (rc > 0)
			rc = err_set(err, ERR_USAGE,
				     "which repository? There are: %s",
				     names.p);
	} else if (!rc) {
		say_names(db, &names);
		rc = err_set(err, ERR_NOTFOUND,
			     "no repository \"%s\"; there are: %s", name,
			     names.p);
	}
	db_stmt_free(&q);
	str_release(&names);
	if (rc)
		db_repo_release(out);
	return rc;
}

void db_commit_release(struct db_commit *commit)
{
	free(commit->sha);
	free(commit->tree);
	free(commit->subject);
	free(commit->author_name);
	free(commit->author_email);
	*commit = (struct db_commit){ 0 };
}

int db_commit_put(struct db *db, const struct db_commit *commit,
		  long long *out_id, struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "INSERT INTO git_commit (repo_id, sha, tree, subject, "
		    "author_name, author_email, authored_s) "
		    "VALUES (?, ?, ?, ?, ?, ?, ?) "
		    "ON CONFLICT (repo_id, sha) DO NOTHING");
	int rc;

	db_bind_int(q, commit->repo_id);
	db_bind_text(q, commit->sha);
	db_bind_text(q, commit->tree);
	db_bind_text(q, commit->subject);
	db_bind_text(q, commit->author_name);
	db_bind_text(q, commit->author_email);
	db_bind_int(q, commit->authored_s);
	rc = db_run(q, err);
	if (rc)
		return rc;
	q = db_stmt(db,
		    "SELECT id FROM git_commit WHERE repo_id = ? AND sha = ?");
	db_bind_int(q, commit->repo_id);
	db_bind_text(q, commit->sha);
	return db_get_int(q, out_id, err);
}

int db_commit_get(struct db *db, long long id, struct db_commit *out,
		  struct err *err)
{
	struct db_stmt *q = db_stmt(
		db, "SELECT id, repo_id, authored_s, sha, tree, subject, "
		    "author_name, author_email FROM git_commit WHERE id = ?");
	int rc;

	*out = (struct db_commit){ 0 };
	db_bind_int(q, id);
	rc = db_step(q, err);
	if (rc > 0) {
		out->id = db_col_int(q, 0);
		out->repo_id = db_col_int(q, 1);
		out->authored_s = db_col_int(q, 2);
		out->sha = db_col_dup(q, 3);
		out->tree = db_col_dup(q, 4);
		out->subject = db_col_dup(q, 5);
		out->author_name = db_col_dup(q, 6);
		out->author_email = db_col_dup(q, 7);
	} else if (!rc) {
		rc = err_set(err, ERR_NOTFOUND, "no commit row %lld", id);
	}
	db_stmt_free(&q);
	return rc > 0 ? 0 : rc;
}
