// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of analysis/stat_bootstrap.c.
#include "tests/unit/test.h"

#include "analysis/stat_bootstrap.h"
#include "base/mem.h"
#include "tests/data/stat/vectors.h"
#include "tests/unit/analysis/stat_help.h"

static double mean_of(double *v, size_t nr)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < nr; i++)
		sum += v[i];
	return sum / (double)nr;
}

static const struct stat_statistic mean = { mean_of, "the mean" };

static const double ten[] = { 9.1, 10.2, 9.7, 11.3, 10.1,
			      9.9, 10.6, 9.4, 10.0, 10.8 };
static const double other[] = { 12.2, 11.9, 12.8, 13.0, 11.1,
				12.5, 12.0, 11.7, 12.3 };

static const struct stat_values side[2] = { { ten, 10 }, { other, 9 } };

static void levels_are_those_of_scipy(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(bca_vectors); i++) {
		double lo, hi;

		stat_bca_levels(bca_vectors[i].below, bca_vectors[i].jack,
				bca_vectors[i].nr, 1.959963984540054, &lo, &hi);
		assert_close(lo, bca_vectors[i].lo, 1e-7);
		assert_close(hi, bca_vectors[i].hi, 1e-7);
	}
}

static void equal_seeds_give_equal_intervals(void **state)
{
	const struct stat_bootstrap how = { 0, 3 };
	struct stat_interval x, y;

	(void)state;
	assert_int_equal(stat_bootstrap_bca(ten, 10, &mean, &how, &x, NULL), 0);
	assert_int_equal(stat_bootstrap_bca(ten, 10, &mean, &how, &y, NULL), 0);
	assert_memory_equal(&x, &y, sizeof(x));
	assert_true(x.lo < x.estimate && x.estimate < x.hi);
	/* near the t interval 9.63 … 10.59 */
	assert_true(fabs(x.lo - 9.65) < 0.1 && fabs(x.hi - 10.59) < 0.1);
}

static void a_studentised_interval_is_near_that_of_welch(void **state)
{
	const struct stat_bootstrap how = { 5000, 3 };
	struct stat_interval x;

	(void)state;
	assert_int_equal(stat_bootstrap_t(&side[0], &side[1], &how, &x, NULL),
			 0);
	assert_true(fabs(x.estimate - 2.0567) < 1e-3);
	/* Welch: 1.46 … 2.66 */
	assert_true(fabs(x.lo - 1.46) < 0.2 && fabs(x.hi - 2.66) < 0.2);
}

static void where_it_says_nothing_it_says_so(void **state)
{
	const double steps[] = { 1, 1, 1, 2, 2, 2, 3, 3, 3, 4 };
	const struct stat_bootstrap how = { 0, 1 };
	const struct stat_bootstrap few = { 50, 1 };
	const struct stat_values five = { other, 5 };
	struct stat_interval x = { .lo = 7 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(stat_bootstrap_bca(ten, 7, &mean, &how, &x, &err),
			 ERR_RANGE);
	assert_contains(err.text, "too narrow");
	assert_int_equal(stat_bootstrap_t(&side[0], &five, &how, &x, &err),
			 ERR_RANGE);
	assert_int_equal(stat_bootstrap_bca(steps, 10, &mean, &how, &x, &err),
			 ERR_DATA);
	assert_contains(err.text, "4 different values among 10");
	assert_int_equal(stat_bootstrap_bca(ten, 10, &mean, &few, &x, &err),
			 ERR_RANGE);
	assert_contains(err.text, "50 resamples");
	assert_true(x.lo == 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels_are_those_of_scipy),
		cmocka_unit_test(equal_seeds_give_equal_intervals),
		cmocka_unit_test(a_studentised_interval_is_near_that_of_welch),
		cmocka_unit_test(where_it_says_nothing_it_says_so),
	};

	return RUN_TESTS(tests);
}
