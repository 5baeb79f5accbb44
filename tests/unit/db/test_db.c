// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of db/db.c, db/db_stmt.c and db/db_care.c.
#include "tests/unit/test.h"

#include <math.h>
#include <sys/wait.h>

#include "tests/unit/db/fixture.h"

static void put_event(struct db *db, const char *text)
{
	struct db_stmt *q = db_stmt(db, "INSERT INTO event (at_s, kind, text) "
					"VALUES (?, 'test', ?)");

	db_bind_int(q, 1);
	db_bind_text(q, text);
	assert_int_equal(db_run(q, NULL), 0);
}

static long long count_events(struct db *db)
{
	long long nr = -1;

	assert_int_equal(db_get_int(db_stmt(db, "SELECT count(*) FROM event"),
				    &nr, NULL),
			 0);
	return nr;
}

static void values_come_back_as_they_went_in(void **state)
{
	struct fixture f;
	struct db_stmt *q;
	json_t *json = json_pack("{s:[i,i]}", "a", 1, 2);

	(void)state;
	fixture_open(&f);
	q = db_stmt(f.db, "SELECT ?, ?, ?, ?, ?, ?");
	db_bind_int(q, -9007199254740993LL);
	db_bind_real(q, 0.1);
	db_bind_text(q, "\xc3\xa4\xff z");
	db_bind_json(q, json);
	db_bind_id(q, 0);
	db_bind_text(q, NULL);
	assert_int_equal(db_step(q, NULL), 1);
	assert_int_equal(db_col_int(q, 0), -9007199254740993LL);
	assert_true(db_col_real(q, 1) == 0.1);
	assert_string_equal(db_col_text(q, 2), "\xc3\xa4\xef\xbf\xbd z");
	assert_string_equal(db_col_text(q, 3), "{\"a\":[1,2]}");
	assert_true(db_col_null(q, 4));
	assert_true(db_col_null(q, 5));
	assert_string_equal(db_col_text(q, 5), "");
	assert_int_equal(db_step(q, NULL), 0);
	db_stmt_free(&q);
	assert_null(q);
	json_decref(json);
	fixture_close(&f);
}

static void a_statement_in_use_is_not_handed_out_again(void **state)
{
	static const char sql[] = "SELECT text FROM event ORDER BY id";
	struct fixture f;
	struct db_stmt *a;
	struct db_stmt *b;

	(void)state;
	fixture_open(&f);
	put_event(f.db, "one");
	put_event(f.db, "two");
	a = db_stmt(f.db, sql);
	assert_int_equal(db_step(a, NULL), 1);
	b = db_stmt(f.db, sql);
	assert_ptr_not_equal(a, b);
	assert_int_equal(db_step(b, NULL), 1);
	assert_string_equal(db_col_text(a, 0), "one");
	db_stmt_free(&b);
	assert_int_equal(db_step(a, NULL), 1);
	assert_string_equal(db_col_text(a, 0), "two");
	db_stmt_free(&a);
	fixture_close(&f);
}

static void mistakes_are_errors_with_the_statement_in_them(void **state)
{
	struct fixture f;
	struct err err = { 0 };
	struct db_stmt *q;

	(void)state;
	fixture_open(&f);
	assert_int_equal(
		db_run(db_stmt(f.db, "SELECT nonsense FROM event"), &err),
		ERR_IO);
	assert_contains(err.text, "nonsense");
	assert_int_equal(
		db_run(db_stmt(f.db, "DELETE FROM event; SELECT 1"), &err),
		ERR_DATA);
	q = db_stmt(f.db, "SELECT ?, ?");
	db_bind_int(q, 1);
	assert_int_equal(db_run(q, &err), ERR_DATA);
	assert_contains(err.text, "1 values bound of 2");
	q = db_stmt(f.db, "SELECT ?");
	db_bind_real(q, NAN);
	assert_int_equal(db_run(q, &err), ERR_DATA);
	/* double-quoted "strings" are no strings */
	assert_int_equal(db_run(db_stmt(f.db, "SELECT \"text\""), &err),
			 ERR_IO);
	fixture_close(&f);
}

static void a_failed_bind_does_not_stick_to_the_cached_statement(void **state)
{
	static const char sql[] = "SELECT ?";
	struct fixture f;
	struct db_stmt *q;
	long long v = 0;

	(void)state;
	fixture_open(&f);
	q = db_stmt(f.db, sql);
	db_bind_real(q, INFINITY);
	assert_int_equal(db_run(q, NULL), ERR_DATA);
	q = db_stmt(f.db, sql);
	db_bind_int(q, 5);
	assert_int_equal(db_get_int(q, &v, NULL), 0);
	assert_int_equal(v, 5);
	fixture_close(&f);
}

static void constraints_tell_what_is_there_from_what_is_wrong(void **state)
{
	struct fixture f;
	struct err err = { 0 };
	struct db_stmt *q;

	(void)state;
	fixture_open(&f);
	assert_int_equal(
		db_run(db_stmt(f.db, "INSERT INTO metric (name) VALUES ('a')"),
		       NULL),
		0);
	assert_int_equal(
		db_run(db_stmt(f.db, "INSERT INTO metric (name) VALUES ('a')"),
		       &err),
		ERR_EXISTS);
	q = db_stmt(f.db, "INSERT INTO event (at_s, job_id, kind, text) "
			  "VALUES (1, 99, 'x', 'y')");
	assert_int_equal(db_run(q, &err), ERR_DATA);
	assert_contains(err.text, "FOREIGN KEY");
	q = db_stmt(f.db, "INSERT INTO event (at_s, kind, text) "
			  "VALUES ('soon', 'x', 'y')");
	assert_int_equal(db_run(q, &err), ERR_DATA);
	fixture_close(&f);
}

static void a_part_can_be_undone_alone(void **state)
{
	struct fixture f;

	(void)state;
	fixture_open(&f);
	assert_int_equal(db_begin(f.db, NULL), 0);
	put_event(f.db, "kept");
	assert_int_equal(db_part_begin(f.db, NULL), 0);
	put_event(f.db, "undone");
	assert_int_equal(db_part_end(f.db, false, NULL), 0);
	assert_int_equal(db_part_begin(f.db, NULL), 0);
	put_event(f.db, "kept too");
	assert_int_equal(db_part_end(f.db, true, NULL), 0);
	assert_int_equal(db_commit(f.db, NULL), 0);
	assert_int_equal(count_events(f.db), 2);
	assert_int_equal(db_begin(f.db, NULL), 0);
	put_event(f.db, "undone");
	db_rollback(f.db);
	db_rollback(f.db);
	assert_false(db_in_transaction(f.db));
	assert_int_equal(count_events(f.db), 2);
	fixture_close(&f);
}

static void rows_become_objects(void **state)
{
	struct fixture f;
	json_t *rows;
	struct str text = STR_INIT;

	(void)state;
	fixture_open(&f);
	rows = db_rows(db_stmt(f.db, "SELECT 1 AS a, 2.5 AS b, NULL AS c, "
				     "'{\"x\":[true]}' AS d_json, "
				     "'no json' AS e_json"),
		       NULL);
	json_add_text(&text, rows);
	assert_string_equal(text.p, "[{\"a\":1,\"b\":2.5,\"c\":null,"
				    "\"d\":{\"x\":[true]},\"e\":\"no json\"}]");
	json_decref(rows);
	str_release(&text);
	rows = db_rows(db_stmt(f.db, "SELECT 1 WHERE 0"), NULL);
	assert_int_equal(json_array_size(rows), 0);
	json_decref(rows);
	assert_null(db_row(db_stmt(f.db, "SELECT 1 WHERE 0"), NULL));
	fixture_close(&f);
}

static void there_is_one_writer_and_any_number_of_readers(void **state)
{
	struct fixture f;
	struct err err = { 0 };
	struct db *other = NULL;
	struct db *reader = NULL;

	(void)state;
	fixture_open(&f);
	assert_int_equal(db_open(f.path, DB_WRITE, &other, &err), ERR_BUSY);
	assert_contains(err.text, "another droverd");
	assert_int_equal(db_open(f.path, DB_READ, &reader, &err), 0);
	put_event(f.db, "seen");
	assert_int_equal(count_events(reader), 1);
	assert_int_equal(db_run(db_stmt(reader, "DELETE FROM event"), &err),
			 ERR_IO);
	assert_int_equal(count_events(f.db), 1);
	db_close(&reader);
	fixture_close(&f);
}

static void a_reader_sees_one_unchanging_view(void **state)
{
	struct fixture f;
	struct db *reader = NULL;

	(void)state;
	fixture_open(&f);
	assert_int_equal(db_open(f.path, DB_READ, &reader, NULL), 0);
	assert_int_equal(db_read_begin(reader, NULL), 0);
	assert_int_equal(count_events(reader), 0);
	put_event(f.db, "later");
	assert_int_equal(count_events(reader), 0);
	db_read_end(reader);
	assert_int_equal(count_events(reader), 1);
	db_close(&reader);
	fixture_close(&f);
}

static void a_committed_row_survives_a_kill(void **state)
{
	struct fixture f;
	struct db *again = NULL;
	int status = 0;
	pid_t pid;

	(void)state;
	fixture_open(&f);
	db_close(&f.db);
	pid = fork();
	if (!pid) {
		if (db_open(f.path, DB_WRITE, &again, NULL))
			_exit(1);
		put_event(again, "committed");
		db_begin(again, NULL);
		put_event(again, "not committed");
		_exit(9);
	}
	waitpid(pid, &status, 0);
	assert_int_equal(WEXITSTATUS(status), 9);
	assert_int_equal(db_open(f.path, DB_WRITE, &f.db, NULL), 0);
	assert_int_equal(count_events(f.db), 1);
	assert_int_equal(db_check(f.db, NULL), 0);
	fixture_close(&f);
}

static void what_is_no_database_is_refused(void **state)
{
	struct fixture f;
	struct err err = { 0 };
	struct db *db = NULL;
	char *path;

	(void)state;
	fixture_open(&f);
	path = file_join(f.dir, "other");
	assert_int_equal(db_open(path, DB_READ, &db, &err), ERR_NOTFOUND);
	file_write_atomic(path, "this is a text file, not a database at all",
			  42, 0600, NULL);
	assert_int_equal(db_open(path, DB_WRITE, &db, &err), ERR_DATA);
	assert_null(db);
	free(path);
	fixture_close(&f);
}

static void a_backup_is_whole_and_replaces_nothing(void **state)
{
	struct fixture f;
	struct err err = { 0 };
	struct db *copy = NULL;
	char *path;

	(void)state;
	fixture_open(&f);
	put_event(f.db, "backed up");
	path = file_join(f.dir, "copy.db");
	assert_int_equal(db_backup(f.db, path, &err), 0);
	assert_int_equal(db_backup(f.db, path, &err), ERR_EXISTS);
	put_event(f.db, "after it");
	assert_int_equal(db_open(path, DB_READ, &copy, &err), 0);
	assert_int_equal(count_events(copy), 1);
	assert_int_equal(db_check(copy, &err), 0);
	db_close(&copy);
	free(path);
	fixture_close(&f);
}

static void the_wal_is_empty_after_a_checkpoint(void **state)
{
	struct fixture f;
	struct str wal = STR_INIT;
	char *path;

	(void)state;
	fixture_open(&f);
	path = xasprintf("%s-wal", f.path);
	put_event(f.db, "x");
	assert_int_equal(file_read(path, 1 << 20, &wal, NULL), 0);
	assert_true(wal.len > 0);
	str_reset(&wal);
	db_checkpoint(f.db);
	assert_int_equal(file_read(path, 1 << 20, &wal, NULL), 0);
	assert_int_equal(wal.len, 0);
	str_release(&wal);
	free(path);
	fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_come_back_as_they_went_in),
		cmocka_unit_test(a_statement_in_use_is_not_handed_out_again),
		cmocka_unit_test(
			mistakes_are_errors_with_the_statement_in_them),
		cmocka_unit_test(
			a_failed_bind_does_not_stick_to_the_cached_statement),
		cmocka_unit_test(
			constraints_tell_what_is_there_from_what_is_wrong),
		cmocka_unit_test(a_part_can_be_undone_alone),
		cmocka_unit_test(rows_become_objects),
		cmocka_unit_test(there_is_one_writer_and_any_number_of_readers),
		cmocka_unit_test(a_reader_sees_one_unchanging_view),
		cmocka_unit_test(a_committed_row_survives_a_kill),
		cmocka_unit_test(what_is_no_database_is_refused),
		cmocka_unit_test(a_backup_is_whole_and_replaces_nothing),
		cmocka_unit_test(the_wal_is_empty_after_a_checkpoint),
	};

	return RUN_TESTS(tests);
}
