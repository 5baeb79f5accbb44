// SPDX-License-Identifier: GPL-3.0-or-later
/* "Node 0 MemFree: 1 kB" lines of each NUMA node, mean; the peak of AnonPages.
 */
#include "jobs/monitor.h"
#include "jobs/ticks.h"

static void sample(struct series_set *set, const struct tick_file *f)
{
	long node = ticks_path_number(f->path, "node");
	struct text body = f->body, line, left, key, word;
	double v;

	while (node >= 0 && text_line(&body, &line)) {
		if (!text_until(&line, ':', &left) ||
		    !text_word(&line, &word) || !text_number(word, &v))
			continue;
		/* the key is the last word: "Node", "0", "MemFree" */
		key = left;
		while (text_word(&left, &word))
			key = word;
		series_add(set, SERIES_MEAN, v, "numa-meminfo.node%ld.%.*s",
			   node, TEXT_ARG(key));
		if (text_is(key, "AnonPages"))
			series_add(set, SERIES_MAX, v,
				   "numa-meminfo.node%ld.AnonPages.max", node);
	}
}

static int parse(const struct monitor_input *in, struct metric_set *out,
		 struct err *err)
{
	struct series_set *set = series_set_new();
	struct ticks t = ticks_of(in);
	struct tick_file f;

	while (ticks_next(&t, &f))
		sample(set, &f);
	return monitor_finish(set, in, "numa-meminfo", out, err);
}

static const char *const sources[] = { "/sys/devices/system/node/node*/meminfo",
				       NULL };

const struct monitor monitor_numa_meminfo = {
	.name = "numa-meminfo",
	.sources = sources,
	.interval_s = 1,
	.parse = parse,
};
