// SPDX-License-Identifier: GPL-3.0-or-later
/* nodeN/vmstat: the counters of /proc/vmstat by NUMA node; nr_… are means. */
#include "jobs/monitor.h"
#include "jobs/ticks.h"

static void sample(struct series_set *set, const struct tick_file *f)
{
	long node = ticks_path_number(f->path, "node");
	struct text body = f->body, line, key, word;
	double v;

	while (node >= 0 && text_line(&body, &line)) {
		if (!text_word(&line, &key) || !text_word(&line, &word) ||
		    !text_number(word, &v))
			continue;
		series_add(set,
			   text_starts(key, "nr_") ? SERIES_MEAN : SERIES_DELTA,
			   v, "numa-vmstat.node%ld.%.*s", node, TEXT_ARG(key));
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
	return monitor_finish(set, in, "numa-vmstat", out, err);
}

static const char *const sources[] = { "/sys/devices/system/node/node*/vmstat",
				       NULL };

const struct monitor monitor_numa_vmstat = {
	.name = "numa-vmstat",
	.sources = sources,
	.interval_s = 1,
	.parse = parse,
};
