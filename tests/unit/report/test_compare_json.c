// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of report/compare_json.c; tests/cli/compare-golden.sh has whole
// outputs.
#include "tests/unit/test.h"

#include "tests/unit/analysis/compare_help.h"

#include "report/compare_json.h"

static const char hostile[] = "{\"a.\\\"q\\\", \\n=1+1\": [1]}";

static void csv_texts_are_quoted_and_missing_numbers_empty(void **state)
{
	struct comparison c;
	struct str out = STR_INIT;

	(void)state;
	compare_two(&c, hostile, "{}", "");
	compare_add_csv(&out, &c, COMPARE_SHOW_ALL);
	assert_string_equal(
		out.p, "metric,kind,absolute,direction,n_0,avg_0,stddev_pct_0,"
		       "n_1,avg_1,stddev_pct_1,change_1,changed_1,p_1\r\n"
		       "\"a.\"\"q\"\", \n=1+1\",number,0,0,1,1,,0,,,,0,\r\n");
	str_release(&out);
	compare_release(&c);
}

static void json_has_null_for_missing_numbers(void **state)
{
	struct axes axes = AXES_INIT;
	struct comparison c;
	json_t *obj;
	json_t *side;

	(void)state;
	compare_two(&c, hostile, "{}", "bench");
	obj = compare_to_json(&axes, &c, COMPARE_SHOW_ALL);
	side = json_array_get(
		json_object_get(
			json_array_get(json_object_get(obj, "metrics"), 0),
			"sides"),
		1);
	assert_int_equal(json_integer_value(json_object_get(side, "n")), 0);
	assert_true(json_is_null(json_object_get(side, "avg")));
	assert_true(json_is_null(json_object_get(side, "change")));
	assert_true(json_is_null(json_object_get(side, "p")));
	assert_true(json_is_null(json_object_get(obj, "headline")));
	assert_string_equal(json_string_value(json_object_get(obj, "testcase")),
			    "bench");
	json_decref(obj);
	compare_release(&c);
}

static void only_changed_rows_are_listed_but_all_are_counted(void **state)
{
	struct axes axes = AXES_INIT;
	struct comparison c;
	json_t *obj;

	(void)state;
	compare_two(&c, "{\"a.x\": [1,1,1], \"a.y\": [1,1,1]}",
		    "{\"a.x\": [2,2,2], \"a.y\": [1,1,1]}", "");
	obj = compare_to_json(&axes, &c, COMPARE_SHOW_CHANGED);
	assert_int_equal(json_array_size(json_object_get(obj, "metrics")), 1);
	assert_int_equal(
		json_integer_value(json_object_get(obj, "metrics_total")), 2);
	assert_int_equal(
		json_integer_value(json_object_get(obj, "metrics_changed")), 1);
	json_decref(obj);
	compare_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			csv_texts_are_quoted_and_missing_numbers_empty),
		cmocka_unit_test(json_has_null_for_missing_numbers),
		cmocka_unit_test(
			only_changed_rows_are_listed_but_all_are_counted),
	};

	return RUN_TESTS(tests);
}
