// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of analysis/stat_fdr.c.
#include "tests/unit/test.h"

#include "analysis/stat_fdr.h"
#include "base/mem.h"
#include "base/rand.h"
#include "tests/data/stat/vectors.h"
#include "tests/unit/analysis/stat_help.h"

static void q_values_are_the_levels_of_the_definition(void **state)
{
	double q[40];
	size_t row, i;

	(void)state;
	for (row = 0; row < ARRAY_SIZE(fdr_vectors); row++) {
		size_t nr = fdr_vectors[row].nr;

		assert_int_equal(stat_bh(fdr_vectors[row].p, nr, q), nr);
		for (i = 0; i < nr; i++)
			assert_close(q[i], fdr_vectors[row].bh[i], 1e-9);
		assert_int_equal(stat_ebh(fdr_vectors[row].e, nr, q), nr);
		for (i = 0; i < nr; i++)
			assert_close(q[i], fdr_vectors[row].ebh[i], 1e-9);
	}
}

static void what_was_not_tested_does_not_count(void **state)
{
	double v[] = { NAN, 0.02, NAN, 0.5 };

	(void)state;
	assert_int_equal(stat_bh(v, 4, v), 2);
	assert_true(isnan(v[0]) && isnan(v[2]));
	assert_true(v[1] == 0.04 && v[3] == 0.5);
	assert_int_equal(stat_bh(v, 0, v), 0);
}

static void no_evidence_is_never_believed(void **state)
{
	const double e[] = { 0, 1, 0.5 };
	double q[3];

	(void)state;
	assert_int_equal(stat_ebh(e, 3, q), 3);
	assert_true(q[0] == 1 && q[1] == 1 && q[2] == 1);
}

/* With nothing changed, a comparison of many metrics rarely believes any. */
static void few_comparisons_of_equal_kernels_believe_anything(void **state)
{
	double p[200], q[200];
	struct rand r;
	int alarms = 0;
	int t, i;

	(void)state;
	rand_seed(&r, 9);
	for (t = 0; t < 1000; t++) {
		int any = 0;

		for (i = 0; i < 200; i++)
			p[i] = rand_unit(&r);
		stat_bh(p, 200, q);
		for (i = 0; i < 200; i++)
			any |= q[i] <= 0.05;
		alarms += any;
	}
	/* 50 expected; three deviations either way */
	assert_in_range(alarms, 29, 71);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(q_values_are_the_levels_of_the_definition),
		cmocka_unit_test(what_was_not_tested_does_not_count),
		cmocka_unit_test(no_evidence_is_never_believed),
		cmocka_unit_test(
			few_comparisons_of_equal_kernels_believe_anything),
	};

	return RUN_TESTS(tests);
}
