// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of db/db_migrate.c: steps are applied whole, in order, and only
// forward.
#include "tests/unit/test.h"

#include "db/db_private.h"
#include "tests/unit/db/fixture.h"

#define STEP(name, sql)                                             \
	{                                                           \
		name, (const unsigned char *)(sql), sizeof(sql) - 1 \
	}

static const struct embed_file one[] = {
	STEP("0001-first.sql", "CREATE TABLE a (x INTEGER) STRICT;"
			       "INSERT INTO a VALUES (1);"),
	{ NULL, NULL, 0 },
};
static const struct embed_file two[] = {
	STEP("0001-first.sql", "CREATE TABLE a (x INTEGER) STRICT;"
			       "INSERT INTO a VALUES (1);"),
	STEP("0002-more.sql", "ALTER TABLE a ADD COLUMN y TEXT;"
			      "UPDATE a SET y = 'new';"),
	{ NULL, NULL, 0 },
};
static const struct embed_file broken[] = {
	STEP("0001-first.sql", "CREATE TABLE a (x INTEGER) STRICT;"
			       "INSERT INTO a VALUES (1);"),
	STEP("0002-bad.sql", "UPDATE a SET x = 2; UPDATE nothing SET x = 1;"),
	{ NULL, NULL, 0 },
};
static const struct embed_file gap[] = {
	STEP("0001-first.sql", "CREATE TABLE a (x INTEGER) STRICT;"),
	STEP("0003-third.sql", "CREATE TABLE b (x INTEGER) STRICT;"),
	{ NULL, NULL, 0 },
};

/* A bare handle, as db_open has it before it migrates. */
struct bare {
	char dir[64];
	struct db db;
};

static void open_bare(struct bare *b)
{
	memset(&b->db, 0, sizeof(b->db));
	snprintf(b->dir, sizeof(b->dir), "/tmp/drover-mig-XXXXXX");
	assert_non_null(mkdtemp(b->dir));
	b->db.path = file_join(b->dir, "x.db");
	b->db.mode = DB_WRITE;
	b->db.lock_fd = -1;
	assert_int_equal(sqlite3_open(b->db.path, &b->db.handle), SQLITE_OK);
}

static void close_bare(struct bare *b)
{
	db_stmt_clear(&b->db);
	sqlite3_close(b->db.handle);
	free(b->db.path);
	file_remove_tree(b->dir, NULL);
}

static long long number(struct bare *b, const char *sql)
{
	long long v = -1;

	db_get_int(db_stmt(&b->db, sql), &v, NULL);
	return v;
}

static void steps_are_applied_once_and_in_order(void **state)
{
	struct bare b;
	int i;

	(void)state;
	open_bare(&b);
	assert_int_equal(db_migrate(&b.db, one, NULL), 0);
	assert_int_equal(number(&b, "PRAGMA user_version"), 1);
	assert_int_equal(number(&b, "PRAGMA application_id"),
			 DB_APPLICATION_ID);
	for (i = 0; i < 2; i++)
		assert_int_equal(db_migrate(&b.db, two, NULL), 0);
	assert_int_equal(number(&b, "PRAGMA user_version"), 2);
	assert_int_equal(number(&b, "SELECT count(*) FROM a WHERE y = 'new'"),
			 1);
	close_bare(&b);
}

static void a_step_that_fails_leaves_the_old_schema(void **state)
{
	struct err err = { 0 };
	struct bare b;

	(void)state;
	open_bare(&b);
	assert_int_equal(db_migrate(&b.db, one, NULL), 0);
	assert_true(db_migrate(&b.db, broken, &err) < 0);
	assert_contains(err.text, "0002-bad.sql");
	assert_int_equal(number(&b, "PRAGMA user_version"), 1);
	assert_int_equal(number(&b, "SELECT x FROM a"), 1);
	assert_false(db_in_transaction(&b.db));
	close_bare(&b);
}

static void newer_old_and_foreign_files_are_told_apart(void **state)
{
	struct err err = { 0 };
	struct bare b;

	(void)state;
	open_bare(&b);
	assert_int_equal(db_migrate(&b.db, two, NULL), 0);
	assert_int_equal(db_migrate(&b.db, one, &err), ERR_DATA);
	assert_contains(err.text, "newer Drover");
	db_exec(&b.db, "PRAGMA user_version = 1", NULL);
	b.db.mode = DB_READ;
	assert_int_equal(db_migrate(&b.db, two, &err), ERR_DATA);
	assert_contains(err.text, "start droverd once");
	db_exec(&b.db, "PRAGMA application_id = 7", NULL);
	assert_int_equal(db_migrate(&b.db, two, &err), ERR_DATA);
	assert_contains(err.text, "not a database of Drover");
	close_bare(&b);
}

static void a_gap_in_the_numbers_is_our_own_mistake(void **state)
{
	struct err err = { 0 };
	struct bare b;

	(void)state;
	open_bare(&b);
	assert_int_equal(db_migrate(&b.db, gap, &err), ERR_DATA);
	assert_contains(err.text, "0003-third.sql is out of order");
	assert_int_equal(number(&b, "PRAGMA user_version"), 1);
	close_bare(&b);
}

static void the_embedded_steps_are_numbered_without_a_gap(void **state)
{
	const struct embed_file *f = embed_db;
	int nr;

	(void)state;
	for (nr = 1; f->name; nr++, f++)
		assert_int_equal(strtol(f->name, NULL, 10), nr);
	assert_int_equal(db_schema_newest(), nr - 1);
}

/* What the first schema held survives; what it lacked is there, and empty. */
static void the_first_schema_learns_of_calibrations(void **state)
{
	const struct embed_file first[] = { embed_db[0], { NULL, NULL, 0 } };
	struct bare b;

	(void)state;
	open_bare(&b);
	assert_int_equal(db_migrate(&b.db, first, NULL), 0);
	assert_int_equal(
		db_exec(&b.db,
			"INSERT INTO box (name, tbox_group, state, spec_json) "
			"VALUES ('a', 'g', 'ready', '{}')",
			NULL),
		0);
	assert_int_equal(db_migrate(&b.db, embed_db, NULL), 0);
	assert_int_equal(number(&b, "SELECT count(*) FROM box WHERE "
				    "name = 'a' AND invariants_json = '{}'"),
			 1);
	assert_int_equal(number(&b, "SELECT count(*) FROM calibration"), 0);
	assert_int_equal(number(&b, "SELECT count(*) FROM calibration_metric"),
			 0);
	assert_int_equal(number(&b, "SELECT count(*) FROM rejected_boot"), 0);
	/* STRICT: a word is no number */
	assert_true(db_exec(&b.db,
			    "INSERT INTO rejected_boot (attempt_id, box_id, "
			    "commit_id, layout, at_s, invariants_json, why) "
			    "VALUES (1, 1, 1, 'x', 1, '{}', '')",
			    NULL) < 0);
	close_bare(&b);
}

#define TWO_COMPARISONS                                                      \
	"INSERT INTO repo VALUES (1, 'r', 'p', '', '', '');"                 \
	"INSERT INTO git_commit VALUES (1, 1, 'a', 't', '', '', '', 0);"     \
	"INSERT INTO box (id, name, tbox_group, state, spec_json) "          \
	"VALUES (1, 'b', 'g', 'ready', '{}');"                               \
	"INSERT INTO job (id, created_s, uid, repo_id, base_id, head_id, "   \
	"name, yaml, options_json, state) "                                  \
	"VALUES (1, 0, 0, 1, 1, 1, 'j', '', '{}', 'done');"                  \
	"INSERT INTO series VALUES (1, 1, 't', 'p', '{}', 'g', '', '', '');" \
	"INSERT INTO comparison (job_id, series_id, box_id, base_id, "       \
	"head_id, state, created_s, evidence_json) VALUES "                  \
	"(1, 1, 1, 1, 1, 'done', 0, '{\"report\": \"r@example.org\"}'), "    \
	"(1, 1, 1, 1, 1, 'done', 0, '{}')"

/* The report that a comparison heads is found without looking into all. */
static void the_second_schema_learns_of_reports(void **state)
{
	const struct embed_file second[] = { embed_db[0],
					     embed_db[1],
					     { NULL, NULL, 0 } };
	struct bare b;

	(void)state;
	open_bare(&b);
	assert_int_equal(db_migrate(&b.db, second, NULL), 0);
	assert_int_equal(db_exec(&b.db, TWO_COMPARISONS, NULL), 0);
	assert_int_equal(db_migrate(&b.db, embed_db, NULL), 0);
	assert_int_equal(number(&b, "SELECT count(*) FROM comparison WHERE "
				    "report = 'r@example.org'"),
			 1);
	assert_int_equal(number(&b, "SELECT count(*) FROM comparison WHERE "
				    "report IS NULL"),
			 1);
	close_bare(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_are_applied_once_and_in_order),
		cmocka_unit_test(a_step_that_fails_leaves_the_old_schema),
		cmocka_unit_test(newer_old_and_foreign_files_are_told_apart),
		cmocka_unit_test(a_gap_in_the_numbers_is_our_own_mistake),
		cmocka_unit_test(the_embedded_steps_are_numbered_without_a_gap),
		cmocka_unit_test(the_first_schema_learns_of_calibrations),
		cmocka_unit_test(the_second_schema_learns_of_reports),
	};

	return RUN_TESTS(tests);
}
