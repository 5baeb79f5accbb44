// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of analysis/verdict.c.
#include "tests/unit/test.h"

#include <math.h>

#include "analysis/verdict.h"
#include "base/mem.h"
#include "base/rand.h"

static struct verdict_in uncalibrated(const struct verdict_pair *pairs,
				      size_t nr)
{
	return (struct verdict_in){ .pairs = pairs,
				    .nr = nr,
				    .planned = 4,
				    .max_pairs = 12,
				    .min_effect = 0.01,
				    .candidates = 1,
				    .direction = 1 };
}

static void a_clear_change_is_named_by_its_direction(void **state)
{
	static const struct verdict_pair pairs[] = {
		{ 100, 90 }, { 101, 90.5 }, { 99.5, 90.2 }, { 100.4, 89.9 }
	};
	struct verdict_in in = uncalibrated(pairs, 4);
	struct verdict v;

	(void)state;
	verdict_decide(&in, &v);
	assert_int_equal(v.kind, VERDICT_REGRESSION);
	assert_true(fabs(v.delta + 0.1008) < 0.0005);
	assert_true(v.e_value >= 100);
	assert_true(v.lo < v.delta && v.delta < v.hi && v.hi < 0);
	in.direction = -1;
	verdict_decide(&in, &v);
	assert_int_equal(v.kind, VERDICT_IMPROVEMENT);
}

static void equal_numbers_are_no_change(void **state)
{
	static const struct verdict_pair pairs[] = {
		{ 100, 100 }, { 100, 100 }, { 100, 100 }, { 100, 100 }
	};
	struct verdict_in in = uncalibrated(pairs, 4);
	struct verdict v;

	(void)state;
	verdict_decide(&in, &v);
	assert_int_equal(v.kind, VERDICT_NO_CHANGE);
	assert_true(isfinite(v.e_value) && v.e_value < 1);
	assert_true(v.delta == 0);
}

/* Two numbers that a simulated clock gives may differ without any noise. */
static void a_change_without_noise_is_seen(void **state)
{
	static const struct verdict_pair pairs[] = {
		{ 100, 98 }, { 100, 98 }, { 100, 98 }, { 100, 98 }
	};
	struct verdict_in in = uncalibrated(pairs, 4);
	struct verdict v;

	(void)state;
	verdict_decide(&in, &v);
	assert_int_equal(v.kind, VERDICT_REGRESSION);
	assert_true(isfinite(v.e_value));
}

static void what_is_too_small_does_not_count(void **state)
{
	static const struct verdict_pair pairs[] = {
		{ 100, 99.5 }, { 100, 99.5 }, { 100, 99.501 }, { 100, 99.5 }
	};
	struct verdict_in in = uncalibrated(pairs, 4);
	struct str why = STR_INIT;
	struct verdict v;

	(void)state;
	verdict_decide(&in, &v);
	assert_int_equal(v.kind, VERDICT_NO_CHANGE);
	assert_true(v.e_value > 100);
	verdict_add_why(&in, &v, "m", &why);
	assert_contains(why.p, "below the 1.0% that counts");
	str_release(&why);
}

static void doubt_asks_for_more_pairs_up_to_the_maximum(void **state)
{
	static const struct verdict_pair pairs[] = {
		{ 100, 92 }, { 101, 99 }, { 97, 92 }, { 103, 101 },
		{ 100, 92 }, { 101, 99 }, { 97, 92 }, { 103, 101 },
	};
	struct verdict_in in = uncalibrated(pairs, 4);
	struct verdict v;

	(void)state;
	verdict_decide(&in, &v);
	assert_int_equal(v.kind, VERDICT_MORE);
	assert_int_equal(v.more, 2);
	in.max_pairs = 5;
	verdict_decide(&in, &v);
	assert_int_equal(v.more, 1);
	in.max_pairs = 4;
	verdict_decide(&in, &v);
	assert_int_equal(v.kind, VERDICT_UNDECIDED);
	in = uncalibrated(pairs, 0);
	verdict_decide(&in, &v);
	assert_int_equal(v.kind, VERDICT_MORE);
	assert_int_equal(v.more, 4);
	in.nr = 1;
	verdict_decide(&in, &v);
	assert_int_equal(v.kind, VERDICT_MORE);
	assert_int_equal(v.more, 3);
}

/* E cannot exceed (1+ng)^(v/2): g must leave the planned pairs a chance. */
static void planned_pairs_can_reach_the_evidence(void **state)
{
	static const int planned[] = { 3, 4, 5, 8, 20 };
	struct verdict_pair pairs[20];
	size_t i, j;

	(void)state;
	for (j = 0; j < 20; j++)
		pairs[j] = (struct verdict_pair){ 100, 50 };
	for (i = 0; i < ARRAY_SIZE(planned); i++) {
		int m;

		for (m = 1; m <= 5; m++) {
			struct verdict_in in =
				uncalibrated(pairs, (size_t)planned[i]);
			struct verdict v;

			in.planned = planned[i];
			in.max_pairs = 3 * planned[i];
			in.candidates = m;
			verdict_decide(&in, &v);
			assert_true(v.e_needed == 100.0 * m);
			assert_int_equal(v.kind, VERDICT_REGRESSION);
		}
	}
}

/* What is called detectable is found in four of five tries. */
static void what_is_detectable_is_found_in_four_of_five(void **state)
{
	struct verdict_pair pairs[12];
	double sum = 0;
	struct rand r;
	int hits = 0;
	int t, round;

	(void)state;
	rand_seed(&r, 8);
	/* first how large that is, then how often it is found */
	for (round = 0; round < 2; round++) {
		for (t = 0; t < 1000; t++) {
			struct verdict_in in = uncalibrated(pairs, 12);
			struct verdict v;
			int i;

			for (i = 0; i < 12; i++) {
				pairs[i].base = 1 + 0.02 * rand_normal(&r);
				pairs[i].head = 1 + 0.02 * rand_normal(&r) -
						(round ? sum / 1000 : 0);
			}
			verdict_decide(&in, &v);
			if (!round)
				sum += v.detectable;
			hits += round && v.kind == VERDICT_REGRESSION;
		}
	}
	assert_true(sum / 1000 > 0.03 && sum / 1000 < 0.06);
	/* the noise that it was computed from is an estimate itself */
	assert_in_range(hits, 700, 880);
}

static void calibration_makes_few_pairs_enough(void **state)
{
	static const struct verdict_pair pairs[] = { { 100, 97 },
						     { 100.1, 97.1 } };
	struct verdict_in in = uncalibrated(pairs, 2);
	struct verdict v;

	(void)state;
	verdict_decide(&in, &v);
	assert_int_equal(v.kind, VERDICT_MORE);
	in.sd = 0.002;
	in.dof = 20;
	verdict_decide(&in, &v);
	assert_int_equal(v.kind, VERDICT_REGRESSION);
}

static void senseless_levels_are_no_verdict(void **state)
{
	static const struct verdict_pair cases[][4] = {
		{ { 0, 5 }, { 0, 5 }, { 0, 5 }, { 0, 5 } },
		{ { -1, 5 }, { -1, 5 }, { -1, 5 }, { -1, 5 } },
		/* ratios that no double holds */
		{ { 1e-5, 1e308 }, { 1e-5, 1e308 }, { 1e-5, 1 }, { 1e-5, 1 } },
		{ { 1e308, 1 }, { 1e308, 1 }, { 1e308, 1 }, { 1e308, 1 } },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct verdict_in in = uncalibrated(cases[i], 4);
		struct str why = STR_INIT;
		struct verdict v;

		verdict_decide(&in, &v);
		if (i == 3) { /* large, but a level */
			assert_true(isfinite(v.delta));
			continue;
		}
		assert_int_equal(v.kind, VERDICT_UNDECIDED);
		assert_true(isnan(v.delta) && isnan(v.lo) && isnan(v.hi));
		verdict_add_why(&in, &v, "m", &why);
		assert_string_equal(why.p, "m: undecided: the base has no "
					   "level to measure a change by");
		str_release(&why);
	}
}

/* The whole sequential procedure: share of false alarms, and of hits. */
static double share_of(double sd, double effect, enum verdict_kind kind)
{
	struct verdict_pair pairs[16];
	struct rand r;
	int hits = 0;
	int t;

	rand_seed(&r, 7);
	for (t = 0; t < 2000; t++) {
		struct verdict_in in = uncalibrated(pairs, 0);
		struct verdict v;

		for (verdict_decide(&in, &v); v.kind == VERDICT_MORE;
		     verdict_decide(&in, &v)) {
			while (v.more--) {
				pairs[in.nr].base = 1 + sd * rand_normal(&r);
				pairs[in.nr++].head =
					1 + effect + sd * rand_normal(&r);
			}
		}
		hits += v.kind == kind;
	}
	return hits / 2000.0;
}

static void false_alarms_are_rare_and_changes_are_found(void **state)
{
	static const double sds[] = { 0.001, 0.01, 0.05 };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(sds); i++) {
		assert_true(share_of(sds[i], 0, VERDICT_REGRESSION) < 0.005);
		assert_true(share_of(sds[i], 0, VERDICT_IMPROVEMENT) < 0.005);
	}
	assert_true(share_of(0.01, -0.03, VERDICT_REGRESSION) > 0.9);
	assert_true(share_of(0.001, -0.02, VERDICT_REGRESSION) > 0.99);
}

static void the_sentence_says_how_sure(void **state)
{
	static const struct verdict_pair pairs[] = {
		{ 100, 90 }, { 101, 90.5 }, { 99.5, 90.2 }, { 100.4, 89.9 }
	};
	struct verdict_in in = uncalibrated(pairs, 4);
	struct str why = STR_INIT;
	struct verdict v;

	(void)state;
	verdict_decide(&in, &v);
	verdict_add_why(&in, &v, "stress-ng.pipe.ops_per_sec", &why);
	assert_contains(why.p, "stress-ng.pipe.ops_per_sec: 10.1% regression, "
			       "E = ");
	assert_contains(why.p, ", 95% CI -");
	assert_contains(why.p, ", 4 boots a side; box not calibrated");
	str_release(&why);
	assert_string_equal(verdict_to_str(VERDICT_MORE), "");
	assert_string_equal(verdict_to_str(VERDICT_NO_CHANGE), "no-change");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_clear_change_is_named_by_its_direction),
		cmocka_unit_test(equal_numbers_are_no_change),
		cmocka_unit_test(a_change_without_noise_is_seen),
		cmocka_unit_test(what_is_too_small_does_not_count),
		cmocka_unit_test(doubt_asks_for_more_pairs_up_to_the_maximum),
		cmocka_unit_test(planned_pairs_can_reach_the_evidence),
		cmocka_unit_test(what_is_detectable_is_found_in_four_of_five),
		cmocka_unit_test(calibration_makes_few_pairs_enough),
		cmocka_unit_test(senseless_levels_are_no_verdict),
		cmocka_unit_test(false_alarms_are_rare_and_changes_are_found),
		cmocka_unit_test(the_sentence_says_how_sure),
	};

	return RUN_TESTS(tests);
}
