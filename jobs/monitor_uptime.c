// SPDX-License-Identifier: GPL-3.0-or-later
/* /proc/uptime: seconds since boot and idle CPU seconds, at the last tick. */
#include "jobs/monitor.h"
#include "jobs/ticks.h"

static void sample(struct series_set *set, struct text body)
{
	struct text line, boot, idle;
	double v;

	if (!text_line(&body, &line) || !text_word(&line, &boot) ||
	    !text_word(&line, &idle))
		return;
	if (text_number(boot, &v))
		series_add(set, SERIES_LAST, v, "uptime.boot");
	if (text_number(idle, &v))
		series_add(set, SERIES_LAST, v, "uptime.idle");
}

static int parse(const struct monitor_input *in, struct metric_set *out,
		 struct err *err)
{
	struct series_set *set = series_set_new();
	struct ticks t = ticks_of(in);
	struct tick_file f;

	while (ticks_next(&t, &f))
		sample(set, f.body);
	return monitor_finish(set, in, "uptime", out, err);
}

static const char *const sources[] = { "/proc/uptime", NULL };

const struct monitor monitor_uptime = {
	.name = "uptime",
	.sources = sources,
	.interval_s = 0,
	.parse = parse,
};
