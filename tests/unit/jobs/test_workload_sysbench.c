// SPDX-License-Identifier: GPL-3.0-or-later
/* sysbench's output, as captured from 1.0.20. */
#include "tests/unit/jobs/fixture.h"

#include <stdio.h>

#include "base/mem.h"
#include "jobs/workload.h"

static int parse(const char *workload, const char *text, size_t len,
		 struct metric_set *set)
{
	static const char *const pairs[] = { NULL };
	struct job job = job_of(workload, pairs);
	const struct workload_output in = { .out = text, .out_len = len };
	struct err err = { 0 };
	int rc;

	metric_set_init(set);
	rc = workload_find(workload)->parse(&job, &in, set, &err);
	job_release(&job);
	return rc;
}

/* Numbers below are those in the captured files. */
static void each_test_gives_a_rate_and_its_latencies(void **state)
{
	static const struct {
		const char *workload, *file, *metric;
		double want;
	} cases[] = {
		{ "sysbench-cpu", "sysbench-cpu.out", "events_per_sec",
		  33161.43 },
		{ "sysbench-cpu", "sysbench-cpu.out", "total_time_s", 2.4149 },
		{ "sysbench-cpu", "sysbench-cpu.out", "total_events", 80137 },
		{ "sysbench-cpu", "sysbench-cpu.out", "latency_max_ms",
		  830.92 },
		{ "sysbench-cpu", "sysbench-cpu.out", "latency_95th_ms", 0.01 },
		{ "sysbench-cpu", "sysbench-cpu.out", "fairness_events_avg",
		  40068.5 },
		{ "sysbench-cpu", "sysbench-cpu.out", "fairness_events_stddev",
		  11610.5 },
		{ "sysbench-cpu", "sysbench-cpu.out", "fairness_time_s_avg",
		  2.1897 },
		{ "sysbench-memory", "sysbench-memory.out", "ops", 1048576 },
		{ "sysbench-memory", "sysbench-memory.out", "ops_per_sec",
		  1206832.16 },
		{ "sysbench-memory", "sysbench-memory.out",
		  "throughput_MiB_per_sec", 1178.55 },
		{ "sysbench-threads", "sysbench-threads.out", "events_per_sec",
		  5063 / 2.0014 },
		{ "sysbench-mutex", "sysbench-mutex.out", "events_per_sec",
		  2 / 0.0045 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct str text = fixture(cases[i].file);
		struct metric_set set;
		char name[80];

		assert_int_equal(
			parse(cases[i].workload, text.p, text.len, &set), 0);
		snprintf(name, sizeof(name), "%s.%s", cases[i].workload,
			 cases[i].metric);
		assert_metric(&set, name, cases[i].want);
		metric_set_release(&set);
		str_release(&text);
	}
}

static void output_without_a_result_is_an_error(void **state)
{
	static const char *const texts[] = {
		"",
		"FATAL: Cannot find benchmark 'x': no such built-in test\n",
		"total time: 0.0000s\ntotal number of events: 5\n",
		"total time: 1.0s\ntotal number of events: 0\n",
		"total time: nans\ntotal number of events: inf\n",
		"total time:",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct metric_set set;

		assert_int_equal(parse("sysbench-threads", texts[i],
				       strlen(texts[i]), &set),
				 ERR_BENCH);
		metric_set_release(&set);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_test_gives_a_rate_and_its_latencies),
		cmocka_unit_test(output_without_a_result_is_an_error),
	};

	return RUN_TESTS(tests);
}
