// SPDX-License-Identifier: GPL-3.0-or-later
/* /proc/softirqs: growth per kind, and per CPU and kind. */
#include "jobs/monitor.h"
#include "jobs/ticks.h"

#define MAX_CPUS 1024

static void sample(struct series_set *set, struct text body)
{
	struct text line, key, word;

	/* the head names the CPUs; offline ones are missing from it */
	if (!text_line(&body, &line))
		return;
	while (text_line(&body, &line)) {
		double total = 0, v;
		unsigned cpu = 0;

		if (!text_until(&line, ':', &key))
			continue;
		key = text_trim(key);
		while (cpu < MAX_CPUS && text_word(&line, &word) &&
		       text_number(word, &v)) {
			total += v;
			series_add(set, SERIES_DELTA, v, "softirqs.CPU%u.%.*s",
				   cpu++, TEXT_ARG(key));
		}
		series_add(set, SERIES_DELTA, total, "softirqs.%.*s",
			   TEXT_ARG(key));
	}
}

static int parse(const struct monitor_input *in, struct metric_set *out,
		 struct err *err)
{
	struct series_set *set = series_set_new();
	struct ticks t = ticks_of(in);
	struct tick_file f;

	while (ticks_next(&t, &f))
		sample(set, f.body);
	return monitor_finish(set, in, "softirqs", out, err);
}

static const char *const sources[] = { "/proc/softirqs", NULL };

const struct monitor monitor_softirqs = {
	.name = "softirqs",
	.sources = sources,
	.interval_s = 0,
	.parse = parse,
};
