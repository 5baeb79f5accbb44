// SPDX-License-Identifier: GPL-3.0-or-later
/* /proc/softirqs: growth per kind, and per CPU and kind. */
#include "jobs/cpu_columns.h"
#include "jobs/monitor.h"
#include "jobs/ticks.h"

static void sample(struct series_set *set, struct text body)
{
	struct cpu_columns cpus;
	struct text line, key, word;

	if (!text_line(&body, &line))
		return;
	cpu_columns_read(line, &cpus);
	while (text_line(&body, &line)) {
		double total = 0, v;
		unsigned i = 0;

		if (!text_until(&line, ':', &key))
			continue;
		key = text_trim(key);
		while (i < cpus.nr && text_word(&line, &word) &&
		       text_number(word, &v)) {
			total += v;
			series_add(set, SERIES_DELTA, v, "softirqs.CPU%u.%.*s",
				   cpus.v[i++], TEXT_ARG(key));
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
