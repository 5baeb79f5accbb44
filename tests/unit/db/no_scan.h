/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Questions that read a whole table, found by SQLite's own byte code: tables
 * that grow with every boot must not be walked by a daemon that does nothing
 * else meanwhile. Jobs may: they are listed, the newest first, up to a limit.
 */
#ifndef TESTS_UNIT_DB_NO_SCAN_H
#define TESTS_UNIT_DB_NO_SCAN_H

#include "db/db_private.h"
#include "tests/unit/db/fixture.h"

/* The table whose b-tree has this root, or whose index has; "" for one that
 * stays small, or for an index of the few rows that are open. */
static inline const char *scan_big_table(sqlite3 *handle, int root)
{
	static const char sql[] =
		"SELECT tbl_name FROM sqlite_schema WHERE rootpage = ? AND "
		"tbl_name IN ('plan', 'attempt', 'boot', 'run', "
		"'sample', 'kpi', 'comparison', 'bisect', 'bisect_step', "
		"'artifact', 'git_commit', 'event', 'outbox') AND "
		"name NOT IN ('comparison_open', 'bisect_running', "
		"'artifact_failed', 'artifact_done')";
	static char name[64];
	sqlite3_stmt *q;

	name[0] = '\0';
	assert_int_equal(sqlite3_prepare_v2(handle, sql, -1, &q, NULL), 0);
	sqlite3_bind_int(q, 1, root);
	if (sqlite3_step(q) == SQLITE_ROW)
		snprintf(name, sizeof(name), "%s",
			 (const char *)sqlite3_column_text(q, 0));
	sqlite3_finalize(q);
	return name;
}

/* From the first row to the last, the other way, or all counted. */
static inline bool scan_begins(const char *op)
{
	return !strcmp(op, "Rewind") || !strcmp(op, "Last") ||
	       !strcmp(op, "Count");
}

#define SCAN_CURSORS 64

static inline void assert_no_scan_in(sqlite3 *handle, const char *sql)
{
	char *explain = xasprintf("EXPLAIN %s", sql);
	int root[SCAN_CURSORS] = { 0 };
	int skip_to =
		0; /* what only a transaction that is broken anyway does */
	sqlite3_stmt *q;

	assert_int_equal(sqlite3_prepare_v2(handle, explain, -1, &q, NULL), 0);
	free(explain);
	while (sqlite3_step(q) == SQLITE_ROW) {
		const char *op = (const char *)sqlite3_column_text(q, 1);
		int cursor = sqlite3_column_int(q, 2);

		if (!strcmp(op, "FkIfZero"))
			skip_to = sqlite3_column_int(q, 3);
		if (sqlite3_column_int(q, 0) < skip_to || cursor < 0 ||
		    cursor >= SCAN_CURSORS)
			continue;
		if (!strcmp(op, "OpenRead") || !strcmp(op, "OpenWrite"))
			root[cursor] = sqlite3_column_int(q, 3);
		else if (!strncmp(op, "Open", 4))
			root[cursor] = 0;
		else if ((!strcmp(op, "Rewind") || !strcmp(op, "Count")) &&
			 root[cursor] && *scan_big_table(handle, root[cursor]))
			fail_msg("reads all of %s: %s",
				 scan_big_table(handle, root[cursor]), sql);
	}
	sqlite3_finalize(q);
}

/*
 * No statement that was prepared on @db so far reads all rows of a table that
 * grows. For tests that ask nothing by SQL of their own.
 */
static inline void assert_no_scans(struct db *db)
{
	char *sql[512];
	sqlite3_stmt *q = NULL;
	size_t nr = 0;
	size_t i;

	while ((q = sqlite3_next_stmt(db->handle, q)) && nr < 512)
		sql[nr++] = xstrdup(sqlite3_sql(q));
	assert_true(nr > 0);
	for (i = 0; i < nr; i++) {
		assert_no_scan_in(db->handle, sql[i]);
		free(sql[i]);
	}
}

#endif
