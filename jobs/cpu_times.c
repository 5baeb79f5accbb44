// SPDX-License-Identifier: GPL-3.0-or-later
/* Reads /proc/stat. */
#include "jobs/cpu_times.h"

#include <string.h>

static void read_cpu(struct text line, struct cpu_times *out)
{
	struct text word;

	for (int i = 0; i < CPU_COLUMNS; i++)
		if (!text_word(&line, &word) || !text_number(word, &out->v[i]))
			break;
	for (int i = 0; i <= CPU_STEAL; i++)
		out->total += out->v[i];
}

bool cpu_times_read(struct text body, struct cpu_times *out)
{
	struct text line, key, word;
	bool found = false;
	double v;

	memset(out, 0, sizeof(*out));
	while (text_line(&body, &line)) {
		if (!text_word(&line, &key))
			continue;
		if (text_is(key, "cpu")) {
			read_cpu(line, out);
			found = true;
			continue;
		}
		if (!text_word(&line, &word) || !text_number(word, &v))
			continue;
		if (text_is(key, "intr"))
			out->interrupts = v;
		else if (text_is(key, "ctxt"))
			out->switches = v;
		else if (text_is(key, "procs_running"))
			out->running = v;
		else if (text_is(key, "procs_blocked"))
			out->blocked = v;
	}
	return found;
}

double cpu_times_pct(const struct cpu_times *before,
		     const struct cpu_times *after, enum cpu_column from,
		     enum cpu_column to)
{
	double total = after->total - before->total;
	double part = 0;

	for (int i = (int)from; i <= (int)to; i++)
		part += after->v[i] - before->v[i];
	return total > 0 && part > 0 ? 100 * part / total : 0;
}
