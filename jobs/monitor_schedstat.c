// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * /proc/schedstat: the scheduler's counters, summed over CPUs, growth. The
 * columns of a "cpuN" line are those of versions 14 to 17
 * (Documentation/scheduler/sched-stats.rst).
 */
#include "base/mem.h"
#include "jobs/monitor.h"
#include "jobs/ticks.h"

static const char *const columns[] = {
	"sched_yield", NULL,	      "schedule",     "sched_goidle", "ttwu",
	"ttwu_local",  "rq_cpu_time", "rq_run_delay", "rq_pcount",
};

static void sample(struct series_set *set, struct text body)
{
	double sums[ARRAY_SIZE(columns)] = { 0 }, v;
	struct text line, word;
	bool any = false;

	while (text_line(&body, &line)) {
		if (!text_starts(line, "cpu") || !text_word(&line, &word))
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
			if (!text_word(&line, &word) || !text_number(word, &v))
				break;
			sums[i] += v;
			any = true;
		}
	}
	for (size_t i = 0; any && i < ARRAY_SIZE(columns); i++)
		if (columns[i])
			series_add(set, SERIES_DELTA, sums[i], "schedstat.%s",
				   columns[i]);
}

static int parse(const struct monitor_input *in, struct metric_set *out,
		 struct err *err)
{
	struct series_set *set = series_set_new();
	struct ticks t = ticks_of(in);
	struct tick_file f;

	while (ticks_next(&t, &f))
		sample(set, f.body);
	return monitor_finish(set, in, "schedstat", out, err);
}

static const char *const sources[] = { "/proc/schedstat", NULL };

const struct monitor monitor_schedstat = {
	.name = "schedstat",
	.sources = sources,
	.interval_s = 0,
	.parse = parse,
};
