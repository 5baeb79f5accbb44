/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The monitors, as a table: which files of the box are sampled how often, and
 * how the samples of a run become metrics.
 *
 * The box-side script writes one spool file per monitor, "mon-<name>":
 *
 *	@ 12.34			uptime in seconds: a new tick
 *	# /proc/vmstat		a source file, its raw content follows
 *	nr_free_pages 123
 *	# /proc/meminfo
 *	…
 *
 * A content line that itself begins with "# /" or "@ <digit>" doesn't occur in
 * the files read. Ticks may become rarer in a long run, so rates divide by the
 * time between them. `time` and `dmesg` are files of their own, see
 * monitor_time.c and monitor_dmesg.c.
 *
 * A new monitor: one file monitor_x.c with a `const struct monitor`, one row
 * in monitor.c, a captured spool file under tests/data/jobs/ and a test. The
 * box script reads sources and interval from the task, so it doesn't change.
 */
#ifndef JOBS_MONITOR_H
#define JOBS_MONITOR_H

#include <stddef.h>

#include "base/err.h"
#include "jobs/metric.h"
#include "jobs/series.h"

/* What a parser gets: the bytes of one spool file, hostile, borrowed. */
struct monitor_input {
	const char *text;
	size_t len;
	/* the benchmark's name, for monitors whose metrics carry it */
	const char *benchmark;
};

/*
 * @sources: paths on the box, shell globs of '*' only, NULL-terminated; none
 * for what the supervisor itself writes (time, dmesg). @interval_s: between
 * ticks; 0: one tick at the start and one at the end. All monitors have a tick
 * at the start and one at the end.
 * @parse adds "<name>.…" metrics or failures; ERR_DATA only when nothing could
 * be read although bytes were there.
 */
struct monitor {
	const char *name;
	const char *const *sources;
	double interval_s;
	int (*parse)(const struct monitor_input *in, struct metric_set *out,
		     struct err *err);
};

/* The row called @name, or NULL; all rows in order, NULL past the end. */
const struct monitor *monitor_find(const char *name);
const struct monitor *monitor_at(size_t i);

/*
 * The end of a spool parser: flush and free @set. ERR_DATA when the bytes held
 * no sample at all.
 */
int monitor_finish(struct series_set *set, const struct monitor_input *in,
		   const char *name, struct metric_set *out, struct err *err);

/* Rows of the single monitors, for the table in monitor.c. */
extern const struct monitor monitor_uptime;
extern const struct monitor monitor_meminfo;
extern const struct monitor monitor_proc_vmstat;
extern const struct monitor monitor_vmstat;
extern const struct monitor monitor_mpstat;
extern const struct monitor monitor_numa_numastat;
extern const struct monitor monitor_numa_vmstat;
extern const struct monitor monitor_numa_meminfo;
extern const struct monitor monitor_softirqs;
extern const struct monitor monitor_interrupts;
extern const struct monitor monitor_cpuidle;
extern const struct monitor monitor_sched_debug;
extern const struct monitor monitor_schedstat;
extern const struct monitor monitor_slabinfo;
extern const struct monitor monitor_time;
extern const struct monitor monitor_dmesg;

#endif
