// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of web-static/svg.c.
#include "tests/unit/test.h"

#include <math.h>
#include <stdlib.h>

#include "web-static/svg.h"

static size_t count(const char *text, const char *part)
{
	size_t nr = 0;

	for (; (text = strstr(text, part)) != NULL; text += strlen(part))
		nr++;
	return nr;
}

static struct svg_side side_of(const double *v, size_t nr, const char *label)
{
	return (struct svg_side){ .label = label,
				  .value = v,
				  .nr = nr,
				  .mean = nr ? v[0] : NAN,
				  .median = nr ? v[0] : NAN,
				  .ci_low = NAN,
				  .ci_high = NAN };
}

static void numbers_are_short(void **state)
{
	static const struct {
		double v;
		const char *text;
	} rows[] = {
		{ 0, "0" },
		{ 1.5, "1.5" },
		{ 999.96, "1000" },
		{ 9999, "9999" },
		{ 64412021, "64.41 M" },
		{ 12345, "12.35 k" },
		{ 2.5e9, "2.5 G" },
		{ 3e12, "3 T" },
		{ 1e20, "1e+20" },
		{ -64412021, "-64.41 M" },
		{ 0.00012346, "0.0001235" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct str s = STR_INIT;

		svg_number(&s, rows[i].v);
		assert_string_equal(s.p, rows[i].text);
		str_release(&s);
	}
}

static void a_strip_has_a_dot_for_each_run(void **state)
{
	const double base[] = { 10, 11, 12 };
	const double head[] = { 20, 21 };
	const int boots[] = { 0, 0, 1 };
	struct svg_side side[2] = { side_of(base, 3, "base"),
				    side_of(head, 2, "head") };
	struct str s = STR_INIT;

	(void)state;
	side[0].boot = boots;
	side[0].ci_low = 9;
	side[0].ci_high = 13;
	svg_strip(&s, side, 2, "n 3 against 2");
	assert_int_equal(count(s.p, "<circle"), 5);
	assert_int_equal(count(s.p, "class=\"mean"), 2);
	assert_int_equal(count(s.p, "class=\"ci"), 1);
	assert_contains(s.p, "role=\"img\"");
	assert_contains(s.p, "<title>n 3 against 2</title>");
	assert_null(strstr(s.p, "style="));
	str_release(&s);
}

static void dots_keep_the_order_of_their_values(void **state)
{
	const double base[] = { 1, 2, 3 };
	struct svg_side side = side_of(base, 3, "base");
	struct str s = STR_INIT;
	double last = 0;
	const char *p;

	(void)state;
	svg_strip(&s, &side, 1, "t");
	for (p = s.p; (p = strstr(p, "cx=\"")) != NULL; p++) {
		double x = strtod(p + 4, NULL);

		assert_true(x > last && x < 100);
		last = x;
	}
	assert_true(last > 50);
	str_release(&s);
}

static void labels_and_titles_are_escaped(void **state)
{
	const double v[] = { 1, 2 };
	struct svg_side side = side_of(v, 2, "<script>");
	struct str s = STR_INIT;

	(void)state;
	svg_strip(&s, &side, 1, "</title><script>");
	svg_row(&s, &side, &side, NULL);
	assert_null(strstr(s.p, "<script"));
	str_release(&s);
}

static void without_values_nothing_is_drawn(void **state)
{
	const double bad[] = { NAN, INFINITY };
	struct svg_side none = side_of(NULL, 0, "none");
	struct svg_side nan = side_of(bad, 2, "nan");
	struct str s = STR_INIT;

	(void)state;
	svg_strip(&s, &none, 1, "t");
	svg_strip(&s, &nan, 1, "t");
	svg_row(&s, &none, &nan, NULL);
	svg_bars(&s, NULL, NULL, 0, -1, "t");
	assert_int_equal(s.len, 0);
	str_release(&s);
}

static void equal_and_extreme_values_have_a_scale(void **state)
{
	static const double rows[][2] = {
		{ 5, 5 },	    { 0, 0 },	       { -3, -3 },
		{ 1e-300, 2e-300 }, { -1e300, 1e300 }, { 1e15, 1e15 + 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct svg_side side = side_of(rows[i], 2, "x");
		struct str s = STR_INIT;

		svg_strip(&s, &side, 1, "t");
		svg_row(&s, &side, &side, NULL);
		assert_null(strstr(s.p, "nan"));
		assert_null(strstr(s.p, "inf"));
		assert_true(s.len < 8000);
		str_release(&s);
	}
}

static void a_row_has_two_paths_however_many_runs(void **state)
{
	double v[3000];
	struct svg_side side;
	struct str s = STR_INIT;

	(void)state;
	for (size_t i = 0; i < 3000; i++)
		v[i] = (double)(i * 7919 % 1000);
	side = side_of(v, 3000, NULL);
	svg_row(&s, &side, &side, NULL);
	assert_int_equal(count(s.p, "<path"), 2);
	assert_true(s.len < 3000);
	str_release(&s);
}

static void a_shared_range_makes_rows_comparable(void **state)
{
	const double low[] = { 10 };
	const double high[] = { 90 };
	const double range[2] = { 0, 100 };
	struct svg_side a = side_of(low, 1, NULL);
	struct svg_side b = side_of(high, 1, NULL);
	struct str one = STR_INIT;
	struct str two = STR_INIT;

	(void)state;
	svg_row(&one, &a, &a, range);
	svg_row(&two, &b, &b, range);
	assert_true(strtod(strstr(one.p, "d=\"M") + 4, NULL) <
		    strtod(strstr(two.p, "d=\"M") + 4, NULL));
	str_release(&one);
	str_release(&two);
}

static void bars_mark_the_peak_apart(void **state)
{
	const double before[] = { 0.25, 0.25, 0.25, 0.25 };
	const double after[] = { 0, 0.02, 0.97, 2 };
	struct str s = STR_INIT;

	(void)state;
	svg_bars(&s, before, after, 4, 2, "four");
	assert_contains(s.p, "viewBox=\"0 0 4 100\"");
	/* the peak alone */
	assert_contains(s.p, "class=\"peak\" d=\"M2.12 100v-97h");
	/* clamped to the box */
	assert_contains(s.p, "v-100h");
	assert_int_equal(count(s.p, "<path"), 3);
	str_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_short),
		cmocka_unit_test(a_strip_has_a_dot_for_each_run),
		cmocka_unit_test(dots_keep_the_order_of_their_values),
		cmocka_unit_test(labels_and_titles_are_escaped),
		cmocka_unit_test(without_values_nothing_is_drawn),
		cmocka_unit_test(equal_and_extreme_values_have_a_scale),
		cmocka_unit_test(a_row_has_two_paths_however_many_runs),
		cmocka_unit_test(a_shared_range_makes_rows_comparable),
		cmocka_unit_test(bars_mark_the_peak_apart),
	};

	return RUN_TESTS(tests);
}
