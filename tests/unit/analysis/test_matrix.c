// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of analysis/matrix.c.
#include "tests/unit/test.h"

#include "analysis/matrix.h"

#include <math.h>
#include <stdio.h>

static int parse(struct matrix *m, const char *text, struct err *err)
{
	return matrix_parse(m, text, strlen(text), "matrix.json", err);
}

static void rows_are_found_by_name_in_any_order_of_adding(void **state)
{
	static const char *const names[] = { "m.c", "m.a", "m.d", "m.b",
					     "m.a-b" };
	struct matrix m = MATRIX_INIT;

	(void)state;
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(matrix_set(&m, names[i], 0, (double)i, NULL),
				 0);
	for (size_t i = 0; i < 5; i++)
		assert_true(matrix_find(&m, names[i])->value[0] == (double)i);
	for (size_t i = 1; i < m.nr; i++)
		assert_true(strcmp(m.metric[i - 1].name, m.metric[i].name) < 0);
	assert_null(matrix_find(&m, "m"));
	assert_null(matrix_find(&m, "z"));
	matrix_release(&m);
	assert_null(matrix_find(&m, "m.a"));
}

static void runs_without_a_value_are_nan(void **state)
{
	struct matrix m = MATRIX_INIT;
	const struct matrix_metric *row;

	(void)state;
	assert_int_equal(matrix_set(&m, "a.x", 2, 5.0, NULL), 0);
	assert_int_equal(matrix_set(&m, "a.x", 0, 4.0, NULL), 0);
	row = matrix_find(&m, "a.x");
	assert_int_equal(row->nr, 3);
	assert_true(row->value[0] == 4.0);
	assert_true(isnan(row->value[1]));
	assert_true(row->value[2] == 5.0);
	assert_int_equal(m.runs, 3);
	matrix_release(&m);
}

static void a_family_is_the_name_up_to_the_dot(void **state)
{
	struct matrix m = MATRIX_INIT;

	(void)state;
	assert_int_equal(matrix_set(&m, "perf-stat.i.ipc", 0, 1, NULL), 0);
	assert_true(matrix_has_family(&m, "perf-stat"));
	assert_false(matrix_has_family(&m, "perf"));
	assert_false(matrix_has_family(&m, "perf-stat.i.ipc"));
	matrix_release(&m);
}

static void json_rows_of_numbers_are_taken_and_others_left_out(void **state)
{
	struct matrix m = MATRIX_INIT;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(
		parse(&m,
		      "{\"b.x\": [1, 2.5, null, 4], \"a.single\": 7,"
		      " \"c.text\": [\"one\"], \"c.obj\": {\"x\": 1},"
		      " \"d.big\": [18446744073709551616],"
		      " \"stats_source\": [\"a\", \"b\", \"c\", \"d\", \"e\"]}",
		      &err),
		0);
	assert_int_equal(m.nr, 3);
	assert_true(matrix_find(&m, "b.x")->value[1] == 2.5);
	assert_true(isnan(matrix_find(&m, "b.x")->value[2]));
	assert_true(matrix_find(&m, "a.single")->value[0] == 7);
	assert_null(matrix_find(&m, "c.text"));
	assert_true(matrix_find(&m, "d.big")->value[0] ==
		    18446744073709551616.0);
	assert_int_equal(m.runs, 5);
	matrix_release(&m);
}

static void bad_files_say_what_is_wrong(void **state)
{
	static const struct {
		const char *text;
		int code;
		const char *says;
	} rows[] = {
		{ "[1]", ERR_DATA, "matrix.json: expected an object" },
		{ "{\"a\": [1", ERR_DATA, "matrix.json:1:" },
		{ "{\"a\": [1], \"a\": [2]}", ERR_DATA, "duplicate" },
		{ "{\"\": [1]}", ERR_DATA, "empty name" },
		{ "{\"a\": [1e999]}", ERR_DATA, "matrix.json:1:" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct matrix m = MATRIX_INIT;
		struct err err = { 0 };

		assert_int_equal(parse(&m, rows[i].text, &err), rows[i].code);
		assert_contains(err.text, rows[i].says);
		matrix_release(&m);
	}
}

static void limits_hold(void **state)
{
	struct matrix m = MATRIX_INIT;
	char name[MATRIX_MAX_NAME_BYTES + 2];

	(void)state;
	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(matrix_set(&m, name, 0, 1, NULL), ERR_LIMIT);
	assert_int_equal(matrix_set(&m, "a", MATRIX_MAX_RUNS, 1, NULL),
			 ERR_LIMIT);
	assert_int_equal(matrix_set(&m, "a", 0, INFINITY, NULL), ERR_DATA);
	assert_int_equal(m.nr, 0);
	assert_int_equal(m.runs, 0);
	matrix_release(&m);
}

static void json_out_and_in_is_the_same_matrix(void **state)
{
	struct matrix a = MATRIX_INIT;
	struct matrix b = MATRIX_INIT;
	json_t *obj;

	(void)state;
	assert_int_equal(matrix_set(&a, "x.y", 0, 0.1, NULL), 0);
	assert_int_equal(matrix_set(&a, "x.y", 2, 1e300, NULL), 0);
	obj = matrix_to_json(&a);
	assert_int_equal(matrix_from_json(&b, obj, "again", NULL), 0);
	assert_true(matrix_find(&b, "x.y")->value[0] == 0.1);
	assert_true(isnan(matrix_find(&b, "x.y")->value[1]));
	assert_true(matrix_find(&b, "x.y")->value[2] == 1e300);
	json_decref(obj);
	matrix_release(&a);
	matrix_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_found_by_name_in_any_order_of_adding),
		cmocka_unit_test(runs_without_a_value_are_nan),
		cmocka_unit_test(a_family_is_the_name_up_to_the_dot),
		cmocka_unit_test(
			json_rows_of_numbers_are_taken_and_others_left_out),
		cmocka_unit_test(bad_files_say_what_is_wrong),
		cmocka_unit_test(limits_hold),
		cmocka_unit_test(json_out_and_in_is_the_same_matrix),
	};

	return RUN_TESTS(tests);
}
