// SPDX-License-Identifier: GPL-3.0-or-later
/* /proc/slabinfo (2.1): objects and slabs of each cache, mean. */
#include "jobs/monitor.h"
#include "jobs/ticks.h"

/* name active_objs num_objs … : slabdata active_slabs num_slabs … */
static void sample_line(struct series_set *set, struct text line)
{
	struct text name, word;
	double active, all;

	if (!text_word(&line, &name) || text_starts(name, "#") ||
	    !text_word(&line, &word) || !text_number(word, &active) ||
	    !text_word(&line, &word) || !text_number(word, &all))
		return;
	series_add(set, SERIES_MEAN, active, "slabinfo.%.*s.active_objs",
		   TEXT_ARG(name));
	series_add(set, SERIES_MEAN, all, "slabinfo.%.*s.num_objs",
		   TEXT_ARG(name));
	while (text_word(&line, &word))
		if (text_is(word, "slabdata"))
			break;
	if (!text_word(&line, &word) || !text_number(word, &active) ||
	    !text_word(&line, &word) || !text_number(word, &all))
		return;
	series_add(set, SERIES_MEAN, active, "slabinfo.%.*s.active_slabs",
		   TEXT_ARG(name));
	series_add(set, SERIES_MEAN, all, "slabinfo.%.*s.num_slabs",
		   TEXT_ARG(name));
}

static void sample(struct series_set *set, struct text body)
{
	struct text line;

	while (text_line(&body, &line))
		sample_line(set, line);
}

static int parse(const struct monitor_input *in, struct metric_set *out,
		 struct err *err)
{
	struct series_set *set = series_set_new();
	struct ticks t = ticks_of(in);
	struct tick_file f;

	while (ticks_next(&t, &f))
		sample(set, f.body);
	return monitor_finish(set, in, "slabinfo", out, err);
}

static const char *const sources[] = { "/proc/slabinfo", NULL };

const struct monitor monitor_slabinfo = {
	.name = "slabinfo",
	.sources = sources,
	.interval_s = 10,
	.parse = parse,
};
