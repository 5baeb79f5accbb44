/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * CUSUM: a watch over values that come one by one, which notices that their
 * mean has moved. Small lasting shifts are found long before a single value
 * looks odd.
 */
#ifndef ANALYSIS_STAT_CUSUM_H
#define ANALYSIS_STAT_CUSUM_H

#include <stddef.h>

/* Half a deviation of slack, an alarm at 5: one false alarm in 465 values, a
 * shift by one deviation noticed after 10. */
#define STAT_CUSUM_SLACK 0.5
#define STAT_CUSUM_LIMIT 5.0

/*
 * @target and @sd say what values are like while nothing happens, in the
 * metric's unit, @sd above 0. @slack, @limit: in units of @sd. The rest is
 * state, 0 at first: @up and @down, the sums so far, in units of @sd; @nr
 * values seen; @up_from, @down_from: how many values were seen when the sum was
 * 0 last, the estimate of when the shift began.
 */
struct stat_cusum {
	double target, sd;
	double slack, limit;
	double up, down;
	size_t nr, up_from, down_from;
};

/* With the usual slack and limit. */
void stat_cusum_init(struct stat_cusum *c, double target, double sd);

/*
 * One more value: +1 when the mean has moved up, -1 down, else 0; NaN is no
 * value. The alarm lasts until stat_cusum_restart().
 * Source: Page 1954, tabular form: Montgomery, Statistical Quality
 * Control, 9.1.
 */
int stat_cusum_add(struct stat_cusum *c, double value);

/* Forget the sums, e.g. after a box was looked at; target and limits stay. */
void stat_cusum_restart(struct stat_cusum *c);

#endif
