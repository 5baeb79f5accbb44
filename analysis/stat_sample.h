/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the statistics share: checks of their input, moments, order. */
#ifndef ANALYSIS_STAT_SAMPLE_H
#define ANALYSIS_STAT_SAMPLE_H

#include <stddef.h>

#include "base/err.h"

#define STAT_MAX_VALUES ((size_t)10000)

/* Mean, variance of the sample (n - 1) and how many values there are. */
struct stat_moments {
	double mean, var;
	size_t nr;
};

/*
 * Whether @v can be worked on. ERR_RANGE (fewer than @min values), ERR_LIMIT
 * (more than STAT_MAX_VALUES), ERR_DATA (NaN or infinity). @what stands in the
 * sentence: "a rank test".
 */
int stat_check(const double *v, size_t nr, size_t min, const char *what,
	       struct err *err);

/* @nr is 1 or more. */
double stat_mean(const double *v, size_t nr);

/* @nr is 1 or more; the variance of one value is 0. */
void stat_moments(const double *v, size_t nr, struct stat_moments *out);

/* Comparison of two doubles for qsort(3). */
int stat_compare(const void *a, const void *b);

/* A sorted copy; owned by the caller (free). */
double *stat_sorted(const double *v, size_t nr);

/* Median of sorted values, @nr 1 or more. */
double stat_median_sorted(const double *v, size_t nr);

/*
 * Quantile @q in 0..1 of sorted values, straight lines between them (type 7 of
 * Hyndman and Fan 1996). @nr is 1 or more.
 */
double stat_quantile_sorted(const double *v, size_t nr, double q);

/* How many different values there are in sorted ones. */
size_t stat_distinct_sorted(const double *v, size_t nr);

/* Pull values that are further than @reach from the median up to there. */
void stat_clip(double *v, size_t nr, double reach);

/*
 * Variance of the mean of @runs runs in one boot, 1 or more, where one run in a
 * fresh boot has 1; @share of that, 0..1, lies between boots.
 */
double stat_boot_var(double share, double runs);

#endif
