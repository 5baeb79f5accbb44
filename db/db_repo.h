/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Repositories and the commits of them that Drover had to know. */
#ifndef DB_DB_REPO_H
#define DB_DB_REPO_H

#include "db/db.h"

/* A row of repo; strings owned (db_repo_release). */
struct db_repo {
	long long id;
	char *name;
	char *path;
	char *url;
	char *branch;
	char *kconfig; /* fragment files, separated by newlines */
};

void db_repo_release(struct db_repo *repo);

/* Insert, or update the row of that name. Borrowed strings. */
int db_repo_put(struct db *db, const struct db_repo *repo, long long *out_id,
		struct err *err);
int db_repo_get(struct db *db, long long id, struct db_repo *out,
		struct err *err);
/*
 * By name; "" stands for the only one there is. ERR_NOTFOUND names what there
 * is; ERR_USAGE when "" could mean several.
 */
int db_repo_find(struct db *db, const char *name, struct db_repo *out,
		 struct err *err);

/* A row of git_commit; strings owned (db_commit_release). */
struct db_commit {
	long long id;
	long long repo_id;
	long long authored_s;
	char *sha;
	char *tree;
	char *subject;
	char *author_name;
	char *author_email;
};

void db_commit_release(struct db_commit *commit);

/* The row of (repo_id, sha), inserted when missing. */
int db_commit_put(struct db *db, const struct db_commit *commit,
		  long long *out_id, struct err *err);
int db_commit_get(struct db *db, long long id, struct db_commit *out,
		  struct err *err);

#endif
