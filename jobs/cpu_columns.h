/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which CPU stands in which column of /proc/interrupts and /proc/softirqs: the
 * first leaves out CPUs that are offline, both leave out numbers that the
 * machine doesn't have.
 */
#ifndef JOBS_CPU_COLUMNS_H
#define JOBS_CPU_COLUMNS_H

#include "jobs/text.h"

/* The most that an x86 kernel can be configured for. */
#define CPU_COLUMNS_MAX 8192

/* @v[0..nr-1]: the CPU of each column. */
struct cpu_columns {
	unsigned v[CPU_COLUMNS_MAX];
	unsigned nr;
};

/* Read "CPU0 CPU2 …", as far as it is that. */
void cpu_columns_read(struct text head, struct cpu_columns *out);

#endif
