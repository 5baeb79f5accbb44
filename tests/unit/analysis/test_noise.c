// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of analysis/noise.c.
#include "tests/unit/test.h"

#include <math.h>

#include "analysis/noise.h"
#include "base/mem.h"
#include "base/rand.h"

#define BOOTS 400
#define RUNS  3

static void both_kinds_of_noise_are_told_apart(void **state)
{
	static double values[BOOTS][RUNS];
	struct noise_boot boots[BOOTS];
	struct noise n;
	struct rand r;
	size_t i, j;

	(void)state;
	rand_seed(&r, 3);
	for (i = 0; i < BOOTS; i++) {
		/* two groups of different level */
		double level = i % 2 ? 1000 : 20;
		double boot = 1 + 0.02 * rand_normal(&r);

		for (j = 0; j < RUNS; j++)
			values[i][j] = level * (boot + 0.01 * rand_normal(&r));
		boots[i] = (struct noise_boot){ (int)(i % 2), values[i], RUNS };
	}
	assert_int_equal(noise_estimate(boots, BOOTS, &n), BOOTS);
	assert_true(fabs(n.sd - sqrt(0.0005)) < 0.002);
	assert_true(fabs(n.boot_share - 0.8) < 0.05);
	assert_true(n.dof == BOOTS - 2);
}

static void one_run_a_boot_assumes_boots_differ(void **state)
{
	static const double v[] = { 99, 101, 100, 100 };
	struct noise_boot boots[4];
	struct noise n;
	size_t i;

	(void)state;
	for (i = 0; i < 4; i++)
		boots[i] = (struct noise_boot){ 0, &v[i], 1 };
	noise_estimate(boots, 4, &n);
	assert_true(fabs(n.sd - sqrt(2.0 / 3) / 100) < 1e-12);
	assert_true(n.boot_share == 0.8);
	assert_true(n.dof == 3);
}

static void nothing_is_never_certainty(void **state)
{
	static const double v[] = { 5, 5 };
	static const double zero[] = { 0 };
	struct noise_boot boots[] = { { 0, v, 2 },    { 0, v, 2 },
				      { 1, zero, 1 }, { 2, NULL, 0 },
				      { -1, v, 2 },   { 500, v, 2 } };
	struct noise n;

	(void)state;
	assert_int_equal(noise_estimate(boots, ARRAY_SIZE(boots), &n), 2);
	assert_true(n.sd == 1e-4);
	assert_true(n.dof == 1);
	assert_int_equal(noise_estimate(NULL, 0, &n), 0);
	assert_true(n.sd == 1e-4 && n.dof == 1 && n.boot_share == 0.8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_kinds_of_noise_are_told_apart),
		cmocka_unit_test(one_run_a_boot_assumes_boots_differ),
		cmocka_unit_test(nothing_is_never_certainty),
	};

	return RUN_TESTS(tests);
}
