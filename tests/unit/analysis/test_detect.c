// SPDX-License-Identifier: GPL-3.0-or-later
// The gates of `make bench-detect` with few trials: allowances are those of
// three deviations of a share of so many.
#include "tests/unit/test.h"

#include "base/mem.h"
#include "tests/unit/analysis/detect_sim.h"
#include "tests/unit/analysis/posterior_sim.h"

#define TRIALS	  2000
#define MAX_PAIRS 40

static double allowance(double share, int trials)
{
	return 3 * sqrt(share * (1 - share) / trials);
}

static void equal_kernels_rarely_look_different(void **state)
{
	static const struct sim_look looks[] = {
		{ true, false, 0, MAX_PAIRS },
		{ true, true, 4, MAX_PAIRS },
		{ false, true, 4, MAX_PAIRS },
	};
	size_t i;
	int noise;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(looks); i++) {
		for (noise = SIM_NORMAL; noise <= SIM_SKEWED; noise++) {
			struct sim_power p;

			/* the flow pulls outliers in, a bare e-process can't */
			if (!looks[i].daemon && noise != SIM_NORMAL)
				continue;
			sim_power(3, 0, (enum sim_noise)noise, &looks[i],
				  TRIALS, &p);
			assert_true(p.found <= 0.01);
			assert_true(p.covered >=
				    0.93 - allowance(0.93, TRIALS));
		}
	}
}

static void a_change_is_found_in_forty_pairs(void **state)
{
	static const struct sim_look looks[] = {
		{ true, false, 0, MAX_PAIRS },
		{ true, true, 4, MAX_PAIRS },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(looks); i++) {
		struct sim_power p;

		sim_power(4, 1, SIM_NORMAL, &looks[i], TRIALS, &p);
		assert_true(p.found >= 0.8 - allowance(0.8, TRIALS));
		assert_true(p.covered >= 0.93 && p.covered <= 0.97);
		sim_power(5, 1.5, SIM_NORMAL, &looks[i], TRIALS, &p);
		assert_true(p.found >= 0.99);
		assert_true(p.pairs < 20);
	}
}

static void intervals_hold_what_they_claim(void **state)
{
	static const struct {
		enum sim_interval kind;
		size_t boots;
		int trials;
	} rows[] = {
		{ SIM_WELCH, 3, TRIALS },     { SIM_WELCH, 10, TRIALS },
		{ SIM_RATIO, 5, TRIALS },     { SIM_RATIO, 20, TRIALS },
		{ SIM_HODGES, 10, TRIALS },   { SIM_HODGES, 20, TRIALS },
		{ SIM_BOOTSTRAP_T, 10, 400 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		double c = sim_coverage(6 + i, rows[i].kind, rows[i].boots,
					SIM_NORMAL, rows[i].trials);

		if (fabs(c - 0.95) > 0.02 + allowance(0.95, rows[i].trials))
			fail_msg("%s, %zu boots: %g",
				 sim_interval_name(rows[i].kind), rows[i].boots,
				 c);
	}
	assert_true(isnan(sim_coverage(1, SIM_BOOTSTRAP_T, 7, SIM_NORMAL, 2)));
}

static void a_posterior_of_most_is_right_most_of_the_time(void **state)
{
	const struct world_plan plan = { .nr = 32, .delta = -0.03, .sd = 0.02 };
	struct posterior_sim s = { 0 };
	double said = 0, was = 0;
	int nr = 0;
	int i;

	(void)state;
	for (i = 0; i < 150; i++)
		posterior_trial(&plan, 900 + (uint64_t)i, &s);
	/* few trials: all bins below .95 together, and in two halves */
	for (i = 0; i < POSTERIOR_BINS - 1; i++) {
		said += s.bins[i].said;
		was += s.bins[i].was;
		nr += s.bins[i].nr;
		if (i != 4 && i != POSTERIOR_BINS - 2)
			continue;
		assert_true(nr > 300);
		/* rounds of one bisection go together: ten to a piece of news
		 */
		assert_true(fabs(said - was) / nr <=
			    0.03 + allowance(0.7, nr / 10));
		said = was = nr = 0;
	}
	assert_int_equal(s.wrong, 0);
	assert_true(s.ok >= 145);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_kernels_rarely_look_different),
		cmocka_unit_test(a_change_is_found_in_forty_pairs),
		cmocka_unit_test(intervals_hold_what_they_claim),
		cmocka_unit_test(a_posterior_of_most_is_right_most_of_the_time),
	};

	return RUN_TESTS(tests);
}
