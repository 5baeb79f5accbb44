// SPDX-License-Identifier: GPL-3.0-or-later
// Care for the database file: checkpoint, ballast for a full disk, integrity
// check, online backup.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "db/db.h"
#include "db/db_private.h"

#define BALLAST_BYTES	  (4 << 20)
#define BACKUP_PAGES	  256
#define BACKUP_WAIT_MS	  50
#define BACKUP_MAX_ROUNDS 100000

void db_checkpoint(struct db *db)
{
	if (db->mode == DB_WRITE && !db_in_transaction(db))
		sqlite3_wal_checkpoint_v2(db->handle, NULL,
					  SQLITE_CHECKPOINT_TRUNCATE, NULL,
					  NULL);
}

static char *ballast_path(const struct db *db)
{
	return xasprintf("%s.ballast", db->path);
}

void db_ballast_drop(struct db *db)
{
	char *path = ballast_path(db);

	unlink(path);
	free(path);
}

int db_ballast_keep(struct db *db, struct err *err)
{
	char *path = ballast_path(db);
	int rc = 0;
	int fd;

	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		rc = err_errno(err, ERR_IO, "%s", path);
	if (fd >= 0) {
		errno = posix_fallocate(fd, 0, BALLAST_BYTES);
		if (errno)
			rc = err_errno(err, ERR_IO, "%s", path);
		close(fd);
	}
	if (rc)
		unlink(path);
	else
		db->full = false;
	free(path);
	return rc;
}

static int first_line(struct db *db, const char *sql, const char *good,
		      struct err *err)
{
	struct db_stmt *q = db_stmt(db, sql);
	int rc = db_step(q, err);

	if (rc > 0 && (!good || strcmp(db_col_text(q, 0), good) != 0))
		rc = err_set(err, ERR_DATA, "%s: damaged: %s", db->path,
			     db_col_text(q, 0));
	db_stmt_free(&q);
	return rc < 0 ? rc : 0;
}

int db_check(struct db *db, struct err *err)
{
	int rc = first_line(db, "PRAGMA integrity_check(1)", "ok", err);

	if (!rc)
		rc = first_line(db,
				"SELECT 'row ' || rowid || ' of ' || \"table\" "
				"|| ' refers to nothing in ' || parent FROM "
				"pragma_foreign_key_check LIMIT 1",
				NULL, err);
	return rc;
}

/* Pages go over in small steps, so that the writer is never held up. */
static int copy_pages(sqlite3_backup *job)
{
	int rounds = 0;
	int rc;

	do {
		rc = sqlite3_backup_step(job, BACKUP_PAGES);
		if (rc == SQLITE_BUSY || rc == SQLITE_LOCKED)
			sqlite3_sleep(BACKUP_WAIT_MS);
	} while (
		(rc == SQLITE_OK || rc == SQLITE_BUSY || rc == SQLITE_LOCKED) &&
		++rounds < BACKUP_MAX_ROUNDS);
	return rc;
}

int db_backup(struct db *db, const char *path, struct err *err)
{
	char *tmp = xasprintf("%s.part", path);
	sqlite3_backup *job = NULL;
	sqlite3 *to = NULL;
	int rc;

	if (file_exists(path)) {
		free(tmp);
		return err_set(err, ERR_EXISTS, "%s: there already", path);
	}
	unlink(tmp);
	rc = sqlite3_open_v2(tmp, &to,
			     SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
	if (!rc)
		job = sqlite3_backup_init(to, "main", db->handle, "main");
	if (job)
		copy_pages(job);
	sqlite3_backup_finish(job);
	rc = to ? sqlite3_errcode(to) : SQLITE_NOMEM;
	if (!rc)
		rc = sqlite3_exec(to, "PRAGMA journal_mode = DELETE", NULL,
				  NULL, NULL);
	if (rc)
		err_set(err, ERR_IO, "%s: backup failed: %s", path,
			to ? sqlite3_errmsg(to) : "out of memory");
	sqlite3_close(to);
	if (!rc && rename(tmp, path))
		rc = err_errno(err, ERR_IO, "%s", path);
	if (rc)
		unlink(tmp);
	free(tmp);
	return rc ? ERR_IO : 0;
}
