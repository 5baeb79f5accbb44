// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of analysis/stat_variance.c.
#include "tests/unit/test.h"

#include <stdlib.h>

#include "analysis/stat_variance.h"
#include "base/mem.h"
#include "base/rand.h"
#include "tests/data/stat/vectors.h"
#include "tests/unit/analysis/stat_help.h"

static size_t take(size_t row, struct stat_run *out)
{
	size_t nr = variance_vectors[row].nr;
	size_t i;

	/* backwards: the order must not matter */
	for (i = 0; i < nr; i++)
		out[nr - 1 - i] = (struct stat_run){
			(int)variance_vectors[row].build[i],
			(int)variance_vectors[row].boot[i],
			variance_vectors[row].value[i],
		};
	return nr;
}

static void components_are_those_of_projections(void **state)
{
	struct stat_run v[40];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(variance_vectors); i++) {
		struct stat_variance s;
		size_t nr = take(i, v);

		assert_int_equal(stat_variance_nested(v, nr, &s, NULL), 0);
		assert_close(s.run, variance_vectors[i].run, 1e-8);
		assert_close(s.boot, variance_vectors[i].boot_var, 1e-8);
		assert_close(s.build, variance_vectors[i].build_var, 1e-8);
		assert_close(s.run_dof, variance_vectors[i].dof[0], 1e-12);
		assert_close(s.boot_dof, variance_vectors[i].dof[1], 1e-12);
		assert_close(s.build_dof, variance_vectors[i].dof[2], 1e-12);
	}
}

static void a_large_design_finds_what_was_put_in(void **state)
{
	struct stat_run *v = xcalloc(60 * 10 * 4, sizeof(*v));
	struct stat_variance s;
	size_t nr = 0;
	struct rand r;
	int i, j, k;

	(void)state;
	rand_seed(&r, 4);
	for (i = 0; i < 60; i++) {
		double layout = 3 * rand_normal(&r);

		for (j = 0; j < 10; j++) {
			double boot = 2 * rand_normal(&r);
			int runs = 1 + (int)rand_below(&r, 4);

			for (k = 0; k < runs; k++)
				v[nr++] = (struct stat_run){
					i, j, layout + boot + rand_normal(&r)
				};
		}
	}
	assert_int_equal(stat_variance_nested(v, nr, &s, NULL), 0);
	assert_true(fabs(s.run - 1) < 0.15);
	assert_true(fabs(s.boot - 4) < 0.8);
	assert_true(fabs(s.build - 9) < 4);
	assert_true(fabs(s.fresh - 5) < 0.8);
	assert_true(s.fresh_dof > 400 && s.fresh_dof < 1200);
	assert_int_equal(s.builds, 60);
	assert_int_equal(s.boots, 600);
	free(v);
}

static void one_run_a_boot_leaves_both_together(void **state)
{
	const struct stat_run v[] = { { 7, 1, 10 },
				      { 7, 2, 12 },
				      { 7, 3, 14 } };
	struct stat_variance s;

	(void)state;
	assert_int_equal(stat_variance_nested(v, 3, &s, NULL), 0);
	assert_true(isnan(s.run) && isnan(s.build));
	assert_true(s.boot == 4 && s.fresh == 4 && s.fresh_dof == 2);
}

static void too_few_boots_and_bad_values_are_errors(void **state)
{
	struct stat_run v[] = { { 0, 0, 1 }, { 0, 0, 2 }, { 0, 1, NAN } };
	struct stat_variance s = { .mean = 7 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(stat_variance_nested(v, 2, &s, &err), ERR_RANGE);
	assert_contains(err.text, "two or more boots, not 1");
	assert_int_equal(stat_variance_nested(v, 3, &s, &err), ERR_DATA);
	assert_int_equal(stat_variance_nested(v, 0, &s, &err), ERR_RANGE);
	assert_true(s.mean == 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(components_are_those_of_projections),
		cmocka_unit_test(a_large_design_finds_what_was_put_in),
		cmocka_unit_test(one_run_a_boot_leaves_both_together),
		cmocka_unit_test(too_few_boots_and_bad_values_are_errors),
	};

	return RUN_TESTS(tests);
}
