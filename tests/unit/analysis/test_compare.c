// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of analysis/compare.c.
#include "tests/unit/test.h"

#include "tests/unit/analysis/compare_help.h"

#include <math.h>

#define EPSILON 1e-9

static void averages_and_population_deviation(void **state)
{
	struct comparison c;
	const struct compare_side *side;

	(void)state;
	compare_two(&c, "{\"b.x\": [2, 4, 4, 4, 5, 5, 7, 9]}",
		    "{\"b.x\": [10]}", "b");
	side = c.metric[0].side;
	assert_int_equal(side[0].n, 8);
	assert_float_equal(side[0].avg, 5, EPSILON);
	assert_float_equal(side[0].stddev, 2, EPSILON);
	assert_float_equal(side[0].stddev_pct, 40, EPSILON);
	assert_float_equal(side[0].median, 5, EPSILON);
	assert_float_equal(side[0].min, 2, EPSILON);
	assert_float_equal(side[0].max, 9, EPSILON);
	assert_true(isnan(side[1].stddev));
	assert_true(isnan(side[1].p));
	assert_float_equal(side[1].change, 100, EPSILON);
	assert_string_equal(c.metric[0].family, "b");
	assert_true(c.metric[0].own);
	compare_release(&c);
}

static void change_is_percent_or_difference_by_name(void **state)
{
	static const struct {
		const char *name;
		double base, head, change;
		int absolute;
	} rows[] = {
		{ "a.x", 200, 150, -25, 0 },
		{ "a.x%", 20, 15, -5, 1 },
		{ "perf-profile.self.cycles-pp.f", 0, 0.5, 0.5, 1 },
		{ "a.zero", 0, 0.67, 6.7e101, 0 },
		{ "a.both", 0, 0, 0, 0 },
		{ "a.below", -10, -15, 50, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct matrix m[2] = { MATRIX_INIT, MATRIX_INIT };
		const struct matrix *side[2] = { &m[0], &m[1] };
		struct comparison c;

		matrix_set(&m[0], rows[i].name, 0, rows[i].base, NULL);
		matrix_set(&m[1], rows[i].name, 0, rows[i].head, NULL);
		assert_int_equal(
			compare_matrices(&c, side, 2, NULL, NULL, NULL), 0);
		assert_int_equal(c.metric[0].absolute, rows[i].absolute);
		assert_true(fabs(c.metric[0].side[1].change - rows[i].change) <=
			    1e-12 * fabs(rows[i].change));
		compare_release(&c);
		matrix_release(&m[0]);
		matrix_release(&m[1]);
	}
}

static void deviation_stands_for_itself_where_the_average_is_zero(void **state)
{
	struct comparison c;

	(void)state;
	compare_two(&c, "{\"a.x\": [-3, 3]}", "{\"a.x\": [1, 1]}", "");
	assert_float_equal(c.metric[0].side[0].stddev_pct, 3, EPSILON);
	compare_release(&c);
}

static void incomplete_runs_count_in_failure_rows_only(void **state)
{
	struct comparison c;
	const struct compare_metric *m;

	(void)state;
	compare_two(&c,
		    "{\"a.x\": [1, 100, 3],"
		    " \"last_state.is_incomplete_run\": [0, 1, 0],"
		    " \"dmesg.oops\": [0, 1, 1]}",
		    "{\"a.x\": [2, 2]}", "");
	m = compare_find(&c, "a.x");
	assert_int_equal(m->side[0].n, 2);
	assert_int_equal(m->side[0].runs, 3);
	assert_float_equal(m->side[0].avg, 2, EPSILON);
	m = compare_find(&c, "dmesg.oops");
	assert_true(m->failure);
	assert_int_equal(m->side[0].fails, 2);
	assert_int_equal(m->side[0].runs, 3);
	assert_int_equal(m->side[1].fails, 0);
	assert_int_equal(m->side[1].runs, 2);
	assert_float_equal(m->side[1].change, -200.0 / 3, EPSILON);
	compare_release(&c);
}

static void reproduction_divides_by_each_sides_own_runs(void **state)
{
	struct comparison c;

	/* Expected: 100 * (6/6 - 1/4) = 75. Buggy: 100 * (6/4 - 1/4) = 125. */
	(void)state;
	compare_two(&c, "{\"dmesg.x\": [1, 0, 0, 0]}",
		    "{\"dmesg.x\": [1, 1, 1, 1, 1, 1]}", "");
	assert_float_equal(c.metric[0].side[1].change, 75, EPSILON);
	compare_release(&c);
}

static void given_runs_make_up_for_an_empty_matrix(void **state)
{
	struct matrix m[2] = { MATRIX_INIT, MATRIX_INIT };
	const struct matrix *side[2] = { &m[0], &m[1] };
	const size_t runs[2] = { 6, 6 };
	struct comparison c;

	(void)state;
	matrix_set(&m[1], "dmesg.x", 0, 1, NULL);
	assert_int_equal(compare_matrices(&c, side, 2, runs, NULL, NULL), 0);
	assert_int_equal(c.metric[0].side[0].runs, 6);
	assert_int_equal(c.metric[0].side[0].fails, 0);
	assert_int_equal(c.metric[0].side[1].fails, 1);
	assert_float_equal(c.metric[0].side[1].change, 100.0 / 6, EPSILON);
	compare_release(&c);
	matrix_release(&m[0]);
	matrix_release(&m[1]);
}

static void absent_events_are_zero_and_absent_numbers_unknown(void **state)
{
	struct comparison c;
	const struct compare_metric *m;

	(void)state;
	compare_two(&c,
		    "{\"perf-profile.self.cycles-pp.a\": [1, 1],"
		    " \"perf-profile.self.cycles-pp.b\": [1],"
		    " \"a.x\": [1, 1], \"interrupts.x\": [5, 5]}",
		    "{\"perf-profile.self.cycles-pp.a\": [2, 2]}", "");
	m = compare_find(&c, "perf-profile.self.cycles-pp.b");
	/* base has two runs, the second without this symbol */
	assert_int_equal(m->side[0].n, 2);
	assert_float_equal(m->side[0].avg, 0.5, EPSILON);
	assert_int_equal(m->side[1].n, 2);
	assert_float_equal(m->side[1].avg, 0, EPSILON);
	assert_int_equal(compare_find(&c, "a.x")->side[1].n, 0);
	assert_true(isnan(compare_find(&c, "a.x")->side[1].change));
	/* the head was not monitored for interrupts at all */
	assert_int_equal(compare_find(&c, "interrupts.x")->side[1].n, 0);
	compare_release(&c);
}

static void further_commits_are_compared_with_the_first(void **state)
{
	static const char *const text[] = { "{\"a.x\": [10]}",
					    "{\"a.x\": [11]}",
					    "{\"a.x\": [9]}" };
	struct comparison c;

	(void)state;
	compare_texts(&c, text, 3, "");
	assert_float_equal(c.metric[0].side[1].change, 10, EPSILON);
	assert_float_equal(c.metric[0].side[2].change, -10, EPSILON);
	compare_release(&c);
}

static void large_sides_are_trimmed_at_both_ends(void **state)
{
	struct matrix m[2] = { MATRIX_INIT, MATRIX_INIT };
	const struct matrix *side[2] = { &m[0], &m[1] };
	struct comparison c;

	(void)state;
	/* 64 runs: two off each end; 200: three, though 200 >> 5 is six */
	for (size_t i = 0; i < 64; i++)
		matrix_set(&m[0], "a.x", i, (double)i, NULL);
	for (size_t i = 0; i < 200; i++)
		matrix_set(&m[1], "a.x", i, (double)(199 - i), NULL);
	assert_int_equal(compare_matrices(&c, side, 2, NULL, NULL, NULL), 0);
	assert_float_equal(c.metric[0].side[0].min, 2, EPSILON);
	assert_float_equal(c.metric[0].side[0].max, 61, EPSILON);
	assert_float_equal(c.metric[0].side[0].median, 32, EPSILON);
	assert_float_equal(c.metric[0].side[1].min, 3, EPSILON);
	assert_float_equal(c.metric[0].side[1].max, 196, EPSILON);
	/* the average takes all of them */
	assert_float_equal(c.metric[0].side[0].avg, 31.5, EPSILON);
	compare_release(&c);
	matrix_release(&m[0]);
	matrix_release(&m[1]);
}

static void the_number_of_commits_is_limited(void **state)
{
	struct matrix m = MATRIX_INIT;
	const struct matrix *side[COMPARE_MAX_SIDES + 1];
	struct comparison c;
	struct err err = { 0 };

	(void)state;
	for (size_t i = 0; i <= COMPARE_MAX_SIDES; i++)
		side[i] = &m;
	assert_int_equal(compare_matrices(&c, side, 1, NULL, NULL, &err),
			 ERR_RANGE);
	assert_contains(err.text, "2 to 16 commits");
	assert_int_equal(compare_matrices(&c, side, COMPARE_MAX_SIDES + 1, NULL,
					  NULL, &err),
			 ERR_RANGE);
	compare_release(&c);
}

static void values_near_the_end_of_the_range_stay_harmless(void **state)
{
	struct comparison c;

	(void)state;
	compare_two(&c, "{\"a.x\": [1.7e308, 1.7e308]}",
		    "{\"a.x\": [1.7e308, 1.7e308]}", "");
	assert_int_equal(c.nr, 1);
	assert_false(c.metric[0].changed);
	compare_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(averages_and_population_deviation),
		cmocka_unit_test(change_is_percent_or_difference_by_name),
		cmocka_unit_test(
			deviation_stands_for_itself_where_the_average_is_zero),
		cmocka_unit_test(incomplete_runs_count_in_failure_rows_only),
		cmocka_unit_test(reproduction_divides_by_each_sides_own_runs),
		cmocka_unit_test(given_runs_make_up_for_an_empty_matrix),
		cmocka_unit_test(
			absent_events_are_zero_and_absent_numbers_unknown),
		cmocka_unit_test(further_commits_are_compared_with_the_first),
		cmocka_unit_test(large_sides_are_trimmed_at_both_ends),
		cmocka_unit_test(the_number_of_commits_is_limited),
		cmocka_unit_test(
			values_near_the_end_of_the_range_stay_harmless),
	};

	return RUN_TESTS(tests);
}
