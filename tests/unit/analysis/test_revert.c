// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of analysis/revert.c.
#include "tests/unit/test.h"

#include <math.h>

#include "analysis/revert.h"
#include "base/rand.h"

#define MAX_PAIRS 12

/* @nr pairs whose revert is @change of head, boots varying by @sd. */
static void make_pairs(struct rand *r, double change, double sd,
		       struct verdict_pair *out, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		out[i].base = 1000 * (1 + sd * rand_normal(r));
		out[i].head = 1000 * (1 + change + sd * rand_normal(r));
	}
}

static struct revert_in input(const struct verdict_pair *pairs, size_t nr,
			      double effect)
{
	return (struct revert_in){ .pairs = pairs,
				   .nr = nr,
				   .planned = 4,
				   .max_pairs = MAX_PAIRS,
				   .effect = effect };
}

/* As the daemon looks: after each round, until it is told to stop. */
static enum revert_kind look(const struct verdict_pair *pairs, double effect,
			     double sd, double dof)
{
	struct revert_in in = input(pairs, 0, effect);
	struct revert_verdict v;

	in.sd = sd;
	in.dof = dof;
	do {
		revert_decide(&in, &v);
		in.nr += (size_t)v.more;
		assert_true(in.nr <= MAX_PAIRS);
	} while (v.kind == REVERT_MORE);
	return v.kind;
}

static void what_is_back_is_seen(void **state)
{
	static const struct verdict_pair pairs[] = {
		{ 950, 1000 }, { 951, 1001 }, { 949, 999 }, { 950, 1001 }
	};
	struct revert_in in = input(pairs, 4, -0.05);
	struct revert_verdict v;

	(void)state;
	revert_decide(&in, &v);
	assert_int_equal(v.kind, REVERT_BACK);
	assert_true(fabs(v.expected - 0.0526) < 0.0001);
	assert_true(fabs(v.delta - 0.0529) < 0.0002);
	assert_true(v.lo < v.delta && v.delta < v.hi && v.e_back >= 100);
	assert_string_equal(revert_to_str(v.kind), "back");
}

/* Where less is better a regression is a rise, and a revert lowers it. */
static void a_rise_comes_back_down(void **state)
{
	static const struct verdict_pair pairs[] = {
		{ 105, 100 }, { 105.1, 100.1 }, { 104.9, 99.9 }, { 105, 100.1 }
	};
	struct revert_in in = input(pairs, 4, 0.05);
	struct revert_verdict v;

	(void)state;
	revert_decide(&in, &v);
	assert_int_equal(v.kind, REVERT_BACK);
	assert_true(v.expected < 0 && v.delta < 0);
}

static void what_is_not_back_is_seen(void **state)
{
	static const struct verdict_pair same[] = {
		{ 950, 950 }, { 951, 952 }, { 949, 948 }, { 950, 951 }
	};
	static const struct verdict_pair worse[] = {
		{ 950, 900 }, { 951, 901 }, { 949, 899 }, { 950, 901 }
	};
	struct revert_in in = input(same, 4, -0.05);
	struct revert_verdict v;

	(void)state;
	revert_decide(&in, &v);
	assert_int_equal(v.kind, REVERT_NOT_BACK);
	assert_true(v.e_half >= 100 && v.e_back < 100);
	in.pairs = worse;
	revert_decide(&in, &v);
	assert_int_equal(v.kind, REVERT_NOT_BACK);
	assert_string_equal(revert_to_str(v.kind), "not-back");
}

static void noise_is_looked_at_longer_and_then_left_open(void **state)
{
	static const struct verdict_pair pairs[MAX_PAIRS] = {
		{ 900, 1000 }, { 1000, 900 },  { 1000, 1100 }, { 1080, 1000 },
		{ 950, 1050 }, { 1040, 1000 }, { 900, 1000 },  { 1000, 900 },
		{ 970, 1060 }, { 1080, 1000 }, { 960, 1050 },  { 1040, 1000 },
	};
	struct revert_in in = input(pairs, 4, -0.05);
	struct revert_verdict v;

	(void)state;
	revert_decide(&in, &v);
	assert_int_equal(v.kind, REVERT_MORE);
	assert_int_equal(v.more, 4);
	in.nr = 10;
	revert_decide(&in, &v);
	assert_int_equal(v.more, 2);
	in.nr = MAX_PAIRS;
	revert_decide(&in, &v);
	assert_int_equal(v.kind, REVERT_OPEN);
	assert_int_equal(v.more, 0);
	in.nr = 0;
	revert_decide(&in, &v);
	assert_int_equal(v.kind, REVERT_MORE);
	assert_true(isnan(v.delta));
}

/* Neither answer may be wrong often; boots vary by a fifth of the effect. */
static void wrong_answers_are_rare(void **state)
{
	enum { TRIALS = 1000 };
	struct verdict_pair pairs[MAX_PAIRS];
	int back[2] = { 0, 0 };
	int not_back[2] = { 0, 0 };
	struct rand r;
	int i, given;

	(void)state;
	rand_seed(&r, 20);
	for (i = 0; i < TRIALS; i++) {
		for (given = 0; given < 2; given++) {
			enum revert_kind kind;

			make_pairs(&r, given ? 1 / 0.95 - 1 : 0, 0.01, pairs,
				   MAX_PAIRS);
			kind = look(pairs, -0.05, 0.01, 40);
			back[given] += kind == REVERT_BACK;
			not_back[given] += kind == REVERT_NOT_BACK;
		}
	}
	assert_true(back[0] <= TRIALS / 100);
	assert_true(not_back[1] <= TRIALS / 100);
	assert_true(back[1] >= TRIALS * 95 / 100);
	assert_true(not_back[0] >= TRIALS * 80 / 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_back_is_seen),
		cmocka_unit_test(a_rise_comes_back_down),
		cmocka_unit_test(what_is_not_back_is_seen),
		cmocka_unit_test(noise_is_looked_at_longer_and_then_left_open),
		cmocka_unit_test(wrong_answers_are_rare),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
