// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * cpuidle: time (microseconds) and entries of each idle state, summed over
 * CPUs, growth. The total has LKP's historical key "cpuidle..time", with an
 * empty name. A virtual box has no such folder and so no such metrics.
 */
#include <string.h>

#include "jobs/monitor.h"
#include "jobs/ticks.h"

#define MAX_STATES	 16
#define STATE_NAME_BYTES 32

/* Sums of one tick; names are those of the CPU read last. */
struct states {
	char names[MAX_STATES][STATE_NAME_BYTES];
	double time[MAX_STATES];
	double usage[MAX_STATES];
	bool seen[MAX_STATES];
};

static void take_name(struct states *s, long state, struct text body)
{
	struct text line;
	size_t n;

	if (!text_line(&body, &line))
		return;
	line = text_trim(line);
	n = line.len < STATE_NAME_BYTES - 1 ? line.len : STATE_NAME_BYTES - 1;
	memcpy(s->names[state], line.p, n);
	s->names[state][n] = '\0';
}

static void take_file(struct states *s, const struct tick_file *f)
{
	long state = ticks_path_number(f->path, "state");
	struct text body = f->body, line;
	double v;

	if (state < 0 || state >= MAX_STATES)
		return;
	if (text_has(f->path, "/name")) {
		take_name(s, state, body);
		return;
	}
	if (!text_line(&body, &line) || !text_number(text_trim(line), &v))
		return;
	if (text_has(f->path, "/time"))
		s->time[state] += v;
	else if (text_has(f->path, "/usage"))
		s->usage[state] += v;
	s->seen[state] = true;
}

/* End of a tick: its sums are one value of each counter. */
static void end_tick(struct series_set *set, struct states *s)
{
	double time = 0, usage = 0;
	bool any = false;

	for (int i = 0; i < MAX_STATES; i++) {
		if (!s->seen[i])
			continue;
		any = true;
		time += s->time[i];
		usage += s->usage[i];
		if (*s->names[i]) {
			series_add(set, SERIES_DELTA, s->time[i],
				   "cpuidle.%s.time", s->names[i]);
			series_add(set, SERIES_DELTA, s->usage[i],
				   "cpuidle.%s.usage", s->names[i]);
		}
	}
	if (any) {
		series_add(set, SERIES_DELTA, time, "cpuidle..time");
		series_add(set, SERIES_DELTA, usage, "cpuidle..usage");
	}
	memset(s->time, 0, sizeof(s->time));
	memset(s->usage, 0, sizeof(s->usage));
	memset(s->seen, 0, sizeof(s->seen));
}

static int parse(const struct monitor_input *in, struct metric_set *out,
		 struct err *err)
{
	struct series_set *set = series_set_new();
	struct ticks t = ticks_of(in);
	struct states s = { 0 };
	struct tick_file f;
	unsigned tick = 0;

	while (ticks_next(&t, &f)) {
		if (f.tick != tick)
			end_tick(set, &s);
		tick = f.tick;
		take_file(&s, &f);
	}
	end_tick(set, &s);
	return monitor_finish(set, in, "cpuidle", out, err);
}

static const char *const sources[] = {
	"/sys/devices/system/cpu/cpu*/cpuidle/state*/name",
	"/sys/devices/system/cpu/cpu*/cpuidle/state*/time",
	"/sys/devices/system/cpu/cpu*/cpuidle/state*/usage",
	NULL,
};

const struct monitor monitor_cpuidle = {
	.name = "cpuidle",
	.sources = sources,
	.interval_s = 0,
	.parse = parse,
};
