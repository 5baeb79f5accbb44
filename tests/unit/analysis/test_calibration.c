// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of analysis/calibration.c: boots drawn from a known world give back
// what they were drawn from, and boxes that aren't one box fail.
#include "tests/unit/test.h"

#include <math.h>
#include <string.h>

#include "analysis/calibration.h"
#include "base/rand.h"

#define MAX_BOOTS  64
#define MAX_RUNS   4
#define TRIALS	   200
#define MIN_EFFECT 0.01

/* A world: deviations of runs and boots, step of the walk, jump in the middle,
 * deviation of layouts (every fifth boot of one of @layouts), all relative. */
struct world {
	int boots, runs, layouts;
	double sd_run, sd_boot, drift, jump, layout_sd;
};

struct night {
	double values[MAX_BOOTS][MAX_RUNS];
	struct calibration_boot boots[MAX_BOOTS];
};

static void draw(const struct world *w, struct rand *r, struct night *n)
{
	double tau[8] = { 0 };
	double level = 0;
	int i, j;

	for (i = 1; i <= w->layouts; i++)
		tau[i] = w->layout_sd * rand_normal(r);
	for (i = 0; i < w->boots; i++) {
		int layout =
			w->layouts && i % 5 == 4 ? 1 + i / 5 % w->layouts : 0;
		double boot = 1 + w->sd_boot * rand_normal(r) + tau[layout];

		level += w->drift * rand_normal(r);
		for (j = 0; j < w->runs; j++)
			n->values[i][j] =
				1000 *
				(boot + level + (i >= w->boots / 2) * w->jump +
				 w->sd_run * rand_normal(r));
		n->boots[i] =
			(struct calibration_boot){ n->values[i],
						   (size_t)w->runs, layout };
	}
}

/* Means over many nights. */
struct means {
	double var, var_boot, dof, drift, layout, alarms, trials, passed;
};

static struct means repeat(const struct world *w, int nights)
{
	struct means m = { 0 };
	struct rand r;
	int i;

	rand_seed(&r, 7);
	for (i = 0; i < nights; i++) {
		struct night n;
		struct calibration c;
		struct str why = STR_INIT;

		draw(w, &r, &n);
		assert_true(calibration_estimate(n.boots, (size_t)w->boots,
						 MIN_EFFECT, TRIALS, &c));
		m.var += c.sd * c.sd / nights;
		m.var_boot += c.sd_boot * c.sd_boot / nights;
		m.dof += c.dof / nights;
		m.drift += (c.drift > 0) / (double)nights;
		m.layout += c.layout_sd * c.layout_sd / nights;
		m.alarms += c.aa_alarms;
		m.trials += c.aa_trials;
		m.passed += calibration_passes(&c, MIN_EFFECT, 1, &why) /
			    (double)nights;
		str_release(&why);
	}
	return m;
}

static void within(double value, double want, double ratio)
{
	if (fabs(value - want) > ratio * fabs(want))
		fail_msg("%g is not within %g%% of %g", value, 100 * ratio,
			 want);
}

static void the_components_come_back(void **state)
{
	static const struct world w = {
		.boots = 20, .runs = 3, .sd_run = 0.01, .sd_boot = 0.02
	};
	struct means m = repeat(&w, 400);

	(void)state;
	within(m.var, 0.0005, 0.05);
	within(m.var_boot, 0.0004, 0.05);
	/* 19 of the boots, a little more for the runs */
	assert_true(m.dof > 19 && m.dof < 27);
	assert_true(isnan(m.layout));
	assert_true(m.passed >= 0.99);
	assert_true(m.drift < 0.1);
}

static void quiet_boots_are_told_from_noisy_runs(void **state)
{
	static const struct world w = { .boots = 20,
					.runs = 4,
					.sd_run = 0.02 };
	struct means m = repeat(&w, 400);

	(void)state;
	within(m.var, 0.0004, 0.08);
	/* a variance can't be below 0, so it isn't 0 on average */
	assert_true(m.var_boot < 0.00004);
	assert_true(m.dof > 40);
}

static void one_run_a_boot_puts_most_between_boots(void **state)
{
	static const struct world w = {
		.boots = 20, .runs = 1, .sd_run = 0.01, .sd_boot = 0.02
	};
	struct means m = repeat(&w, 400);

	(void)state;
	within(m.var, 0.0005, 0.05);
	within(m.var_boot, 0.0004, 0.05);
}

static void a_calibrated_test_keeps_its_promise(void **state)
{
	static const struct world w = {
		.boots = 20, .runs = 2, .sd_run = 0.005, .sd_boot = 0.01
	};
	struct means m = repeat(&w, 200);

	(void)state;
	assert_true(m.trials == 200 * TRIALS);
	if (m.alarms > 0.01 * m.trials)
		fail_msg("%g false alarms in %g splits", m.alarms, m.trials);
}

static void a_box_that_changes_at_night_fails(void **state)
{
	static const struct world w = { .boots = 20,
					.runs = 2,
					.sd_run = 0.005,
					.sd_boot = 0.008,
					.jump = -0.05 };
	struct night n;
	struct calibration c;
	struct str why = STR_INIT;
	struct rand r;

	(void)state;
	assert_true(repeat(&w, 100).passed < 0.02);
	rand_seed(&r, 1);
	draw(&w, &r, &n);
	assert_true(calibration_estimate(n.boots, 20, MIN_EFFECT, TRIALS, &c));
	assert_false(calibration_passes(&c, MIN_EFFECT, 1, &why));
	assert_contains(why.p, "the second half of 20 boots of one kernel "
			       "measured -");
	str_release(&why);
}

static void a_small_step_is_left_to_interleaving(void **state)
{
	static const struct world w = { .boots = 20,
					.runs = 2,
					.sd_run = 0.0005,
					.sd_boot = 0.0005,
					.jump = 0.005 };

	(void)state;
	assert_true(repeat(&w, 50).passed > 0.999);
}

static void a_walking_box_is_seen(void **state)
{
	static const struct world still = {
		.boots = 40, .runs = 2, .sd_run = 0.005, .sd_boot = 0.01
	};
	static const struct world walks = { .boots = 40,
					    .runs = 2,
					    .sd_run = 0.005,
					    .sd_boot = 0.01,
					    .drift = 0.005 };

	(void)state;
	assert_true(repeat(&still, 200).drift < 0.1);
	assert_true(repeat(&walks, 200).drift > 0.8);
}

static void layouts_differ_by_more_than_boots(void **state)
{
	static const struct world some = { .boots = 60,
					   .runs = 2,
					   .layouts = 3,
					   .sd_run = 0.002,
					   .sd_boot = 0.004,
					   .layout_sd = 0.02 };
	static const struct world none = { .boots = 60,
					   .runs = 2,
					   .layouts = 3,
					   .sd_run = 0.002,
					   .sd_boot = 0.004 };
	double layout;

	(void)state;
	/*
	 * The configured layout stands at the mean here, and has 48 of the 60
	 * boots: 0.54 of the variance is expected.
	 */
	layout = repeat(&some, 100).layout;
	if (layout < 0.00015 || layout > 0.0003)
		fail_msg("layout variance %g", layout);
	assert_true(repeat(&none, 100).layout < 0.000004);
}

static void numbers_without_noise_are_no_trouble(void **state)
{
	double values[2] = { 5, 5 };
	struct calibration_boot boots[12];
	struct str why = STR_INIT;
	struct calibration c;
	size_t i;

	(void)state;
	for (i = 0; i < 12; i++)
		boots[i] = (struct calibration_boot){ values, 2, 0 };
	assert_true(calibration_estimate(boots, 12, MIN_EFFECT, TRIALS, &c));
	assert_true(c.sd == 1e-4 && c.mean == 5 && c.drift == 0);
	assert_true(isfinite(c.halves_e) && isfinite(c.dof));
	assert_int_equal(c.aa_alarms, 0);
	assert_true(calibration_passes(&c, MIN_EFFECT, 1, &why));
	str_release(&why);
}

static void too_little_is_refused(void **state)
{
	double values[2] = { 5, 5 };
	double zero[2] = { 0, 0 };
	struct calibration_boot boots[12];
	struct calibration c = { .boots = 77 };
	size_t i;

	(void)state;
	for (i = 0; i < 12; i++)
		boots[i] =
			(struct calibration_boot){ values, i % 2 ? 2 : 0, 0 };
	assert_false(calibration_estimate(boots, 12, MIN_EFFECT, TRIALS, &c));
	for (i = 0; i < 12; i++)
		boots[i] =
			(struct calibration_boot){ values, 2, i < 7 ? 0 : 1 };
	assert_false(calibration_estimate(boots, 12, MIN_EFFECT, TRIALS, &c));
	for (i = 0; i < 12; i++)
		boots[i] = (struct calibration_boot){ zero, 2, 0 };
	assert_false(calibration_estimate(boots, 12, MIN_EFFECT, TRIALS, &c));
	assert_int_equal(c.boots, 77);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_components_come_back),
		cmocka_unit_test(quiet_boots_are_told_from_noisy_runs),
		cmocka_unit_test(one_run_a_boot_puts_most_between_boots),
		cmocka_unit_test(a_calibrated_test_keeps_its_promise),
		cmocka_unit_test(a_box_that_changes_at_night_fails),
		cmocka_unit_test(a_small_step_is_left_to_interleaving),
		cmocka_unit_test(a_walking_box_is_seen),
		cmocka_unit_test(layouts_differ_by_more_than_boots),
		cmocka_unit_test(numbers_without_noise_are_no_trouble),
		cmocka_unit_test(too_little_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
