// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of analysis/kpi.c.
#include "tests/unit/test.h"

#include "tests/unit/analysis/compare_help.h"

#include "analysis/kpi.h"
#include "base/mem.h"

static void direction_goes_by_the_name(void **state)
{
	static const struct {
		const char *name;
		int direction;
	} rows[] = {
		{ "stress-ng.pipeherd.ops_per_sec", 1 },
		{ "stress-ng.pipeherd.ops", 1 },
		{ "stress-ng.pipeherd.context_switches_per_bogo_op", 0 },
		{ "stress-ng.pipeherd.context_switches_per_sec", 0 },
		{ "stress-ng.time.elapsed_time", -1 },
		{ "stress-ng.time.user_time", 0 },
		{ "will-it-scale.per_process_ops", 1 },
		{ "unixbench.score", 1 },
		{ "hackbench.throughput", 1 },
		{ "hackbench.throughput_avg", 1 },
		{ "netperf.Throughput_Mbps", 1 },
		{ "aim7.jobs-per-min", 1 },
		{ "fxmark.ssd_xfs.works/sec", 1 },
		{ "lmbench3.TCP.socket.bandwidth.64B.MB/sec", 1 },
		{ "fio.write_clat_mean_ns", -1 },
		{ "fio.write_iops", 1 },
		{ "fio.write_bw_MBps", 1 },
		{ "filebench.sum_operations/s", 1 },
		{ "filebench.sum_time_ms/op", -1 },
		{ "adrestia.wakeup_cost_periodic_us", -1 },
		{ "vm-scalability.median", 1 },
		{ "vm-scalability.stddev%", 0 },
		{ "sysbench.latency_ms_95th", -1 },
		{ "sysbench.events_per_sec", 1 },
		{ "perf-stat.i.ipc", 0 },
		{ "perf-profile.self.cycles-pp.x_ns", 0 },
		{ "nothing.known", 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (kpi_direction(rows[i].name) != rows[i].direction)
			fail_msg("%s: %d, expected %d", rows[i].name,
				 kpi_direction(rows[i].name),
				 rows[i].direction);
	}
}

static void counts_and_times_are_never_headlines(void **state)
{
	(void)state;
	assert_int_equal(kpi_rank("stress-ng.x.ops", "stress-ng"), KPI_NONE);
	assert_int_equal(kpi_rank("stress-ng.time.elapsed_time", "stress-ng"),
			 KPI_NONE);
	assert_int_equal(kpi_rank("other.x_per_sec", "stress-ng"), KPI_NONE);
	assert_int_equal(
		kpi_rank("stress-ng.context_switches_per_sec", "stress-ng"),
		KPI_NONE);
	assert_true(kpi_rank("stress-ng.x.ops_per_sec", "stress-ng") <
		    kpi_rank("stress-ng.x_latency", "stress-ng"));
}

static void the_headline_is_the_best_rank_then_what_changed(void **state)
{
	struct comparison c;

	(void)state;
	compare_two(&c,
		    "{\"b.a.ops_per_sec\": [10,10,10],"
		    " \"b.b.ops_per_sec\": [10,10,10],"
		    " \"b.c.ops_per_sec\": [10,11,12],"
		    " \"b.x_latency\": [1,1,1], \"b.a.ops\": [1,1,1]}",
		    "{\"b.a.ops_per_sec\": [10,10,10],"
		    " \"b.b.ops_per_sec\": [9,9,9],"
		    " \"b.c.ops_per_sec\": [5,6,20],"
		    " \"b.x_latency\": [9,9,9], \"b.a.ops\": [9,9,9]}",
		    "b");
	assert_string_equal(kpi_headline(&c, 1)->name, "b.b.ops_per_sec");
	assert_true(kpi_is_regression(&c, 1));
	compare_release(&c);
}

static void without_candidates_there_is_no_headline(void **state)
{
	struct comparison c;

	(void)state;
	compare_two(&c, "{\"b.x.ops\": [1], \"m.x_per_sec\": [1]}",
		    "{\"b.x.ops\": [1], \"m.x_per_sec\": [1]}", "b");
	assert_null(kpi_headline(&c, 1));
	assert_false(kpi_is_regression(&c, 1));
	compare_release(&c);
}

static void a_new_failure_is_a_regression_and_a_gone_one_is_none(void **state)
{
	struct comparison c;

	(void)state;
	compare_two(&c, "{\"dmesg.x\": [0,0]}", "{\"dmesg.x\": [1,0]}", "b");
	assert_true(kpi_is_regression(&c, 1));
	compare_release(&c);
	compare_two(&c, "{\"dmesg.x\": [1,0]}", "{\"dmesg.x\": [0,0]}", "b");
	assert_false(kpi_is_regression(&c, 1));
	compare_release(&c);
}

static void words_carry_the_sign(void **state)
{
	static const struct {
		const char *name;
		const char *base;
		const char *head;
		const char *phrase;
	} rows[] = {
		{ "b.ops_per_sec", "[100]", "[90.3]", "9.7% regression" },
		{ "b.ops_per_sec", "[100]", "[112.3]", "12.3% improvement" },
		{ "b.x_latency", "[100]", "[112.3]", "12.3% regression" },
		{ "b.x_latency", "[100]", "[90.3]", "9.7% improvement" },
		{ "b.other", "[100]", "[90.3]", "9.7% change" },
		{ "b.throughput%", "[10]", "[9]", "1.0 points regression" },
		{ "b.ops_per_sec", "[100]", "[100]", "0.0% change" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *b = xasprintf("{\"%s\": %s}", rows[i].name, rows[i].base);
		char *h = xasprintf("{\"%s\": %s}", rows[i].name, rows[i].head);
		struct str got = STR_INIT;
		struct comparison c;

		compare_two(&c, b, h, "b");
		kpi_add_phrase(&got, &c.metric[0], 1);
		assert_string_equal(got.p, rows[i].phrase);
		compare_release(&c);
		str_release(&got);
		free(b);
		free(h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(direction_goes_by_the_name),
		cmocka_unit_test(counts_and_times_are_never_headlines),
		cmocka_unit_test(
			the_headline_is_the_best_rank_then_what_changed),
		cmocka_unit_test(without_candidates_there_is_no_headline),
		cmocka_unit_test(
			a_new_failure_is_a_regression_and_a_gone_one_is_none),
		cmocka_unit_test(words_carry_the_sign),
	};

	return RUN_TESTS(tests);
}
