// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of report/lkp_table.c: the columns, a row per rule.
#include "tests/unit/test.h"

#include "tests/unit/analysis/compare_help.h"

#include <math.h>

#include "base/mem.h"
#include "report/lkp_table.h"

static void values_take_sixteen_columns(void **state)
{
	static const struct {
		double avg;
		double pct;
		const char *text;
	} rows[] = {
		{ 0.21, 0, "      0.21      " },
		{ 999.99, 0, "    999.99      " },
		{ 999.999, 0, "   1000.00      " },
		{ 1000.9, 0, "      1000      " },
		{ 64412021, 0, "  64412021      " },
		{ 1e8, 0, " 100000000      " },
		{ 100000001, 0, "     1e+08      " },
		{ 3.869e9, 0, " 3.869e+09      " },
		{ -12.69, 0, "    -12.69      " },
		{ -1234.9, 0, "     -1234      " },
		{ -1.5e9, 0, "  -1.5e+09      " },
		{ 0, 0, "      0.00      " },
		{ 5.49, 2.0, "      5.49      " },
		{ 5.49, 2.01, "      5.49 ±  2%" },
		{ 5.49, 17.99, "      5.49 ± 17%" },
		{ 0.01, 223.6, "      0.01 ±223%" },
		{ 0.01, NAN, "      0.01      " },
		{ -1, -50, "     -1.00      " },
		{ 1e-90, 1e25, "      0.00 ±10000000000000000905969664%" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct compare_side side = { .n = 3,
					     .avg = rows[i].avg,
					     .stddev_pct = rows[i].pct };
		struct str out = STR_INIT;

		lkp_add_value(&out, &side, false);
		assert_string_equal(out.p, rows[i].text);
		str_release(&out);
	}
}

static void ascii_keeps_the_columns(void **state)
{
	const struct compare_side side = { .n = 3, .avg = 5, .stddev_pct = 7 };
	struct str out = STR_INIT;

	(void)state;
	lkp_add_value(&out, &side, true);
	assert_string_equal(out.p, "      5.00+-  7%");
	str_release(&out);
}

static void changes_take_twelve_columns(void **state)
{
	static const struct {
		double change;
		int absolute;
		const char *text;
	} rows[] = {
		{ -9.66, 0, "      -9.7% " },
		{ 11, 0, "     +11.0% " },
		{ 0, 0, "      +0.0% " },
		{ 99999.94, 0, "  +99999.9% " },
		{ 99999.96, 0, " +100000.0% " },
		{ 100000, 0, "    +1e+05% " },
		{ 6.7e101, 0, " +6.7e+101% " },
		{ -0.04, 1, "      -0.0  " },
		{ 0.51, 1, "      +0.5  " },
		{ 123456.78, 1, " +123456.8  " },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct compare_side side[2] = { { .n = 1 }, { .n = 1 } };
		struct compare_metric m = { .absolute = rows[i].absolute,
					    .side = side };
		struct str out = STR_INIT;

		side[1].change = rows[i].change;
		lkp_add_change(&out, &m, 1);
		assert_int_equal(out.len, 12);
		assert_string_equal(out.p, rows[i].text);
		str_release(&out);
	}
}

static void failures_count_runs_of_all_runs(void **state)
{
	struct compare_side side[3] = {
		{ .fails = 0, .runs = 6 },
		{ .fails = 2, .runs = 6, .change = 33.3 },
		{ .fails = 12, .runs = 12345, .change = -0.2 }
	};
	struct compare_metric m = { .name = (char *)"dmesg.x",
				    .failure = true,
				    .side = side };
	struct str out = STR_INIT;

	(void)state;
	lkp_add_row(&out, &m, 3, false);
	assert_string_equal(out.p, "           :6           33%           2:6  "
				   "         -0%          12:12345  dmesg.x\n");
	str_release(&out);
}

static void a_side_without_values_has_a_dash_and_no_change(void **state)
{
	struct compare_side side[2] = { { .n = 1, .avg = 5, .stddev_pct = NAN },
					{ .n = 0, .change = NAN } };
	struct compare_metric m = { .name = (char *)"a.x", .side = side };
	struct str out = STR_INIT;

	(void)state;
	lkp_add_row(&out, &m, 2, false);
	assert_string_equal(
		out.p, "      5.00                           -        a.x\n");
	str_release(&out);
}

static void a_hostile_name_stays_on_its_line(void **state)
{
	struct compare_side side[2] = { { .n = 1 }, { .n = 1 } };
	struct compare_metric m = { .name = (char *)"a.x\n\033[2Jb\tc",
				    .side = side };
	struct str out = STR_INIT;

	(void)state;
	lkp_add_row(&out, &m, 2, false);
	assert_non_null(strstr(out.p, "  a.x??[2Jb?c\n"));
	assert_ptr_equal(strchr(out.p, '\n'), out.p + out.len - 1);
	str_release(&out);
}

static void rows_of_a_kind_can_be_capped(void **state)
{
	struct axes axes = AXES_INIT;
	struct comparison c;
	struct str out = STR_INIT;
	struct lkp_table table = { .axes = &axes,
				   .comparison = &c,
				   .show = COMPARE_SHOW_ALL,
				   .max_rows = 2 };

	(void)state;
	compare_two(&c, "{\"a.a\": [1], \"a.b\": [1], \"a.c\": [1]}",
		    "{\"a.a\": [1]}", "a");
	assert_int_equal(lkp_table_add(&table, &out), 2);
	assert_non_null(strstr(out.p, "a.b\n"));
	assert_null(strstr(out.p, "a.c\n"));
	str_release(&out);
	compare_release(&c);
}

static void mails_have_the_profile_last(void **state)
{
	static const char text[] = "{\"a.a\": [1], \"a.b\": [1],"
				   " \"perf-profile.self.e.x\": [1],"
				   " \"z.a\": [1], \"z.b\": [1]}";
	struct axes axes = AXES_INIT;
	struct comparison c;
	struct str out = STR_INIT;
	struct lkp_table table = { .axes = &axes,
				   .comparison = &c,
				   .show = COMPARE_SHOW_ALL };
	const char *profile;

	(void)state;
	compare_two(&c, text, text, "");
	lkp_table_add(&table, &out);
	profile = strstr(out.p, "perf-profile.self");
	assert_true(profile < strstr(out.p, "a.a\n"));
	str_reset(&out);
	table.profile_last = true;
	lkp_table_add(&table, &out);
	profile = strstr(out.p, "perf-profile.self");
	assert_true(profile > strstr(out.p, "z.b\n"));
	assert_true(strstr(out.p, "a.a\n") < strstr(out.p, "z.a\n"));
	str_release(&out);
	compare_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_take_sixteen_columns),
		cmocka_unit_test(ascii_keeps_the_columns),
		cmocka_unit_test(changes_take_twelve_columns),
		cmocka_unit_test(failures_count_runs_of_all_runs),
		cmocka_unit_test(
			a_side_without_values_has_a_dash_and_no_change),
		cmocka_unit_test(a_hostile_name_stays_on_its_line),
		cmocka_unit_test(rows_of_a_kind_can_be_capped),
		cmocka_unit_test(mails_have_the_profile_last),
	};

	return RUN_TESTS(tests);
}
