// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of analysis/stat_mannwhitney.c against scipy and enumeration.
#include "tests/unit/test.h"

#include "analysis/stat_mannwhitney.h"
#include "base/mem.h"
#include "tests/data/stat/vectors.h"
#include "tests/unit/analysis/stat_help.h"

static void p_values_are_those_of_scipy_and_of_enumeration(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(mannwhitney_vectors); i++) {
		struct stat_mannwhitney u, back;

		assert_int_equal(stat_mannwhitney(mannwhitney_vectors[i].a,
						  mannwhitney_vectors[i].na,
						  mannwhitney_vectors[i].b,
						  mannwhitney_vectors[i].nb, &u,
						  NULL),
				 0);
		assert_close(u.u, mannwhitney_vectors[i].u, 1e-12);
		assert_close(u.p, mannwhitney_vectors[i].p, 1e-9);
		assert_int_equal(u.exact, mannwhitney_vectors[i].exact);
		/* the sides may change places */
		assert_int_equal(stat_mannwhitney(mannwhitney_vectors[i].b,
						  mannwhitney_vectors[i].nb,
						  mannwhitney_vectors[i].a,
						  mannwhitney_vectors[i].na,
						  &back, NULL),
				 0);
		assert_close(back.p, u.p, 1e-9);
	}
}

static void equal_values_say_nothing(void **state)
{
	const double one[40] = { 0 };
	struct stat_mannwhitney u;

	(void)state;
	assert_int_equal(stat_mannwhitney(one, 5, one, 5, &u, NULL), 0);
	assert_true(u.p == 1 && u.u == 12.5);
	assert_int_equal(stat_mannwhitney(one, 40, one, 40, &u, NULL), 0);
	assert_true(u.p == 1 && !u.exact);
}

static void sides_that_do_not_overlap_have_the_least_p(void **state)
{
	const double a[] = { 1, 2, 3 };
	const double b[] = { 4, 5, 6 };
	size_t i = 0;
	struct stat_mannwhitney u;

	(void)state;
	assert_int_equal(stat_mannwhitney(a, 3, b, 3, &u, NULL), 0);
	assert_close(u.p, 0.1, 1e-12);
	assert_true(u.u == 9);
}

static void a_cut_keeps_the_error_below_its_level(void **state)
{
	(void)state;
	/* 3 against 3: one in ten, more than one in twenty */
	assert_int_equal(stat_mannwhitney_cut(3, 3, 0.05), 0);
	assert_int_equal(stat_mannwhitney_cut(3, 3, 0.1), 1);
	assert_int_equal(stat_mannwhitney_cut(4, 4, 0.05), 1);
	/* tables of the critical U: 2 and 23 */
	assert_int_equal(stat_mannwhitney_cut(5, 5, 0.05), 3);
	assert_int_equal(stat_mannwhitney_cut(10, 10, 0.05), 24);
	assert_int_equal(stat_mannwhitney_cut(1, 40, 0.05), 0);
}

static void bad_samples_are_errors(void **state)
{
	const double good[] = { 1, 2, 3 };
	const double bad[] = { 1, NAN, 3 };
	struct stat_mannwhitney u = { .p = 7 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(stat_mannwhitney(good, 0, good, 3, &u, &err),
			 ERR_RANGE);
	assert_contains(err.text, "1 or more values");
	assert_int_equal(stat_mannwhitney(good, 3, bad, 3, &u, &err), ERR_DATA);
	assert_contains(err.text, "value 2 is not finite");
	assert_true(u.p == 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			p_values_are_those_of_scipy_and_of_enumeration),
		cmocka_unit_test(equal_values_say_nothing),
		cmocka_unit_test(sides_that_do_not_overlap_have_the_least_p),
		cmocka_unit_test(a_cut_keeps_the_error_below_its_level),
		cmocka_unit_test(bad_samples_are_errors),
	};

	return RUN_TESTS(tests);
}
