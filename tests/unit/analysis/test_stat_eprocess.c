// SPDX-License-Identifier: GPL-3.0-or-later
// Evidence that may be looked at after every pair.
#include "tests/unit/test.h"

#include <math.h>

#include "analysis/stat_eprocess.h"
#include "base/mem.h"
#include "base/rand.h"

static void test_evalue_is_the_formula(void **state)
{
	/* (1+ng)^(−1/2)·[(1+t²/ν)/(1+t²/(ν(1+ng)))]^((ν+1)/2), in double
	 * precision */
	static const struct {
		double t2, nu, info, e;
	} cases[] = {
		{ 0, 20, 0, 1 },
		{ 0, 20, 3, 0.5 },
		{ 9, 20, 3, 8.07577 },
		{ 25, 30, 8, 1016.291 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		double e = stat_evalue(cases[i].t2, cases[i].nu, cases[i].info);

		assert_float_equal(e / cases[i].e, 1, 1e-5);
	}
}

static void test_the_t_of_an_evalue_gives_it_back(void **state)
{
	static const struct {
		double nu, info, e;
	} cases[] = {
		{ 3, 100, 20 }, { 20, 4, 100 }, { 39, 50, 1e6 }, { 8, 9, 1 }
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		double t =
			stat_evalue_t(cases[i].nu, cases[i].info, cases[i].e);
		double e = stat_evalue(t * t, cases[i].nu, cases[i].info);

		assert_float_equal(e / cases[i].e, 1, 1e-9);
	}
	/* (1 + info)^(nu/2) is the most it can say */
	assert_true(isinf(stat_evalue_t(3, 3, 8)));
	assert_true(isfinite(stat_evalue_t(3, 3, 7.99)));
	assert_true(isinf(stat_evalue_t(0, 3, 2)));
}

static void test_a_detectable_effect_is_found_in_four_of_five(void **state)
{
	const double t = 3;
	struct rand r;
	int hits = 0;
	int i, k;

	(void)state;
	rand_seed(&r, 17);
	for (i = 0; i < 4000; i++) {
		double chi = 0;

		for (k = 0; k < 9; k++) {
			double z = rand_normal(&r);

			chi += z * z;
		}
		hits += (stat_detectable_t(t, 9) + rand_normal(&r)) /
				sqrt(chi / 9) >=
			t;
	}
	assert_in_range(hits, 3100, 3300);
	assert_true(isinf(stat_detectable_t(INFINITY, 9)));
}

static void test_a_prior_just_reaches_what_is_needed(void **state)
{
	double g = stat_evalue_prior(3, 4, 1000);

	(void)state;
	assert_float_equal(pow(1 + 4 * g, 1.5), 1000, 1e-9);
	assert_true(isinf(stat_evalue_prior(0, 1, 1000)));
}

static void test_no_pairs_are_no_evidence(void **state)
{
	struct stat_pairs p = { .prior_var = 2,
				.prior_dof = 20,
				.effect_sd = 1 };

	(void)state;
	assert_float_equal(stat_pairs_evalue(&p), 1, 0);
	assert_float_equal(stat_pairs_mean(&p), 0, 0);
	assert_float_equal(stat_pairs_var(&p), 2, 0);
}

static void test_huge_evidence_stays_finite(void **state)
{
	struct stat_pairs p = { .prior_var = 1e-12,
				.prior_dof = 1e6,
				.effect_sd = 1 };
	int i;

	(void)state;
	for (i = 0; i < 1000; i++)
		stat_pairs_add(&p, 1);
	assert_true(isfinite(stat_pairs_evalue(&p)));
	assert_true(stat_pairs_evalue(&p) > 1e6);
}

/* One sequence of pairs at @effect; whether E reached 100 within @max. */
static int reaches(struct rand *r, double effect, int max)
{
	struct stat_pairs p = { .prior_var = 2,
				.prior_dof = 20,
				.effect_sd = 1.5 };

	while (p.nr < max) {
		stat_pairs_add(&p, effect + sqrt(2) * rand_normal(r));
		if (stat_pairs_evalue(&p) >= 100)
			return p.nr;
	}
	return 0;
}

static void test_peeking_gives_few_false_alarms(void **state)
{
	struct rand r;
	int alarms = 0;
	int i;

	(void)state;
	rand_seed(&r, 1);
	for (i = 0; i < 2000; i++)
		alarms += reaches(&r, 0, 40) > 0;
	/* 1 % is promised; 3 deviations above that would be 33 */
	assert_true(alarms <= 33);
}

static void test_effect_is_found_in_few_pairs(void **state)
{
	struct rand r;
	int found = 0;
	int pairs = 0;
	int i;

	(void)state;
	rand_seed(&r, 2);
	for (i = 0; i < 300; i++) {
		int nr = reaches(&r, 1.5, 60);

		found += nr > 0;
		pairs += nr;
	}
	assert_true(found >= 298);
	assert_true(pairs / found <= 16);
}

static void test_llr_gives_up_on_nothing(void **state)
{
	struct stat_pairs p = { .prior_var = 2,
				.prior_dof = 1000,
				.effect_sd = 1 };
	int i;

	(void)state;
	for (i = 0; i < 40; i++)
		stat_pairs_add(&p, i % 2 ? 1.4 : -1.4);
	assert_true(stat_pairs_llr(&p, 0.75) < -4.6);
	for (i = 0; i < 40; i++)
		stat_pairs_add(&p, 1.5);
	assert_true(stat_pairs_llr(&p, 0.75) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_evalue_is_the_formula),
		cmocka_unit_test(test_the_t_of_an_evalue_gives_it_back),
		cmocka_unit_test(
			test_a_detectable_effect_is_found_in_four_of_five),
		cmocka_unit_test(test_a_prior_just_reaches_what_is_needed),
		cmocka_unit_test(test_no_pairs_are_no_evidence),
		cmocka_unit_test(test_huge_evidence_stays_finite),
		cmocka_unit_test(test_peeking_gives_few_false_alarms),
		cmocka_unit_test(test_effect_is_found_in_few_pairs),
		cmocka_unit_test(test_llr_gives_up_on_nothing),
	};

	return RUN_TESTS(tests);
}
