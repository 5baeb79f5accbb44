/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Many named series of one run, each reduced to one number as its values come:
 * the mean, what a counter grew by, the largest, the sum, the last.
 */
#ifndef JOBS_SERIES_H
#define JOBS_SERIES_H

#include "jobs/metric.h"

/* LKP's rules: counters last minus first, sums summed, all else the mean. */
enum series_rule {
	SERIES_MEAN,
	SERIES_DELTA,
	SERIES_MAX,
	SERIES_SUM,
	SERIES_LAST
};

struct series_set;

struct series_set *series_set_new(void);
void series_set_free(struct series_set *set);

/*
 * One more value of the series with the printf-formatted name; the rule is
 * that of its first value. Past METRIC_MAX series, a name that is too long and
 * values that aren't finite are dropped.
 */
void series_add(struct series_set *set, enum series_rule rule, double value,
		const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/*
 * Each series as one metric of @out, in the order of their first values.
 * Counters seen once, or that went back (a wrap, a reset), give none.
 */
void series_flush(const struct series_set *set, struct metric_set *out);

#endif
