// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of report/sweep_table.c against whole tables made by hand.
#include "tests/unit/test.h"

#include <math.h>

#include "report/sweep_table.h"

static void scores_line_up(void **state)
{
	struct sweep_row row[] = {
		{ (char *)"unbound",
		  96,
		  { 10, 128450, 0.4, 1 },
		  { 10, 127433.5, 12.5, 0 },
		  -0.79,
		  99.6 },
		{ (char *)"node0",
		  48,
		  { 10, 950, 0, 0 },
		  { 10, 950.2, 1, 0 },
		  0.02,
		  0.9 },
		{ (char *)"node1",
		  8,
		  { 1, 12.5, 0, -1 },
		  { 1, 1234567.5, 0, -1 },
		  -0.04,
		  NAN },
	};
	struct sweep s = { (char *)"tps", row, 3 };
	struct str out = STR_INIT;

	(void)state;
	sweep_table_add(&s, &out);
	assert_string_equal(
		out.p,
		"transactions per second\n"
		"\n"
		"                                   diff                 base"
		"                test\n"
		"                      -----------------   ------------------"
		"  ------------------\n"
		"                          tps       tps\n"
		"affinity  nr_threads  (%diff)  (t-test)       tps  std%  nid"
		"      tps  std%  nid\n"
		" unbound          96    -0.8%      100%   128,450    0%    1"
		"  127,434   12%    0\n"
		"   node0          48     0.0%        1%       950    0%    0"
		"      950    1%    0\n"
		"   node1           8     0.0%         -     12.50     -    -"
		"  1,234,568     -    -\n");
	str_release(&out);
}

static void a_long_metric_name_moves_to_the_title(void **state)
{
	struct sweep s = { (char *)"ops_per_sec\n", NULL, 0 };
	struct str out = STR_INIT;

	(void)state;
	sweep_table_add(&s, &out);
	assert_int_equal(strncmp(out.p, "ops_per_sec?\n", 13), 0);
	assert_contains(out.p, "                        score     score\n");
	str_release(&out);
}

static void profile_diffs_come_from_unrounded_shares(void **state)
{
	struct sweep_share all[] = { { true, 0.349, 0.649 },
				     { true, 2.349, 1.693 },
				     { true, 0.499, 0.449 } };
	struct sweep_share pinned[] = { { true, 0.899, 0.949 },
					{ false, 0, 0 },
					{ false, 0, 0 } };
	struct sweep_profile_row row[] = { { (char *)"unbound", 96, all },
					   { (char *)"node1", 56, pinned } };
	struct sweep_profile p = { (char *)"f", (char *)"profile%", 2, row, 2 };
	struct str out = STR_INIT;

	(void)state;
	sweep_profile_table_add(&p, &out);
	assert_string_equal(
		out.p,
		"f profile%\n"
		"\n"
		"                               all_nodes             node0"
		"             node1\n"
		"                        ----------------  ----------------"
		"  ----------------\n"
		"affinity  nr_threads    base  test  diff  base  test  diff"
		"  base  test  diff\n"
		" unbound          96     0.3   0.6   0.3   2.3   1.7  -0.7"
		"   0.5   0.4   0.0\n"
		"   node1          56     0.9   0.9   0.1\n");
	str_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scores_line_up),
		cmocka_unit_test(a_long_metric_name_moves_to_the_title),
		cmocka_unit_test(profile_diffs_come_from_unrounded_shares),
	};

	return RUN_TESTS(tests);
}
