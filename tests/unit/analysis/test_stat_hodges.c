// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of analysis/stat_hodges.c.
#include "tests/unit/test.h"

#include <stdlib.h>

#include "analysis/stat_hodges.h"
#include "analysis/stat_mannwhitney.h"
#include "base/mem.h"
#include "base/rand.h"
#include "tests/data/stat/vectors.h"
#include "tests/unit/analysis/stat_help.h"

static void shifts_and_intervals_are_those_of_the_definition(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(hodges_vectors); i++) {
		struct stat_hodges h;

		assert_int_equal(stat_hodges_lehmann(hodges_vectors[i].a,
						     hodges_vectors[i].na,
						     hodges_vectors[i].b,
						     hodges_vectors[i].nb, &h,
						     NULL),
				 0);
		assert_close(h.shift, hodges_vectors[i].shift, 1e-9);
		assert_close(h.lo, hodges_vectors[i].lo, 1e-9);
		assert_close(h.hi, hodges_vectors[i].hi, 1e-9);
	}
}

static void zero_is_outside_when_the_rank_test_rejects(void **state)
{
	struct rand r;
	int rejected = 0;
	int t;

	(void)state;
	rand_seed(&r, 5);
	for (t = 0; t < 300; t++) {
		double a[7], b[8];
		struct stat_mannwhitney u;
		struct stat_hodges h;
		int i;

		for (i = 0; i < 7; i++)
			a[i] = rand_normal(&r);
		for (i = 0; i < 8; i++)
			b[i] = rand_normal(&r) + 1.3;
		assert_int_equal(stat_mannwhitney(a, 7, b, 8, &u, NULL), 0);
		assert_int_equal(stat_hodges_lehmann(a, 7, b, 8, &h, NULL), 0);
		assert_int_equal(u.p <= 0.05, h.lo > 0 || h.hi < 0);
		rejected += u.p <= 0.05;
	}
	assert_true(rejected > 100 && rejected < 290);
}

static void one_outlier_does_not_move_it(void **state)
{
	const double a[] = { 1, 2, 3, 4, 5 };
	const double b[] = { 11, 12, 13, 14, 1e9 };
	size_t i = 0;
	struct stat_hodges h;

	(void)state;
	assert_int_equal(stat_hodges_lehmann(a, 5, b, 5, &h, NULL), 0);
	assert_close(h.shift, 10, 0.11);
}

static void too_many_pairs_are_refused(void **state)
{
	double *v = xcalloc(2000, sizeof(*v));
	struct stat_hodges h;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(stat_hodges_lehmann(v, 2000, v, 2000, &h, &err),
			 ERR_LIMIT);
	assert_contains(err.text, "2000 against 2000");
	assert_int_equal(stat_hodges_lehmann(v, 0, v, 5, &h, &err), ERR_RANGE);
	free(v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			shifts_and_intervals_are_those_of_the_definition),
		cmocka_unit_test(zero_is_outside_when_the_rank_test_rejects),
		cmocka_unit_test(one_outlier_does_not_move_it),
		cmocka_unit_test(too_many_pairs_are_refused),
	};

	return RUN_TESTS(tests);
}
