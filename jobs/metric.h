/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What one run measured: metric names with one number each, and the failures
 * seen. The set is the gate through which everything from a box passes: names
 * of a safe alphabet, finite numbers, a limited count.
 */
#ifndef JOBS_METRIC_H
#define JOBS_METRIC_H

#include <stdbool.h>
#include <stddef.h>

#define METRIC_MAX	      20000
#define METRIC_NAME_MAX_BYTES 200
#define METRIC_MAX_FAILURES   200

struct metric {
	char *name; /* e.g. "numa-vmstat.node0.nr_active_anon" */
	double value;
};

/*
 * @v in the order added until metric_set_sort. @failures: failure rows such as
 * "dmesg.WARNING:at#try_to_wake_up". @dropped counts what was refused: a full
 * set, a bad name, a number that isn't finite.
 */
struct metric_set {
	struct metric *v;
	size_t nr;
	size_t alloc;
	char **failures;
	size_t nr_failures;
	size_t alloc_failures;
	size_t dropped;
};

void metric_set_init(struct metric_set *set);
void metric_set_release(struct metric_set *set);

/*
 * Add one number under a printf-formatted name. Characters that a name may not
 * have become '_'; a name that is empty or too long, a NaN or an infinity, and
 * what exceeds METRIC_MAX is counted in @dropped.
 */
void metric_add(struct metric_set *set, double value, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Add a failure row once; the same cleaning of its name. */
void metric_fail(struct metric_set *set, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Sort by name; of equal names the first added stays. */
void metric_set_sort(struct metric_set *set);

/* The value under @name, by a linear search. False when missing. */
bool metric_find(const struct metric_set *set, const char *name, double *out);

#endif
