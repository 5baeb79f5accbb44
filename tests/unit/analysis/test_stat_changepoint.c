// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of analysis/stat_changepoint.c.
#include "tests/unit/test.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/stat_changepoint.h"
#include "base/mem.h"
#include "base/rand.h"

#define MAX_VALUES  200
#define MAX_CHANGES 20

static const struct stat_change_rule usual = { 0 };

/* Levels of a series: from @at on, @level. */
struct step {
	size_t at;
	double level;
};

static void fill(struct rand *r, const struct step *steps, size_t nr_steps,
		 size_t nr, double *v)
{
	size_t i, k;

	for (i = 0; i < nr; i++) {
		v[i] = 100 + rand_normal(r);
		for (k = 0; k < nr_steps; k++) {
			if (i >= steps[k].at &&
			    (k + 1 == nr_steps || i < steps[k + 1].at))
				v[i] += steps[k].level;
		}
	}
}

static size_t points(const double *v, size_t nr, struct stat_change *out)
{
	struct stat_changes c = { out, MAX_CHANGES, 99 };

	assert_int_equal(stat_change_points(v, nr, &usual, &c, NULL), 0);
	return c.nr;
}

static void steps_are_found_where_they_are(void **state)
{
	static const struct step steps[] = { { 60, 4 }, { 110, -3 } };
	struct stat_change c[MAX_CHANGES];
	double v[MAX_VALUES];
	struct rand r;
	int t;

	(void)state;
	rand_seed(&r, 11);
	for (t = 0; t < 20; t++) {
		fill(&r, steps, 2, MAX_VALUES, v);
		assert_int_equal(points(v, MAX_VALUES, c), 2);
		assert_in_range(c[0].at, 58, 62);
		assert_in_range(c[1].at, 108, 112);
		assert_true(fabs(c[0].before - 100) < 0.6);
		assert_true(fabs(c[0].after - 104) < 0.7);
		assert_true(fabs(c[1].after - 97) < 0.5);
		assert_true(c[0].p < 1e-9);
	}
}

/* Up and down again: over the whole series hardly anything has changed. */
static void a_hump_is_two_changes(void **state)
{
	static const struct step steps[] = { { 90, 5 }, { 102, 0 } };
	struct stat_change c[MAX_CHANGES];
	double v[MAX_VALUES];
	struct rand r;
	int found = 0;
	int t;

	(void)state;
	rand_seed(&r, 12);
	for (t = 0; t < 20; t++) {
		fill(&r, steps, 2, MAX_VALUES, v);
		found += points(v, MAX_VALUES, c) == 2 && c[0].at >= 89 &&
			 c[0].at <= 91 && c[1].at >= 101 && c[1].at <= 103;
	}
	assert_true(found >= 18);
}

static void noise_has_no_change_points(void **state)
{
	struct stat_change c[MAX_CHANGES];
	double v[MAX_VALUES];
	struct rand r;
	int alarms = 0;
	int t;

	(void)state;
	rand_seed(&r, 13);
	for (t = 0; t < 400; t++) {
		fill(&r, NULL, 0, 40 + (size_t)t % 60, v);
		alarms += points(v, 40 + (size_t)t % 60, c) > 0;
	}
	/* one in a hundred is promised */
	assert_true(alarms <= 8);
}

static void series_without_noise_or_values_are_no_trouble(void **state)
{
	struct stat_change c[MAX_CHANGES];
	double v[MAX_VALUES];
	size_t i;

	(void)state;
	for (i = 0; i < MAX_VALUES; i++)
		v[i] = i < 50 ? 7 : 8;
	assert_int_equal(points(v, 0, c), 0);
	assert_int_equal(points(v, 7, c), 0);
	assert_int_equal(points(v, 50, c), 0);
	assert_int_equal(points(v, 100, c), 1);
	assert_int_equal(c[0].at, 50);
	assert_true(c[0].before == 7 && c[0].after == 8 && c[0].p == 0);
}

static void small_steps_and_too_many_are_left_out(void **state)
{
	static const struct step steps[] = { { 50, 3 }, { 100, 9 } };
	const struct stat_change_rule large = { .min_effect = 0.05 };
	struct stat_change room[MAX_CHANGES];
	struct stat_changes c = { room, MAX_CHANGES, 99 };
	double v[150];
	struct rand r;

	(void)state;
	rand_seed(&r, 14);
	fill(&r, steps, 2, 150, v);
	assert_int_equal(stat_change_points(v, 150, &large, &c, NULL), 0);
	assert_int_equal(c.nr, 1);
	assert_in_range(room[0].at, 98, 102);
	c.max = 1;
	assert_int_equal(stat_change_points(v, 150, &usual, &c, NULL), 0);
	assert_int_equal(c.nr, 1);
	c.max = 0;
	assert_int_equal(stat_change_points(v, 150, &usual, &c, NULL), 0);
	assert_int_equal(c.nr, 0);
}

static void bad_rules_and_series_are_errors(void **state)
{
	const struct stat_change_rule rules[] = { { .alpha = 1 },
						  { .alpha = NAN },
						  { .min_len = 2 },
						  { .min_effect = -1 } };
	double *v = xcalloc(STAT_CHANGE_MAX_VALUES + 1, sizeof(*v));
	struct stat_change room[1];
	struct stat_changes c = { room, 1, 99 };
	struct err err = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rules); i++)
		assert_int_equal(stat_change_points(v, 9, &rules[i], &c, &err),
				 ERR_RANGE);
	assert_int_equal(stat_change_points(v, STAT_CHANGE_MAX_VALUES + 1,
					    &usual, &c, &err),
			 ERR_LIMIT);
	v[4] = INFINITY;
	assert_int_equal(stat_change_points(v, 9, &usual, &c, &err), ERR_DATA);
	assert_int_equal(c.nr, 99);
	free(v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_are_found_where_they_are),
		cmocka_unit_test(a_hump_is_two_changes),
		cmocka_unit_test(noise_has_no_change_points),
		cmocka_unit_test(series_without_noise_or_values_are_no_trouble),
		cmocka_unit_test(small_steps_and_too_many_are_left_out),
		cmocka_unit_test(bad_rules_and_series_are_errors),
	};

	return RUN_TESTS(tests);
}
