// SPDX-License-Identifier: GPL-3.0-or-later
/* /proc/vmstat: nr_… are levels (mean), all other lines counters (growth). */
#include "jobs/monitor.h"
#include "jobs/ticks.h"

static void sample(struct series_set *set, struct text body)
{
	struct text line, key, word;
	double v;

	while (text_line(&body, &line)) {
		if (!text_word(&line, &key) || !text_word(&line, &word) ||
		    !text_number(word, &v))
			continue;
		series_add(set,
			   text_starts(key, "nr_") ? SERIES_MEAN : SERIES_DELTA,
			   v, "proc-vmstat.%.*s", TEXT_ARG(key));
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
	return monitor_finish(set, in, "proc-vmstat", out, err);
}

static const char *const sources[] = { "/proc/vmstat", NULL };

const struct monitor monitor_proc_vmstat = {
	.name = "proc-vmstat",
	.sources = sources,
	.interval_s = 1,
	.parse = parse,
};
