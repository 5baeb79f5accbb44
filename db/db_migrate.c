// SPDX-License-Identifier: GPL-3.0-or-later
// Schema versions: the embedded schema files in order, each in one transaction
// together with its number, so that a kill leaves the old or the new, never
// something between.
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "db/db.h"
#include "db/db_private.h"

/* Leading number of "0001-first.sql"; 0 when there is none. */
static int number_of(const char *name)
{
	return (int)strtol(name, NULL, 10);
}

static int newest_of(const struct embed_file *files)
{
	int nr = 0;

	for (; files->name; files++)
		nr++;
	return nr;
}

int db_schema_newest(void)
{
	return newest_of(embed_db);
}

static int check_owner(struct db *db, long long version, struct err *err)
{
	long long app = 0;
	long long tables = 0;
	int rc;

	rc = db_get_int(db_stmt(db, "PRAGMA application_id"), &app, err);
	if (!rc)
		rc = db_get_int(
			db_stmt(db, "SELECT count(*) FROM sqlite_schema"),
			&tables, err);
	if (rc)
		return rc;
	if (app == DB_APPLICATION_ID || (!app && !tables && !version))
		return 0;
	return err_set(err, ERR_DATA,
		       "%s: an SQLite file, but not a database of Drover",
		       db->path);
}

/* One schema step: 0, or everything of it undone. */
static int apply(struct db *db, const struct embed_file *file, struct err *err)
{
	char *mark = xasprintf("PRAGMA application_id = %d;"
			       "PRAGMA user_version = %d",
			       DB_APPLICATION_ID, number_of(file->name));
	long long broken = 0;
	int rc;

	rc = db_begin(db, err);
	if (!rc)
		rc = db_exec(db, "PRAGMA defer_foreign_keys = ON", err);
	if (!rc)
		rc = db_exec(db, (const char *)file->data, err);
	if (!rc)
		rc = db_exec(db, mark, err);
	if (!rc)
		rc = db_get_int(
			db_stmt(db,
				"SELECT count(*) FROM pragma_foreign_key_check"),
			&broken, err);
	if (!rc && broken)
		rc = err_set(err, ERR_DATA,
			     "%lld rows would refer to nothing after it",
			     broken);
	if (!rc)
		rc = db_commit(db, err);
	db_rollback(db);
	free(mark);
	return rc ? err_wrap(err, "schema step %s", file->name) : 0;
}

static int check_version(struct db *db, long long version, int newest,
			 struct err *err)
{
	if (version > newest)
		return err_set(err, ERR_DATA,
			       "%s: schema %lld is of a newer Drover (this one "
			       "knows %d): update Drover",
			       db->path, version, newest);
	if (db->mode == DB_READ && version < newest)
		return err_set(err, ERR_DATA,
			       "%s: schema %lld is old (this Drover has %d): "
			       "start droverd once, it migrates the database",
			       db->path, version, newest);
	return 0;
}

int db_migrate(struct db *db, const struct embed_file *files, struct err *err)
{
	int newest = newest_of(files);
	long long version = 0;
	int rc;

	rc = db_get_int(db_stmt(db, "PRAGMA user_version"), &version, err);
	if (!rc)
		rc = check_owner(db, version, err);
	if (!rc)
		rc = check_version(db, version, newest, err);
	for (; !rc && version < newest; version++) {
		if (number_of(files[version].name) != (int)version + 1)
			return err_set(err, ERR_DATA,
				       "schema file %s is out of order",
				       files[version].name);
		rc = apply(db, &files[version], err);
	}
	return rc;
}
