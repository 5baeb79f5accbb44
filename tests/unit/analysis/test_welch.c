// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of analysis/welch.c. The vectors were computed with 40 digits from the
// incomplete beta function; the first is Student's sleep data.
#include "tests/unit/test.h"

#include "analysis/welch.h"

#include <math.h>

static void assert_close(double got, double want, double relative)
{
	if (!(fabs(got - want) <= relative * fabs(want)))
		fail_msg("got %.17g, expected %.17g", got, want);
}

static void known_samples_give_known_values(void **state)
{
	static const struct {
		double a[10];
		size_t na;
		double b[10];
		size_t nb;
		struct welch want;
	} rows[] = {
		{ { 0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0 },
		  10,
		  { 1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4 },
		  10,
		  { 1.58, -0.20548323071171097, 3.365483230711711,
		    1.8608134674868531, 17.77647351617849,
		    0.079394140187358138 } },
		{ { 3, 4, 5 },
		  3,
		  { 1000003, 1000004.5, 1000006, 1000007 },
		  4,
		  { 1000001.125, 999998.39835147655, 1000003.8516485234,
		    953915.43337425235, 4.8125608042373797,
		    2.5326781965153609e-28 } },
		{ { 64412021, 64734081, 64089961 },
		  3,
		  { 58171101, 58461956, 57880245, 58171101, 58300000 },
		  5,
		  { -6215140.4, -6869877.0341873079, -5560403.7658126921,
		    -29.731556254124464, 3.0873976155567482,
		    6.730194971522786e-5 } },
		{ { 1, 2 },
		  2,
		  { 2, 1.5 },
		  2,
		  { 0.25, -3.2092614150355346, 3.7092614150355346,
		    0.44721359549995794, 1.4705882352941176,
		    0.71172279123366965 } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct welch w;
		double p;

		assert_int_equal(welch_test(rows[i].a, rows[i].na, rows[i].b,
					    rows[i].nb, &w, NULL),
				 0);
		assert_close(w.diff, rows[i].want.diff, 1e-12);
		assert_close(w.t, rows[i].want.t, 1e-9);
		assert_close(w.df, rows[i].want.df, 1e-9);
		assert_close(w.p, rows[i].want.p, 1e-6);
		assert_close(w.lo, rows[i].want.lo, 1e-7);
		assert_close(w.hi, rows[i].want.hi, 1e-7);
		assert_int_equal(welch_p(rows[i].a, rows[i].na, rows[i].b,
					 rows[i].nb, &p, NULL),
				 0);
		assert_true(p == w.p);
	}
}

static void constant_sides_are_equal_or_surely_different(void **state)
{
	const double one[] = { 1, 1, 1 };
	const double two[] = { 2, 2 };
	struct welch w;

	(void)state;
	assert_int_equal(welch_test(one, 3, one, 2, &w, NULL), 0);
	assert_true(w.p == 1.0 && w.diff == 0.0);
	assert_int_equal(welch_test(one, 3, two, 2, &w, NULL), 0);
	assert_true(w.p == 0.0 && w.lo == 1.0 && w.hi == 1.0);
}

static void tiny_units_do_not_underflow(void **state)
{
	const double a[] = { 1e-170, 2e-170, 3e-170 };
	const double b[] = { 2e-170, 3e-170, 4e-170 };
	struct welch w;

	(void)state;
	assert_int_equal(welch_test(a, 3, b, 3, &w, NULL), 0);
	assert_true(isfinite(w.p) && w.p >= 0.0 && w.p <= 1.0);
}

static void too_few_or_bad_samples_are_errors(void **state)
{
	const double good[] = { 1, 2, 3 };
	const double bad[] = { 1, NAN, 3 };
	const double inf[] = { 1, INFINITY, 3 };
	struct welch w = { .p = 7 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(welch_test(good, 1, good, 3, &w, &err), ERR_RANGE);
	assert_contains(err.text, "two or more runs");
	assert_int_equal(welch_test(good, 3, bad, 3, &w, &err), ERR_DATA);
	assert_int_equal(welch_test(inf, 3, good, 3, &w, &err), ERR_DATA);
	assert_true(w.p == 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_samples_give_known_values),
		cmocka_unit_test(constant_sides_are_equal_or_surely_different),
		cmocka_unit_test(tiny_units_do_not_underflow),
		cmocka_unit_test(too_few_or_bad_samples_are_errors),
	};

	return RUN_TESTS(tests);
}
