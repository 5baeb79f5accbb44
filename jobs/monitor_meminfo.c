// SPDX-License-Identifier: GPL-3.0-or-later
/* /proc/meminfo: the mean of each line in kB, memory used, and its peak. */
#include "jobs/monitor.h"
#include "jobs/ticks.h"

static void sample(struct series_set *set, struct text body)
{
	struct text line, key, word;
	double total = 0, unused = 0, v;

	while (text_line(&body, &line)) {
		if (!text_until(&line, ':', &key) || !text_word(&line, &word) ||
		    !text_number(word, &v))
			continue;
		series_add(set, SERIES_MEAN, v, "meminfo.%.*s", TEXT_ARG(key));
		if (text_is(key, "MemTotal"))
			total = v;
		else if (text_is(key, "MemFree"))
			unused = v;
	}
	if (total <= 0)
		return;
	series_add(set, SERIES_MEAN, total - unused, "meminfo.Memused");
	series_add(set, SERIES_MAX, total - unused, "meminfo.max_used_kB");
}

static int parse(const struct monitor_input *in, struct metric_set *out,
		 struct err *err)
{
	struct series_set *set = series_set_new();
	struct ticks t = ticks_of(in);
	struct tick_file f;

	while (ticks_next(&t, &f))
		sample(set, f.body);
	return monitor_finish(set, in, "meminfo", out, err);
}

static const char *const sources[] = { "/proc/meminfo", NULL };

const struct monitor monitor_meminfo = {
	.name = "meminfo",
	.sources = sources,
	.interval_s = 1,
	.parse = parse,
};
