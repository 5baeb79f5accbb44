// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * /proc/interrupts: growth per line, and per CPU for the named ones
 * ("CAL:Function_call_interrupts"); device lines are "24:PCI-MSI.0-edge.eth0".
 */
#include "jobs/cpu_columns.h"
#include "jobs/monitor.h"
#include "jobs/ticks.h"

#define NAME_MAX_BYTES 120

/* The text behind the counts: named lines with '_', device lines with '.'. */
static void describe(struct text rest, char joint, char out[NAME_MAX_BYTES])
{
	struct text word;
	size_t n = 0;

	while (text_word(&rest, &word)) {
		if (n && n < NAME_MAX_BYTES - 1)
			out[n++] = joint;
		for (size_t i = 0; i < word.len && n < NAME_MAX_BYTES - 1; i++)
			if (word.p[i])
				out[n++] = word.p[i];
	}
	out[n] = '\0';
}

static void sample_line(struct series_set *set, struct text line,
			const struct cpu_columns *cpus)
{
	struct text key, word, rest;
	double counts[CPU_COLUMNS_MAX], total = 0;
	char name[NAME_MAX_BYTES];
	bool device;
	unsigned n = 0;

	if (!text_until(&line, ':', &key))
		return;
	key = text_trim(key);
	device = key.len && *key.p >= '0' && *key.p <= '9';
	rest = line;
	while (n < cpus->nr && text_word(&line, &word) &&
	       text_number(word, &counts[n])) {
		total += counts[n++];
		rest = line;
	}
	describe(rest, device ? '.' : '_', name);
	series_add(set, SERIES_DELTA, total, "interrupts.%.*s%s%s",
		   TEXT_ARG(key), *name ? ":" : "", name);
	for (unsigned i = 0; i < n && !device && *name; i++)
		series_add(set, SERIES_DELTA, counts[i],
			   "interrupts.CPU%u.%.*s:%s", cpus->v[i],
			   TEXT_ARG(key), name);
}

static void sample(struct series_set *set, struct text body)
{
	struct cpu_columns cpus;
	struct text line;

	if (!text_line(&body, &line))
		return;
	cpu_columns_read(line, &cpus);
	while (text_line(&body, &line))
		sample_line(set, line, &cpus);
}

static int parse(const struct monitor_input *in, struct metric_set *out,
		 struct err *err)
{
	struct series_set *set = series_set_new();
	struct ticks t = ticks_of(in);
	struct tick_file f;

	while (ticks_next(&t, &f))
		sample(set, f.body);
	return monitor_finish(set, in, "interrupts", out, err);
}

static const char *const sources[] = { "/proc/interrupts", NULL };

const struct monitor monitor_interrupts = {
	.name = "interrupts",
	.sources = sources,
	.interval_s = 0,
	.parse = parse,
};
