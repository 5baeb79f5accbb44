/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lines of /proc/stat that vmstat and mpstat both need. */
#ifndef JOBS_CPU_TIMES_H
#define JOBS_CPU_TIMES_H

#include <stdbool.h>

#include "jobs/text.h"

/* Columns of the "cpu" line, in clock ticks (proc(5)). */
enum cpu_column {
	CPU_USER,
	CPU_NICE,
	CPU_SYSTEM,
	CPU_IDLE,
	CPU_IOWAIT,
	CPU_IRQ,
	CPU_SOFTIRQ,
	CPU_STEAL,
	CPU_GUEST,
	CPU_GUEST_NICE,
	CPU_COLUMNS
};

/*
 * One reading; counters since boot but @running and @blocked. @total is the
 * sum of the columns without the guest ones, which user and nice contain.
 */
struct cpu_times {
	double v[CPU_COLUMNS];
	double total;
	double interrupts;
	double switches;
	double running;
	double blocked;
};

/* Read the body of /proc/stat; false when it has no "cpu" line. */
bool cpu_times_read(struct text body, struct cpu_times *out);

/*
 * The share of columns @from..@to of the time between two readings, in
 * percent; 0 when no time passed or a counter went back.
 */
double cpu_times_pct(const struct cpu_times *before,
		     const struct cpu_times *after, enum cpu_column from,
		     enum cpu_column to);

#endif
