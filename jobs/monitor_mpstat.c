// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * mpstat's view of /proc/stat: shares of all CPUs' time in percent, mean over
 * the intervals between ticks, and the busiest interval.
 */
#include "base/mem.h"
#include "jobs/cpu_times.h"
#include "jobs/monitor.h"
#include "jobs/ticks.h"

static const struct {
	const char *name;
	enum cpu_column column;
} shares[] = {
	{ "usr", CPU_USER },	     { "nice", CPU_NICE },
	{ "sys", CPU_SYSTEM },	     { "iowait", CPU_IOWAIT },
	{ "irq", CPU_IRQ },	     { "soft", CPU_SOFTIRQ },
	{ "steal", CPU_STEAL },	     { "guest", CPU_GUEST },
	{ "gnice", CPU_GUEST_NICE }, { "idle", CPU_IDLE },
};

static void interval(struct series_set *set, const struct cpu_times *a,
		     const struct cpu_times *b)
{
	double guest = cpu_times_pct(a, b, CPU_GUEST, CPU_GUEST);
	double idle = cpu_times_pct(a, b, CPU_IDLE, CPU_IOWAIT);

	if (b->total <= a->total)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(shares); i++) {
		double v =
			cpu_times_pct(a, b, shares[i].column, shares[i].column);

		/* user time contains that of guests */
		if (shares[i].column == CPU_USER)
			v -= guest;
		series_add(set, SERIES_MEAN, v < 0 ? 0 : v,
			   "mpstat.cpu.all.%s%%", shares[i].name);
	}
	series_add(set, SERIES_MAX, 100 - idle, "mpstat.max_utilization_pct");
}

static int parse(const struct monitor_input *in, struct metric_set *out,
		 struct err *err)
{
	struct series_set *set = series_set_new();
	struct cpu_times before, now;
	struct ticks t = ticks_of(in);
	struct tick_file f;
	bool have = false;

	while (ticks_next(&t, &f)) {
		if (!cpu_times_read(f.body, &now))
			continue;
		if (have)
			interval(set, &before, &now);
		before = now;
		have = true;
	}
	return monitor_finish(set, in, "mpstat", out, err);
}

static const char *const sources[] = { "/proc/stat", NULL };

const struct monitor monitor_mpstat = {
	.name = "mpstat",
	.sources = sources,
	.interval_s = 1,
	.parse = parse,
};
