// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of analysis/stat_cusum.c. Average run lengths are those of the tables
// for a slack of 0.5 and a limit of 5: 465 without a shift, 10.4 with one
// deviation, 4.01 with two.
#include "tests/unit/test.h"

#include <math.h>

#include "analysis/stat_cusum.h"
#include "base/mem.h"
#include "base/rand.h"

/* Values until the alarm, on average. */
static double run_length(double shift, int trials)
{
	struct rand r;
	double sum = 0;
	int i;

	rand_seed(&r, 6);
	for (i = 0; i < trials; i++) {
		struct stat_cusum c;

		stat_cusum_init(&c, 50, 2);
		while (!stat_cusum_add(&c, 50 + 2 * (shift + rand_normal(&r))))
			;
		sum += (double)c.nr;
	}
	return sum / trials;
}

static void run_lengths_are_those_of_the_tables(void **state)
{
	static const struct {
		double shift, length, slack;
	} rows[] = { { 0, 465, 45 }, { 1, 10.4, 0.4 }, { 2, 4.01, 0.15 } };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		double got = run_length(rows[i].shift, 3000);

		if (fabs(got - rows[i].length) > rows[i].slack)
			fail_msg("shift %g: %g values, expected %g",
				 rows[i].shift, got, rows[i].length);
	}
}

static void it_tells_direction_and_beginning(void **state)
{
	struct stat_cusum c;
	int said = 0;
	int i;

	(void)state;
	stat_cusum_init(&c, 10, 1);
	for (i = 0; i < 20; i++)
		assert_int_equal(stat_cusum_add(&c, 10), 0);
	for (i = 0; i < 6 && !said; i++)
		said = stat_cusum_add(&c, 8);
	assert_int_equal(said, -1);
	assert_int_equal(i, 4);
	assert_int_equal(c.down_from, 20);
	assert_int_equal(stat_cusum_add(&c, NAN), 0);
	assert_int_equal(c.nr, 24);
	stat_cusum_restart(&c);
	assert_int_equal(stat_cusum_add(&c, 10), 0);
	assert_true(c.target == 10);
	assert_int_equal(stat_cusum_add(&c, 16), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(run_lengths_are_those_of_the_tables),
		cmocka_unit_test(it_tells_direction_and_beginning),
	};

	return RUN_TESTS(tests);
}
