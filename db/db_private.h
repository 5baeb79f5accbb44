/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files that touch the SQLite handle share; nobody else includes it.
 */
#ifndef DB_DB_PRIVATE_H
#define DB_DB_PRIVATE_H

#include <sqlite3.h>

#include "base/embed.h"
#include "db/db.h"

/* All SQL is static text, so the cache is bounded by the program's size. */
#define DB_CACHE_CHAINS 256

/*
 * @lock_fd holds "@path.lock" for a writer, else -1. @cache: free statements,
 * chained by a hash of their text. @full: the last error was a full disk.
 * @failed: since the last BEGIN the file couldn't be read or written.
 */
struct db {
	sqlite3 *handle;
	char *path;
	enum db_mode mode;
	int lock_fd;
	bool full;
	bool failed;
	struct db_stmt *cache[DB_CACHE_CHAINS];
};

/* Put the handle's last error for result code @rc into @err, after @what. */
int db_fail(struct db *db, int rc, const char *what, struct err *err);
/* Run SQL text of one or more statements without values or rows. */
int db_exec(struct db *db, const char *sql, struct err *err);
/* Drop all cached statements. */
void db_stmt_clear(struct db *db);

/*
 * Bring a writer's database to the newest schema of @files (names
 * "NNNN-….sql", counted from 1 without a gap), or check that a reader's has it.
 * Errors as db_open.
 */
int db_migrate(struct db *db, const struct embed_file *files, struct err *err);

#endif
