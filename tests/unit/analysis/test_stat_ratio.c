// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of analysis/stat_ratio.c.
#include "tests/unit/test.h"

#include "analysis/stat_ratio.h"
#include "base/mem.h"
#include "tests/data/stat/vectors.h"
#include "tests/unit/analysis/stat_help.h"

static void intervals_hold_the_ratios_a_t_test_keeps(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(ratio_vectors); i++) {
		struct stat_ratio q;

		assert_int_equal(stat_ratio(ratio_vectors[i].a,
					    ratio_vectors[i].na,
					    ratio_vectors[i].b,
					    ratio_vectors[i].nb, &q, NULL),
				 0);
		assert_close(q.change, ratio_vectors[i].change, 1e-9);
		assert_close(q.lo, ratio_vectors[i].lo, 1e-7);
		assert_close(q.hi, ratio_vectors[i].hi, 1e-7);
	}
}

static void constant_sides_have_a_point_for_an_interval(void **state)
{
	const double a[] = { 4, 4, 4 };
	const double b[] = { 5, 5 };
	struct stat_ratio q;

	(void)state;
	assert_int_equal(stat_ratio(a, 3, b, 2, &q, NULL), 0);
	assert_true(q.change == 0.25 && q.lo == 0.25 && q.hi == 0.25);
}

static void a_base_that_may_be_0_bounds_nothing(void **state)
{
	const double a[] = { -5, 7, 1 };
	const double b[] = { 5, 6, 7 };
	struct stat_ratio q;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(stat_ratio(a, 3, b, 3, &q, NULL), 0);
	assert_true(isinf(q.lo) && isinf(q.hi));
	assert_int_equal(stat_ratio(a, 1, b, 3, &q, &err), ERR_RANGE);
	assert_int_equal(stat_ratio(a, 3, b, 1, &q, &err), ERR_RANGE);
	/* the mean of two: 1 less than nothing */
	assert_int_equal(
		stat_ratio((const double[]){ -5, 3 }, 2, b, 3, &q, &err),
		ERR_RANGE);
	assert_contains(err.text, "above 0, not -1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intervals_hold_the_ratios_a_t_test_keeps),
		cmocka_unit_test(constant_sides_have_a_point_for_an_interval),
		cmocka_unit_test(a_base_that_may_be_0_bounds_nothing),
	};

	return RUN_TESTS(tests);
}
