/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A monitor's spool file, file content by file content: the format is said in
 * monitor.h. Lines that fit nowhere are passed over.
 */
#ifndef JOBS_TICKS_H
#define JOBS_TICKS_H

#include <stdbool.h>

#include "jobs/monitor.h"
#include "jobs/text.h"

/* Reader's state; zero-initialise @rest with the whole file. */
struct ticks {
	struct text rest;
	double uptime_s;
	unsigned nr; /* ticks begun so far */
};

/*
 * One source file at one tick. @tick counts from 0; @uptime_s never goes back.
 * @path and @body are borrowed from the spool.
 */
struct tick_file {
	unsigned tick;
	double uptime_s;
	struct text path;
	struct text body;
};

struct ticks ticks_of(const struct monitor_input *in);
/* The next file, false at the end. */
bool ticks_next(struct ticks *t, struct tick_file *out);

/* The number behind @prefix in a path ("node" in ".../node3/vmstat"), or -1. */
long ticks_path_number(struct text path, const char *prefix);

#endif
