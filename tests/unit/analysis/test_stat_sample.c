// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of analysis/stat_sample.c.
#include "tests/unit/test.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/stat_sample.h"

static const double five[] = { 3, 1, 2, 2, 10 };

static void moments_are_mean_and_sample_variance(void **state)
{
	struct stat_moments m;

	(void)state;
	stat_moments(five, 5, &m);
	assert_true(fabs(m.mean - 3.6) < 1e-12 && fabs(m.var - 13.3) < 1e-12);
	assert_int_equal(m.nr, 5);
	stat_moments(five, 1, &m);
	assert_true(m.mean == 3 && m.var == 0);
}

static void order_statistics_are_those_of_numpy(void **state)
{
	double *v = stat_sorted(five, 5);

	(void)state;
	assert_true(v[0] == 1 && v[4] == 10 && five[0] == 3);
	assert_true(stat_median_sorted(v, 5) == 2);
	assert_true(stat_median_sorted(v, 4) == 2);
	assert_int_equal(stat_distinct_sorted(v, 5), 4);
	assert_int_equal(stat_distinct_sorted(v, 0), 0);
	/* numpy.quantile([1,2,2,3,10], [0,.1,.5,.9,1]) */
	assert_true(stat_quantile_sorted(v, 5, 0) == 1);
	assert_true(fabs(stat_quantile_sorted(v, 5, 0.1) - 1.4) < 1e-12);
	assert_true(stat_quantile_sorted(v, 5, 0.5) == 2);
	assert_true(fabs(stat_quantile_sorted(v, 5, 0.9) - 7.2) < 1e-12);
	assert_true(stat_quantile_sorted(v, 5, 1) == 10);
	assert_true(stat_quantile_sorted(v, 1, 0.7) == 1);
	free(v);
}

static void far_values_are_pulled_in(void **state)
{
	double v[] = { 3, -9, 2, 2, 10 };

	(void)state;
	stat_clip(v, 5, 4);
	assert_true(v[0] == 3 && v[1] == -2 && v[2] == 2 && v[4] == 6);
	stat_clip(v, 0, 4);
}

static void what_can_not_be_worked_on_is_named(void **state)
{
	const double bad[] = { 1, 2, -INFINITY };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(stat_check(five, 5, 5, "it", &err), 0);
	assert_int_equal(stat_check(five, 5, 6, "it", &err), ERR_RANGE);
	assert_string_equal(err.text, "it needs 6 or more values, not 5");
	assert_int_equal(stat_check(bad, 3, 1, "it", &err), ERR_DATA);
	assert_string_equal(err.text, "it: value 3 is not finite");
	assert_int_equal(stat_check(five, STAT_MAX_VALUES + 1, 1, "it", &err),
			 ERR_LIMIT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(moments_are_mean_and_sample_variance),
		cmocka_unit_test(order_statistics_are_those_of_numpy),
		cmocka_unit_test(far_values_are_pulled_in),
		cmocka_unit_test(what_can_not_be_worked_on_is_named),
	};

	return RUN_TESTS(tests);
}
