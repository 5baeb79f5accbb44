// SPDX-License-Identifier: GPL-3.0-or-later
// The bisection engine in simulated labs: noise-free, noisy, broken, empty.
#include "tests/unit/test.h"

#include "tests/unit/analysis/bisect_world.h"

#define MAX_ROUNDS  5000
#define LABS_VANISH 20

/* One bisection to its end; the caller frees. */
static struct bisect *finish(struct world *w)
{
	struct err err = { 0 };
	struct bisect *b = world_start(w, &err);
	struct bisect_ask ask;
	int rounds = 0;

	assert_non_null(b);
	while (bisect_next(b, &ask) && rounds++ < MAX_ROUNDS)
		assert_int_equal(world_round(w, b, &err), 0);
	assert_true(rounds < MAX_ROUNDS);
	return b;
}

/* Scores of @trials labs of one plan, and their mean cost. */
struct tally {
	int score[3];
	double runs, builds;
};

static struct tally run_plan(const struct world_plan *plan, int trials)
{
	struct tally t = { { 0 }, 0, 0 };
	int i;

	for (i = 0; i < trials; i++) {
		struct world w;
		struct bisect *b;

		world_init(&w, plan, (uint64_t)i + 1);
		b = finish(&w);
		t.score[world_score(&w, b)]++;
		t.runs += (double)w.runs / trials;
		t.builds += (double)w.nr_builds / trials;
		bisect_free(b);
		world_release(&w);
	}
	return t;
}

static void test_noise_free_takes_log2_builds(void **state)
{
	static const int culprits[] = { 1, 2, 500, 511, 512, 513, 1023, 1024 };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(culprits); i++) {
		struct world_plan plan = { .nr = 1024,
					   .delta = -0.05,
					   .culprit = culprits[i] };
		struct world w;
		struct bisect *b;

		world_init(&w, &plan, 7);
		b = finish(&w);
		assert_int_equal(world_score(&w, b), WORLD_OK);
		/* both ends, log2 of the range, one more where it isn't even */
		assert_true(w.nr_builds <= 2 + 10 + 1);
		bisect_free(b);
		world_release(&w);
	}
}

static void test_labs_are_judged_right(void **state)
{
	static const struct {
		const char *name;
		struct world_plan plan;
		int trials, ok;
		double runs, builds;
	} cases[] = {
		{ "strong",
		  { .nr = 1024, .delta = -0.097, .sd = 0.02 },
		  30,
		  30,
		  30,
		  12.5 },
		{ "usual",
		  { .nr = 1024, .delta = -0.03, .sd = 0.02 },
		  30,
		  30,
		  140,
		  13 },
		{ "improvement",
		  { .nr = 256, .delta = 0.03, .sd = 0.02 },
		  20,
		  20,
		  140,
		  11 },
		{ "drift",
		  { .nr = 1024, .delta = -0.03, .sd = 0.02, .drift = 0.001 },
		  20,
		  20,
		  145,
		  14 },
		{ "bimodal",
		  { .nr = 256, .delta = -0.03, .sd = 0.02, .bimodal = 0.2 },
		  20,
		  19,
		  250,
		  12 },
		{ "outliers",
		  { .nr = 256, .delta = -0.03, .sd = 0.02, .outliers = 0.03 },
		  20,
		  19,
		  215,
		  12 },
		{ "merges",
		  { .nr = 512, .delta = -0.03, .sd = 0.02, .merges = true },
		  20,
		  20,
		  140,
		  13 },
		{ "unbuildable",
		  { .nr = 512, .delta = -0.03, .sd = 0.02, .broken = 0.1 },
		  20,
		  20,
		  140,
		  20 },
		{ "layout",
		  { .nr = 256, .delta = -0.03, .sd = 0.02, .layout = 0.005 },
		  10,
		  9,
		  220,
		  22 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct tally t = run_plan(&cases[i].plan, cases[i].trials);

		if (t.score[WORLD_OK] < cases[i].ok || t.score[WORLD_WRONG] ||
		    t.runs > cases[i].runs || t.builds > cases[i].builds)
			fail_msg("%s: ok %d wrong %d, %.1f runs, %.1f builds",
				 cases[i].name, t.score[WORLD_OK],
				 t.score[WORLD_WRONG], t.runs, t.builds);
	}
}

static void test_nothing_there_accuses_nobody(void **state)
{
	static const struct world_plan plan = {
		.nr = 1024, .sd = 0.02, .claim = -0.03, .budget = 400
	};
	struct tally t;

	(void)state;
	t = run_plan(&plan, 100);
	assert_int_equal(t.score[WORLD_REFUSED], 100);
	assert_true(t.runs <= 110);
	assert_true(t.builds <= 2.1);
}

/* Whether the engine asks for a commit between the two ends. */
static bool is_searching(const struct bisect *b, int nr)
{
	struct bisect_ask ask;
	size_t i;

	bisect_next(b, &ask);
	for (i = 0; i < ask.nr; i++)
		if (ask.boots[i].commit && ask.boots[i].commit != nr)
			return true;
	return false;
}

/*
 * What was there when the search began is gone: a box that was mended, say.
 * Nobody is accused, and what is left of the probability doesn't hide in places
 * where the effect would be next to nothing.
 */
static void test_an_effect_that_vanishes_is_given_up(void **state)
{
	static const struct world_plan plans[] = {
		{ .nr = 1024, .delta = -0.03, .sd = 0.02, .budget = 400 },
		{ .nr = 256,
		  .delta = -0.03,
		  .sd = 0.02,
		  .layout = 0.005,
		  .budget = 400 },
	};
	double none = 0;
	size_t i;

	(void)state;
	for (i = 0; i < LABS_VANISH; i++) {
		const struct world_plan *plan = &plans[i % 2];
		struct err err = { 0 };
		struct bisect_ask ask;
		struct bisect *b;
		struct world w;

		world_init(&w, plan, i + 1);
		b = world_start(&w, &err);
		while (!is_searching(b, plan->nr) && bisect_next(b, &ask))
			assert_int_equal(world_round(&w, b, &err), 0);
		w.plan.delta = 0;
		while (bisect_next(b, &ask) && w.runs < plan->budget)
			assert_int_equal(world_round(&w, b, &err), 0);
		none += bisect_posterior(b, 0) / LABS_VANISH;
		assert_int_equal(world_score(&w, b), WORLD_REFUSED);
		bisect_free(b);
		world_release(&w);
	}
	assert_true(none > 0.3); /* 0.08 where such classes live on */
}

static void test_hopeless_is_refused_before_it_is_spent(void **state)
{
	static const struct world_plan plan = {
		.nr = 1024, .delta = -0.01, .sd = 0.05, .budget = 1000
	};
	struct tally t;

	(void)state;
	t = run_plan(&plan, 50);
	assert_int_equal(t.score[WORLD_REFUSED], 50);
	assert_true(t.runs <= 100);
}

static void test_untestable_stretch_is_named_as_a_set(void **state)
{
	struct world_plan plan = {
		.nr = 64, .delta = -0.1, .sd = 0.01, .culprit = 31
	};
	struct bisect_finding f;
	struct world w;
	struct bisect *b;
	int i;

	(void)state;
	world_init(&w, &plan, 3);
	for (i = 30; i <= 33; i++)
		w.broken[i] = 1;
	b = finish(&w);
	bisect_finding(b, &f);
	assert_int_equal(f.verdict, BISECT_SET);
	/* the broken ones and the first that can be tested behind them */
	assert_int_equal(f.nr_commits, 5);
	assert_int_equal(f.commits[0], 30);
	assert_int_equal(f.commits[4], 34);
	assert_int_equal(f.unbuildable, 4);
	assert_true(f.posterior > 0.99);
	bisect_free(b);
	world_release(&w);
}

static void test_finding_says_how_sure(void **state)
{
	struct world_plan plan = {
		.nr = 128, .delta = -0.04, .sd = 0.01, .culprit = 77
	};
	struct bisect_finding f;
	struct str log = STR_INIT;
	struct world w;
	struct bisect *b;
	double sum = 0;
	int i;

	(void)state;
	world_init(&w, &plan, 5);
	b = finish(&w);
	bisect_finding(b, &f);
	assert_int_equal(f.verdict, BISECT_CULPRIT);
	assert_int_equal(f.commits[0], 77);
	assert_true(f.posterior >= 0.999 && f.posterior <= 1);
	assert_true(f.e_value >= 100);
	assert_true(f.delta_lo < -0.04 && f.delta_hi > -0.04);
	assert_true(f.delta_hi < -0.02);
	assert_int_equal(f.candidates_left, 1);
	assert_int_equal(f.before.boots + f.after.boots, w.boots);
	assert_int_equal(f.runs, w.runs);
	assert_true(f.before.builds >= 2 && f.after.builds >= 2);
	assert_contains(f.reason, "verified");
	for (i = 0; i < 129; i++)
		sum += bisect_posterior(b, i);
	assert_float_equal(sum, 1, 1e-9);
	assert_true(bisect_bad(b, 76) < 0.001 && bisect_bad(b, 77) > 0.999);
	bisect_add_log(b, 10, &log);
	assert_contains(log.p, "detect");
	assert_contains(log.p, "verify");
	assert_contains(log.p, "more …");
	str_release(&log);
	bisect_free(b);
	world_release(&w);
}

/* The larger change is named, and that it isn't all there is. */
static void test_a_second_change_is_told(void **state)
{
	int trial;
	int told = 0;
	int right = 0;

	(void)state;
	for (trial = 0; trial < 20; trial++) {
		struct world_plan plan = { .nr = 128,
					   .delta = -0.06,
					   .sd = 0.005,
					   .claim = -0.10,
					   .culprit = 30,
					   .second = 90,
					   .second_delta = -0.04 };
		struct bisect_finding f;
		struct bisect *b;
		struct world w;

		world_init(&w, &plan, 900 + (uint64_t)trial);
		b = finish(&w);
		bisect_finding(b, &f);
		right += world_score(&w, b) == WORLD_OK;
		told += f.rest_delta < -0.02 && f.rest_delta > -0.06;
		bisect_free(b);
		world_release(&w);
	}
	assert_true(right >= 19);
	assert_true(told >= 18);
}

/* Also where the noise is known from a handful of boots, and looks small. */
static void test_one_change_leaves_no_rest(void **state)
{
	int trial;
	int told = 0;

	(void)state;
	for (trial = 0; trial < 200; trial++) {
		struct world_plan plan = { .nr = 64,
					   .delta = -0.06,
					   .sd = 0.02,
					   .dof = trial % 2 ? 2 : 20 };
		struct bisect_finding f;
		struct bisect *b;
		struct world w;

		world_init(&w, &plan, 500 + (uint64_t)trial);
		b = finish(&w);
		bisect_finding(b, &f);
		told += !isnan(f.rest_delta);
		bisect_free(b);
		world_release(&w);
	}
	assert_true(told <= 1);
}

static void test_commits_that_cannot_matter_are_not_accused(void **state)
{
	struct world_plan plan = {
		.nr = 64, .delta = -0.1, .sd = 0.01, .culprit = 40
	};
	struct bisect_finding f;
	struct world w;
	struct bisect *b;
	int i;

	(void)state;
	world_init(&w, &plan, 9);
	for (i = 1; i <= 64; i++)
		w.commits[i].cannot_matter = i % 8 != 0;
	b = finish(&w);
	bisect_finding(b, &f);
	assert_int_equal(f.verdict, BISECT_CULPRIT);
	assert_int_equal(f.commits[0], 40);
	assert_true(w.nr_builds <= 6);
	bisect_free(b);
	world_release(&w);
}

static void test_detection_boots_count(void **state)
{
	struct world_plan plan = { .nr = 64, .delta = -0.1, .sd = 0.01 };
	struct bisect_boot boot = { 0, 0, 0, 1 };
	struct bisect_result r[12];
	double values[12][32];
	struct bisect_ask ask;
	struct err err = { 0 };
	struct world w;
	struct bisect *b;
	int i;

	(void)state;
	world_init(&w, &plan, 11);
	b = world_start(&w, &err);
	assert_non_null(b);
	for (i = 0; i < 12; i++) {
		boot.commit = i % 2 ? 64 : 0;
		boot.box = i / 2 % 2;
		world_boot(&w, bisect_history(b), &boot, values[i], &r[i]);
	}
	assert_int_equal(bisect_result(b, r, 12, &err), 0);
	assert_int_equal(bisect_next(b, &ask), 1);
	assert_int_equal(ask.phase, BISECT_SEARCH);
	bisect_free(b);
	world_release(&w);
}

static void test_infrastructure_failure_changes_nothing(void **state)
{
	struct world_plan plan = { .nr = 64, .delta = -0.1, .sd = 0.01 };
	struct bisect_result r = { .status = BISECT_INFRA };
	struct bisect_ask ask;
	struct err err = { 0 };
	struct bisect_boot first;
	struct world w;
	struct bisect *b;

	(void)state;
	world_init(&w, &plan, 13);
	b = world_start(&w, &err);
	assert_int_equal(bisect_next(b, &ask), 1);
	first = ask.boots[0];
	r.commit = first.commit;
	assert_int_equal(bisect_result(b, &r, 1, &err), 0);
	assert_int_equal(bisect_next(b, &ask), 1);
	assert_int_equal(ask.boots[0].commit, first.commit);
	assert_int_equal(ask.boots[0].box, first.box);
	bisect_free(b);
	world_release(&w);
}

static void test_bad_results_are_refused_whole(void **state)
{
	static const double one = 1;
	static const double nan_value = NAN;
	static const struct {
		struct bisect_result r;
		int code;
	} cases[] = {
		{ { -1, 0, 0, BISECT_OK, &one, 1 }, ERR_RANGE },
		{ { 65, 0, 0, BISECT_OK, &one, 1 }, ERR_RANGE },
		{ { 1, 2, 0, BISECT_OK, &one, 1 }, ERR_RANGE },
		{ { 1, 0, -1, BISECT_OK, &one, 1 }, ERR_RANGE },
		{ { 1, 0, 0, BISECT_OK, &one, 0 }, ERR_RANGE },
		{ { 1, 0, 0, BISECT_OK, &nan_value, 1 }, ERR_DATA },
	};
	struct world_plan plan = { .nr = 64, .delta = -0.1, .sd = 0.01 };
	struct bisect_finding f;
	struct world w;
	struct bisect *b;
	size_t i;

	(void)state;
	world_init(&w, &plan, 15);
	b = world_start(&w, NULL);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct bisect_result r[2] = { { 0, 0, 0, BISECT_OK, &one, 1 },
					      cases[i].r };
		struct err err = { 0 };

		assert_int_equal(bisect_result(b, r, 2, &err), cases[i].code);
	}
	bisect_finding(b, &f);
	assert_int_equal(f.boots, 0);
	bisect_free(b);
	world_release(&w);
}

static void test_bad_starts_are_refused(void **state)
{
	static const char *const boxes[] = { "b0" };
	struct world_plan plan = { .nr = 8, .delta = -0.1, .sd = 0.01 };
	const struct bisect_start good = {
		.nr_commits = 9,
		.good = "c0",
		.bad = "c8",
		.claim = -0.1,
		.boxes = boxes,
		.nr_boxes = 1,
		.calibration = { 20, 0.01, 0.8, 0, -1 },
		.cost = { 10, 1, 1 },
		.budget_runs = 100,
	};
	struct bisect_start s[8];
	struct world w;
	size_t i;

	(void)state;
	world_init(&w, &plan, 17);
	for (i = 0; i < ARRAY_SIZE(s); i++) {
		s[i] = good;
		s[i].commits = w.commits;
	}
	s[0].claim = 0;
	s[1].claim = NAN;
	s[2].nr_boxes = 0;
	s[3].calibration.sd = 0;
	s[4].calibration.boot_share = 2;
	s[5].cost.run = 0;
	s[6].budget_runs = 0;
	s[7].calibration.layout_sd = NAN;
	for (i = 0; i < ARRAY_SIZE(s); i++) {
		struct err err = { 0 };

		assert_null(bisect_new(&s[i], &err));
		assert_int_equal(err.code, ERR_RANGE);
	}
	world_release(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_noise_free_takes_log2_builds),
		cmocka_unit_test(test_labs_are_judged_right),
		cmocka_unit_test(test_nothing_there_accuses_nobody),
		cmocka_unit_test(test_an_effect_that_vanishes_is_given_up),
		cmocka_unit_test(test_hopeless_is_refused_before_it_is_spent),
		cmocka_unit_test(test_untestable_stretch_is_named_as_a_set),
		cmocka_unit_test(test_finding_says_how_sure),
		cmocka_unit_test(test_a_second_change_is_told),
		cmocka_unit_test(test_one_change_leaves_no_rest),
		cmocka_unit_test(
			test_commits_that_cannot_matter_are_not_accused),
		cmocka_unit_test(test_detection_boots_count),
		cmocka_unit_test(test_infrastructure_failure_changes_nothing),
		cmocka_unit_test(test_bad_results_are_refused_whole),
		cmocka_unit_test(test_bad_starts_are_refused),
	};

	return RUN_TESTS(tests);
}
