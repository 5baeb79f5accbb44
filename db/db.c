// SPDX-License-Identifier: GPL-3.0-or-later
// Opening and closing the database, its settings, transactions, its errors.
#include "db/db.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "db/db_private.h"

#define BUSY_TIMEOUT_MS 5000

/* Each is explained in shared words by docs: durable acks, no trust in a file
 * that somebody may have edited, a WAL that is small at rest. */
static const char settings[] = "PRAGMA foreign_keys = ON;"
			       "PRAGMA trusted_schema = OFF;"
			       "PRAGMA cell_size_check = ON;"
			       "PRAGMA temp_store = MEMORY;"
			       "PRAGMA cache_size = -16384;"
			       "PRAGMA synchronous = FULL;";
static const char writer_settings[] = "PRAGMA journal_mode = WAL;"
				      "PRAGMA wal_autocheckpoint = 1000;"
				      "PRAGMA journal_size_limit = 16777216;";

static int code_of(const struct db *db, int rc)
{
	switch (rc & 0xff) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return ERR_BUSY;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		return ERR_DATA;
	case SQLITE_CONSTRAINT:
		rc = sqlite3_extended_errcode(db->handle);
		return rc == SQLITE_CONSTRAINT_UNIQUE ||
				       rc == SQLITE_CONSTRAINT_PRIMARYKEY
			       ? ERR_EXISTS
			       : ERR_DATA;
	default:
		return ERR_IO;
	}
}

/* A WAL index that can't grow is an I/O error to SQLite, but ENOSPC to us. */
static bool says_full(struct db *db, int rc)
{
	return (rc & 0xff) == SQLITE_FULL ||
	       ((rc & 0xff) == SQLITE_IOERR &&
		sqlite3_system_errno(db->handle) == ENOSPC);
}

/* Trouble of the file or the machine, not of a statement or its values. */
static bool says_failed(int rc)
{
	switch (rc & 0xff) {
	case SQLITE_FULL:
	case SQLITE_IOERR:
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
	case SQLITE_NOMEM:
	case SQLITE_READONLY:
	case SQLITE_CANTOPEN:
	case SQLITE_PROTOCOL:
		return true;
	default:
		return false;
	}
}

int db_fail(struct db *db, int rc, const char *what, struct err *err)
{
	const char *text = sqlite3_errmsg(db->handle);

	db->full = says_full(db, rc);
	db->failed |= says_failed(rc);
	if (db->full)
		return err_set(err, ERR_IO,
			       "database disk is full: %s: nothing was "
			       "stored; free some room there",
			       db->path);
	if ((rc & 0xff) == SQLITE_NOTADB)
		return err_set(err, ERR_DATA,
			       "%s is no database: move it away, or name "
			       "another state_dir",
			       db->path);
	if ((rc & 0xff) == SQLITE_CORRUPT)
		return err_set(err, ERR_DATA,
			       "%s is damaged (%s): put a backup in its place",
			       db->path, text);
	if ((rc & 0xff) == SQLITE_BUSY)
		return err_set(err, ERR_BUSY,
			       "%s: the database is held by another process "
			       "(%s)",
			       db->path, what);
	/* the reason first: a schema step is longer than the sentence may be */
	return err_set(err, code_of(db, rc), "%s: %s: %s", db->path, text,
		       what);
}

int db_exec(struct db *db, const char *sql, struct err *err)
{
	int rc = sqlite3_exec(db->handle, sql, NULL, NULL, NULL);

	return rc ? db_fail(db, rc, sql, err) : 0;
}

/* An old Drover's double-quoted "strings" and edited schemas can't bite. */
static void harden(sqlite3 *handle)
{
	sqlite3_db_config(handle, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
	sqlite3_db_config(handle, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
	sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_extended_result_codes(handle, 1);
	sqlite3_busy_timeout(handle, BUSY_TIMEOUT_MS);
	sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0);
}

static int open_handle(struct db *db, struct err *err)
{
	int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE |
		    (db->mode == DB_WRITE
			     ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
			     : SQLITE_OPEN_READONLY);
	int rc = sqlite3_open_v2(db->path, &db->handle, flags, NULL);

	if (!db->handle)
		return err_set(err, ERR_IO, "%s: out of memory", db->path);
	if (rc)
		return db_fail(db, rc, "open", err);
	harden(db->handle);
	rc = db_exec(db, settings, err);
	if (!rc && db->mode == DB_WRITE)
		rc = db_exec(db, writer_settings, err);
	return rc;
}

static int take_lock(struct db *db, struct err *err)
{
	char *path = xasprintf("%s.lock", db->path);
	int fd = file_lock(path, err);

	free(path);
	if (fd == ERR_BUSY)
		return err_set(err, ERR_BUSY,
			       "%s: another droverd writes this database",
			       db->path);
	if (fd < 0)
		return fd;
	db->lock_fd = fd;
	return 0;
}

int db_open(const char *path, enum db_mode mode, struct db **out,
	    struct err *err)
{
	struct db *db = xcalloc(1, sizeof(*db));
	int rc = 0;

	db->path = xstrdup(path);
	db->mode = mode;
	db->lock_fd = -1;
	if (mode == DB_READ && !file_exists(path))
		rc = err_set(err, ERR_NOTFOUND, "%s: no database there", path);
	if (!rc && mode == DB_WRITE)
		rc = take_lock(db, err);
	if (!rc)
		rc = open_handle(db, err);
	if (!rc)
		rc = db_migrate(db, embed_db, err);
	if (!rc && mode == DB_WRITE && db_ballast_keep(db, NULL))
		db->full = true;
	if (rc) {
		db_close(&db);
		return rc;
	}
	*out = db;
	return 0;
}

void db_close(struct db **dbp)
{
	struct db *db = *dbp;

	if (!db)
		return;
	*dbp = NULL;
	if (db->handle) {
		db_rollback(db);
		db_stmt_clear(db);
		if (db->mode == DB_WRITE)
			db_checkpoint(db);
		sqlite3_close(db->handle);
	}
	if (db->lock_fd >= 0)
		close(db->lock_fd);
	free(db->path);
	free(db);
}

bool db_in_transaction(const struct db *db)
{
	return !sqlite3_get_autocommit(db->handle);
}

int db_begin(struct db *db, struct err *err)
{
	db->full = false;
	db->failed = false;
	return db_exec(db, "BEGIN IMMEDIATE", err);
}

int db_commit(struct db *db, struct err *err)
{
	int rc = db_exec(db, "COMMIT", err);

	if (rc)
		db_rollback(db);
	return rc;
}

/* SQLite may have rolled back by itself (full disk, I/O error). */
void db_rollback(struct db *db)
{
	if (db_in_transaction(db))
		db_exec(db, "ROLLBACK", NULL);
}

int db_part_begin(struct db *db, struct err *err)
{
	return db_exec(db, "SAVEPOINT part", err);
}

int db_part_end(struct db *db, bool keep, struct err *err)
{
	if (keep)
		return db_exec(db, "RELEASE part", err);
	return db_exec(db, "ROLLBACK TO part; RELEASE part", err);
}

int db_part_settle(struct db *db, int rc, const struct err *why,
		   struct err *err)
{
	if (rc && (db_has_failed(db) || !db_in_transaction(db)))
		return err_set(err, rc, "%s", why->text);
	return db_part_end(db, !rc, err);
}

int db_read_begin(struct db *db, struct err *err)
{
	return db_exec(db, "BEGIN", err);
}

void db_read_end(struct db *db)
{
	if (db_in_transaction(db))
		db_exec(db, "COMMIT", NULL);
}

int db_changes(const struct db *db)
{
	return sqlite3_changes(db->handle);
}

bool db_is_full(const struct db *db)
{
	return db->full;
}

bool db_has_failed(const struct db *db)
{
	return db->failed;
}
