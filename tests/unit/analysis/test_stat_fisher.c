// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of analysis/stat_fisher.c against scipy.
#include "tests/unit/test.h"

#include "analysis/stat_fisher.h"
#include "base/mem.h"
#include "tests/data/stat/vectors.h"
#include "tests/unit/analysis/stat_help.h"

static void p_values_are_those_of_scipy(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(fisher_vectors); i++)
		assert_close(stat_fisher(fisher_vectors[i].fails_a,
					 fisher_vectors[i].runs_a,
					 fisher_vectors[i].fails_b,
					 fisher_vectors[i].runs_b),
			     fisher_vectors[i].p, 1e-9);
}

static void a_side_without_runs_says_nothing(void **state)
{
	(void)state;
	assert_true(stat_fisher(0, 0, 3, 3) == 1);
	assert_true(stat_fisher(3, 3, 0, 0) == 1);
	assert_true(stat_fisher(0, 5, 0, 5) == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(p_values_are_those_of_scipy),
		cmocka_unit_test(a_side_without_runs_says_nothing),
	};

	return RUN_TESTS(tests);
}
