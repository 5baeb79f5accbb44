/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The one owner of the database: opening, migrating, transactions and prepared
 * statements with typed values. Typed queries by subject lie in db_<subject>.h;
 * no room but this one sees SQLite. Exactly one process writes (droverd); all
 * others read, since SQLite before 3.51.3 may lose a WAL that two connections
 * checkpoint.
 */
#ifndef DB_DB_H
#define DB_DB_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/json.h"

#define DB_APPLICATION_ID 0x44726f76 /* "Drov", in the file's header */

/* DB_WRITE: droverd alone; creates, migrates. DB_READ: everyone else. */
enum db_mode { DB_READ, DB_WRITE };

struct db;
struct db_stmt;

/*
 * Open the database file at @path. A writer holds "@path.lock", creates the
 * file, brings it to the newest schema (each step one transaction), keeps a
 * ballast file beside it; a reader wants the file there, with this schema.
 * Returns 0 with *@out owned by the caller (db_close).
 * ERR_NOTFOUND (reader, no file); ERR_BUSY (another process writes); ERR_DATA
 * (no Drover database, damaged, or of a newer or older Drover); ERR_IO.
 */
int db_open(const char *path, enum db_mode mode, struct db **out,
	    struct err *err);
/* Close and set *@db to NULL; a writer truncates the WAL. NULL is fine. */
void db_close(struct db **db);

/* --- transactions ----------------------------------------------------------
 */

/*
 * BEGIN IMMEDIATE … COMMIT with synchronous=FULL: what db_commit returned 0 for
 * is on the disk. No nesting. When db_commit fails everything is rolled back.
 * ERR_BUSY; ERR_IO ("database disk is full: …" when that is why).
 */
int db_begin(struct db *db, struct err *err);
int db_commit(struct db *db, struct err *err);
/* Undo the transaction; nothing happens outside of one. */
void db_rollback(struct db *db);
bool db_in_transaction(const struct db *db);
/*
 * A part inside a transaction, or inside another part, that can be undone
 * alone: begin, then end with @keep true or false.
 */
int db_part_begin(struct db *db, struct err *err);
int db_part_end(struct db *db, bool keep, struct err *err);
/*
 * End a part whose work came to @rc, with @why when that isn't 0: it is kept or
 * undone, and 0 returned. Where the database itself failed that is no fault of
 * the work: @rc is returned with @why in @err, for the transaction's end.
 */
int db_part_settle(struct db *db, int rc, const struct err *why,
		   struct err *err);
/*
 * One unchanging view for several SELECTs; for readers. End with
 * db_read_end. Keep it under a second: the WAL can't be truncated meanwhile.
 */
int db_read_begin(struct db *db, struct err *err);
void db_read_end(struct db *db);

/* --- statements ------------------------------------------------------------
 */

/*
 * A statement for @sql (one statement, static text, '?' for each value), taken
 * from the cache of prepared ones. Never NULL: what went wrong is remembered
 * and returned by the first db_step. Values are bound in order, each call the
 * next '?'. Give it back with db_stmt_free, or use a function that does.
 *
 *	q = db_stmt(db, "SELECT id, name FROM box WHERE state = ?");
 *	db_bind_text(q, "ready");
 *	while ((rc = db_step(q, err)) > 0)
 *		use(db_col_int(q, 0), db_col_text(q, 1));
 *	db_stmt_free(&q);
 */
struct db_stmt *db_stmt(struct db *db, const char *sql);
/* Back into the cache; *@q becomes NULL. NULL is fine. */
void db_stmt_free(struct db_stmt **q);

void db_bind_int(struct db_stmt *q, long long value);
/* A row id; 0 binds NULL. */
void db_bind_id(struct db_stmt *q, long long id);
/* Not finite: the statement fails with ERR_DATA. */
void db_bind_real(struct db_stmt *q, double value);
/* Copied; NULL binds NULL. Bad UTF-8 is stored with U+FFFD in its place. */
void db_bind_text(struct db_stmt *q, const char *text);
/* Compact JSON text of @value (borrowed); NULL binds NULL. */
void db_bind_json(struct db_stmt *q, const json_t *value);
void db_bind_null(struct db_stmt *q);

/* 1: a row is there; 0: no more; negative: ERR_EXISTS (a UNIQUE column),
 * ERR_DATA (another constraint, a bad value), ERR_BUSY, ERR_IO. */
int db_step(struct db_stmt *q, struct err *err);
/* Run a statement that returns no rows and free it. */
int db_run(struct db_stmt *q, struct err *err);
/* db_run for one INSERT; *@out_id (may be NULL) is the new row id. */
int db_insert(struct db_stmt *q, long long *out_id, struct err *err);
/* First column of the first row, then free. ERR_NOTFOUND: no row. */
int db_get_int(struct db_stmt *q, long long *out, struct err *err);
/* The same as text owned by the caller (never NULL). */
int db_get_text(struct db_stmt *q, char **out, struct err *err);
/*
 * All rows as a JSON array of objects, then free: a member per column under its
 * name. NULL becomes null; a column named x_json is parsed and becomes "x".
 * New reference; NULL on error (ERR_LIMIT past 100,000 rows).
 */
json_t *db_rows(struct db_stmt *q, struct err *err);
/* The first row alone as such an object. ERR_NOTFOUND: no row. */
json_t *db_row(struct db_stmt *q, struct err *err);
/* Rows changed by the last INSERT, UPDATE or DELETE that ended. */
int db_changes(const struct db *db);

/*
 * Columns of the row, from 0. NULL reads as 0, 0.0, "". db_col_text is borrowed
 * until the next db_step or db_stmt_free.
 */
long long db_col_int(const struct db_stmt *q, int col);
double db_col_real(const struct db_stmt *q, int col);
const char *db_col_text(const struct db_stmt *q, int col);
bool db_col_null(const struct db_stmt *q, int col);
/* A copy owned by the caller; never NULL. */
char *db_col_dup(const struct db_stmt *q, int col);
/* Parsed; new reference. NULL for NULL and for text that is no JSON. */
json_t *db_col_json(const struct db_stmt *q, int col);

/* --- care ------------------------------------------------------------------
 */

/* Move the WAL into the file and truncate it; for idle moments of the writer.
 * Does nothing while a reader needs it. */
void db_checkpoint(struct db *db);
/* Whether the last error was for want of room on the disk. */
bool db_is_full(const struct db *db);
/*
 * Whether, since the last db_begin, the file couldn't be read or written: what
 * went wrong is no fault of the work at hand, which is tried again.
 */
bool db_has_failed(const struct db *db);
/*
 * The ballast: room kept free by a file, so that a full disk still takes the
 * few rows that free more. drop gives the room to SQLite, keep takes it again
 * (ERR_IO when there is no room for it; then there is none either).
 */
void db_ballast_drop(struct db *db);
int db_ballast_keep(struct db *db, struct err *err);
/* PRAGMA integrity_check and foreign_key_check. ERR_DATA with the first find.
 */
int db_check(struct db *db, struct err *err);
/* A consistent copy into the new file @path while others write. ERR_EXISTS,
 * ERR_IO. */
int db_backup(struct db *db, const char *path, struct err *err);
/* Number of the newest schema this program knows. */
int db_schema_newest(void);

#endif
