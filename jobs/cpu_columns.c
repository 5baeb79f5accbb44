// SPDX-License-Identifier: GPL-3.0-or-later
/* Reads the head line of a table with a column for each CPU. */
#include "jobs/cpu_columns.h"

void cpu_columns_read(struct text head, struct cpu_columns *out)
{
	struct text word;
	double v;

	out->nr = 0;
	while (out->nr < CPU_COLUMNS_MAX && text_word(&head, &word) &&
	       text_starts(word, "CPU") &&
	       text_number(text_skip(word, 3), &v) && v >= 0 && v < 1e6)
		out->v[out->nr++] = (unsigned)v;
}
