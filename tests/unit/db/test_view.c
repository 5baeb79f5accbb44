// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of db/view*.c: rows as JSON, read-only.
#include "tests/unit/test.h"

#include <stdbool.h>

#include "db/view.h"
#include "db/view_bisect.h"
#include "db/view_comparison.h"
#include "db/view_index.h"
#include "db/view_job.h"
#include "tests/unit/db/fixture.h"

static void sql(struct fixture *f, const char *text)
{
	struct err err = { 0 };

	assert_int_equal(db_begin(f->db, &err), 0);
	if (db_run(db_stmt(f->db, text), &err))
		fail_msg("%s: %s", text, err.text);
	assert_int_equal(db_commit(f->db, &err), 0);
}

static void columns_keep_their_types(void **state)
{
	struct fixture f;
	struct err err = { 0 };
	json_t *rows;
	const json_t *row;

	(void)state;
	fixture_open(&f);
	rows = view_rows(db_stmt(f.db, "SELECT 7, 'x', 2.5, 1, '{\"a\": 1}',"
				       " NULL, 'no json'"),
			 "i a, t b, r c, b d, j e, t f, j g", &err);
	assert_int_equal(json_array_size(rows), 1);
	row = json_array_get(rows, 0);
	assert_int_equal(json_integer_value(json_object_get(row, "a")), 7);
	assert_string_equal(json_opt_str(row, "b", ""), "x");
	assert_true(json_opt_num(row, "c", 0) == 2.5);
	assert_true(json_is_true(json_object_get(row, "d")));
	assert_int_equal(json_opt_int(json_object_get(row, "e"), "a", 0), 1);
	assert_true(json_is_null(json_object_get(row, "f")));
	assert_true(json_is_null(json_object_get(row, "g")));
	json_decref(rows);
	fixture_close(&f);
}

static void a_failing_query_returns_nothing(void **state)
{
	struct fixture f;
	struct err err = { 0 };

	(void)state;
	fixture_open(&f);
	assert_null(view_rows(db_stmt(f.db, "SELECT nothing FROM nowhere"),
			      "i a", &err));
	assert_int_not_equal(err.code, 0);
	err.code = 0;
	assert_null(
		view_row(db_stmt(f.db, "SELECT id FROM repo"), "i id", &err));
	assert_int_equal(err.code, ERR_NOTFOUND);
	assert_null(view_comparison(f.db, 99, &err));
	assert_null(view_bisect(f.db, 99, &err));
	assert_null(view_job(f.db, 99, &err));
	assert_null(view_box(f.db, "nobody", &err));
	assert_null(view_commit(f.db, 99, &err));
	assert_null(view_regression(f.db, 99, &err));
	fixture_close(&f);
}

static void an_empty_database_has_empty_lists(void **state)
{
	struct fixture f;
	struct err err = { 0 };
	long long newest = -1;

	(void)state;
	fixture_open(&f);
	assert_int_equal(view_newest_s(f.db, &newest, &err), 0);
	assert_int_equal(newest, 0);
	for (int i = 0; i < 8; i++) {
		json_t *rows = i == 0	? view_regressions(f.db, &err)
			       : i == 1 ? view_queue(f.db, &err)
			       : i == 2 ? view_boxes(f.db, &err)
			       : i == 3 ? view_reports(f.db, 20, &err)
			       : i == 4 ? view_comparison_list(f.db, &err)
			       : i == 5 ? view_bisect_list(f.db, &err)
			       : i == 6 ? view_job_list(f.db, &err)
					: view_commit_list(f.db, &err);

		if (!rows)
			fail_msg("list %d: %s", i, err.text);
		assert_int_equal(json_array_size(rows), 0);
		json_decref(rows);
	}
	fixture_close(&f);
}

static char *stamp_of(struct fixture *f)
{
	struct err err = { 0 };
	json_t *rows = view_comparison_list(f->db, &err);
	char *stamp =
		xstrdup(json_opt_str(json_array_get(rows, 0), "stamp", "none"));

	json_decref(rows);
	return stamp;
}

/* Each change that a comparison's page shows must change its stamp. */
static void the_stamp_changes_with_what_a_page_shows(void **state)
{
	static const char *const changes[] = {
		"UPDATE comparison SET state = 'running'",
		"UPDATE comparison SET verdict = 'regression', why = 'w'",
		"UPDATE comparison SET ended_s = 99",
		"INSERT INTO bisect (comparison_id, state, start_json,"
		" engine_json, created_s) SELECT id, 'running', '{}', '{}', 1"
		" FROM comparison",
		"INSERT INTO bisect_step (bisect_id, seq, ask_json)"
		" SELECT id, 1, '{}' FROM bisect",
		"UPDATE bisect_step SET result_json = '[]'",
		"UPDATE bisect SET state = 'done', verdict = 'culprit'",
		"INSERT INTO regression (comparison_id, state, created_s)"
		" SELECT id, 'open', 1 FROM comparison",
		"UPDATE regression SET state = 'fixed'",
	};
	struct fixture f;
	char *before;

	(void)state;
	fixture_open(&f);
	fixture_fill(&f);
	before = stamp_of(&f);
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		char *after;

		sql(&f, changes[i]);
		after = stamp_of(&f);
		if (!strcmp(before, after))
			fail_msg("same stamp after: %s", changes[i]);
		free(before);
		before = after;
	}
	free(before);
	fixture_close(&f);
}

static void a_comparison_comes_with_its_commits(void **state)
{
	struct fixture f;
	struct err err = { 0 };
	json_t *c;

	(void)state;
	fixture_open(&f);
	fixture_fill(&f);
	c = view_comparison(f.db, f.comparison, &err);
	if (!c)
		fail_msg("%s", err.text);
	assert_int_equal(json_opt_int(c, "job", 0), f.job);
	assert_int_equal(
		strlen(json_opt_str(json_object_get(c, "base"), "sha", "")),
		40);
	assert_string_not_equal(
		json_opt_str(json_object_get(c, "base"), "sha", ""),
		json_opt_str(json_object_get(c, "head"), "sha", ""));
	assert_true(json_is_null(json_object_get(c, "bisect")));
	json_decref(c);
	fixture_close(&f);
}

static void metric_names_are_found_by_row_id(void **state)
{
	struct fixture f;
	struct err err = { 0 };
	char **names;
	size_t nr;

	(void)state;
	fixture_open(&f);
	sql(&f, "INSERT INTO metric (id, name) VALUES (2, 'two'), (5, 'five')");
	assert_int_equal(view_metric_names(f.db, &names, &nr, &err), 0);
	assert_int_equal(nr, 6);
	assert_string_equal(names[2], "two");
	assert_string_equal(names[5], "five");
	assert_null(names[3]);
	for (size_t i = 0; i < nr; i++)
		free(names[i]);
	free(names);
	sql(&f, "INSERT INTO metric (id, name) VALUES (20000000, 'far')");
	assert_int_equal(view_metric_names(f.db, &names, &nr, &err), ERR_LIMIT);
	for (size_t i = 0; i < nr; i++)
		free(names[i]);
	free(names);
	fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_keep_their_types),
		cmocka_unit_test(a_failing_query_returns_nothing),
		cmocka_unit_test(an_empty_database_has_empty_lists),
		cmocka_unit_test(the_stamp_changes_with_what_a_page_shows),
		cmocka_unit_test(a_comparison_comes_with_its_commits),
		cmocka_unit_test(metric_names_are_found_by_row_id),
	};

	return RUN_TESTS(tests);
}
