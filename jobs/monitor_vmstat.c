// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * vmstat(8)'s columns from the files it reads: rates per second between ticks,
 * memory in KiB, CPU shares in percent; mean of each.
 */
#include "base/mem.h"
#include "jobs/cpu_times.h"
#include "jobs/monitor.h"
#include "jobs/ticks.h"

/* Counters of /proc/vmstat; swap counts pages of 4 KiB. */
static const struct {
	const char *line;
	const char *metric;
	double factor;
} rates[] = {
	{ "pgpgin", "io.bi", 1 },
	{ "pgpgout", "io.bo", 1 },
	{ "pswpin", "swap.si", 4 },
	{ "pswpout", "swap.so", 4 },
};

/* One reading of all three files. */
struct reading {
	struct cpu_times cpu;
	double counters[ARRAY_SIZE(rates)];
	double uptime_s;
	bool have_cpu;
	bool have_counters;
};

static void read_counters(struct text body, struct reading *r)
{
	struct text line, key, word;
	double v;

	while (text_line(&body, &line)) {
		if (!text_word(&line, &key) || !text_word(&line, &word) ||
		    !text_number(word, &v))
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(rates); i++)
			if (text_is(key, rates[i].line))
				r->counters[i] = v;
	}
	r->have_counters = true;
}

static void read_memory(struct series_set *set, struct text body)
{
	struct text line, key, word;
	double cache = 0, swap = 0, v;

	while (text_line(&body, &line)) {
		if (!text_until(&line, ':', &key) || !text_word(&line, &word) ||
		    !text_number(word, &v))
			continue;
		if (text_is(key, "MemFree"))
			series_add(set, SERIES_MEAN, v, "vmstat.memory.free");
		else if (text_is(key, "Buffers"))
			series_add(set, SERIES_MEAN, v, "vmstat.memory.buff");
		else if (text_is(key, "Cached") || text_is(key, "SReclaimable"))
			cache += v;
		else if (text_is(key, "SwapTotal"))
			swap += v;
		else if (text_is(key, "SwapFree"))
			swap -= v;
	}
	series_add(set, SERIES_MEAN, cache, "vmstat.memory.cache");
	series_add(set, SERIES_MEAN, swap, "vmstat.memory.swpd");
}

static void cpu_shares(struct series_set *set, const struct cpu_times *a,
		       const struct cpu_times *b)
{
	if (b->total <= a->total)
		return;
	series_add(set, SERIES_MEAN, cpu_times_pct(a, b, CPU_USER, CPU_NICE),
		   "vmstat.cpu.us");
	series_add(set, SERIES_MEAN,
		   cpu_times_pct(a, b, CPU_SYSTEM, CPU_SYSTEM) +
			   cpu_times_pct(a, b, CPU_IRQ, CPU_SOFTIRQ),
		   "vmstat.cpu.sy");
	series_add(set, SERIES_MEAN, cpu_times_pct(a, b, CPU_IDLE, CPU_IDLE),
		   "vmstat.cpu.id");
	series_add(set, SERIES_MEAN,
		   cpu_times_pct(a, b, CPU_IOWAIT, CPU_IOWAIT),
		   "vmstat.cpu.wa");
	series_add(set, SERIES_MEAN, cpu_times_pct(a, b, CPU_STEAL, CPU_STEAL),
		   "vmstat.cpu.st");
}

/* Growth per second; a counter that went back says nothing. */
static void rate(struct series_set *set, double before, double after,
		 double seconds, const char *metric)
{
	if (after >= before)
		series_add(set, SERIES_MEAN, (after - before) / seconds,
			   "vmstat.%s", metric);
}

static void interval(struct series_set *set, const struct reading *a,
		     const struct reading *b)
{
	double s = b->uptime_s - a->uptime_s;

	if (s <= 0)
		return;
	if (a->have_cpu && b->have_cpu) {
		cpu_shares(set, &a->cpu, &b->cpu);
		rate(set, a->cpu.interrupts, b->cpu.interrupts, s, "system.in");
		rate(set, a->cpu.switches, b->cpu.switches, s, "system.cs");
		/* the reader itself is running as well */
		series_add(set, SERIES_MEAN,
			   b->cpu.running > 1 ? b->cpu.running - 1 : 0,
			   "vmstat.procs.r");
		series_add(set, SERIES_MEAN, b->cpu.blocked, "vmstat.procs.b");
	}
	for (size_t i = 0;
	     a->have_counters && b->have_counters && i < ARRAY_SIZE(rates); i++)
		rate(set, a->counters[i] * rates[i].factor,
		     b->counters[i] * rates[i].factor, s, rates[i].metric);
}

static int parse(const struct monitor_input *in, struct metric_set *out,
		 struct err *err)
{
	struct series_set *set = series_set_new();
	struct reading before = { .uptime_s = -1 }, now = before;
	struct ticks t = ticks_of(in);
	struct tick_file f;
	unsigned tick = 0;

	while (ticks_next(&t, &f)) {
		if (f.tick != tick) {
			if (before.uptime_s >= 0)
				interval(set, &before, &now);
			before = now;
			now = (struct reading){ .uptime_s = -1 };
			tick = f.tick;
		}
		now.uptime_s = f.uptime_s;
		if (text_is(f.path, "/proc/stat"))
			now.have_cpu = cpu_times_read(f.body, &now.cpu);
		else if (text_is(f.path, "/proc/vmstat"))
			read_counters(f.body, &now);
		else
			read_memory(set, f.body);
	}
	if (before.uptime_s >= 0)
		interval(set, &before, &now);
	return monitor_finish(set, in, "vmstat", out, err);
}

static const char *const sources[] = { "/proc/stat", "/proc/vmstat",
				       "/proc/meminfo", NULL };

const struct monitor monitor_vmstat = {
	.name = "vmstat",
	.sources = sources,
	.interval_s = 1,
	.parse = parse,
};
