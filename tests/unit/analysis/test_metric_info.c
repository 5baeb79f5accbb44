// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of analysis/metric_info.c.
#include "tests/unit/test.h"

#include "analysis/kpi.h"
#include "analysis/metric_info.h"

static void metrics_are_explained(void **state)
{
	(void)state;
	assert_string_equal(metric_info_find("perf-stat.i.ipc")->text,
			    "Instructions per CPU cycle");
	assert_int_equal(metric_info_find("perf-stat.overall.MPKI")->direction,
			 -1);
	assert_string_equal(metric_info_find("x.time.user_time")->unit, "s");
	assert_null(metric_info_find("nobody.knows"));
	assert_int_equal(metric_direction("perf-stat.i.ipc"), 1);
	assert_int_equal(metric_direction("stress-ng.x.ops_per_sec"), 1);
	assert_int_equal(metric_direction("nobody.knows"), 0);
}

static void the_table_agrees_with_the_headlines(void **state)
{
	const struct metric_info *info;

	/* a row that contradicts the headline's direction would confuse */
	(void)state;
	for (size_t i = 0; (info = metric_info_at(i)); i++) {
		int kpi = kpi_direction(info->glob);

		assert_true(info->text[0] != '\0');
		assert_true(info->text[strlen(info->text) - 1] != '.');
		if (kpi && info->direction && kpi != info->direction)
			fail_msg("%s: %d here, %d as headline", info->glob,
				 info->direction, kpi);
	}
	assert_true(metric_info_at(50) != NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(metrics_are_explained),
		cmocka_unit_test(the_table_agrees_with_the_headlines),
	};

	return RUN_TESTS(tests);
}
