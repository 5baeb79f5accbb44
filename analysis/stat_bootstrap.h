/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bootstrap intervals, where they are worth something: for statistics whose
 * distribution no formula gives, and for values that are far from normal.
 *
 * The percentile bootstrap of ten values claims 95 % and covers 91 %. Of the
 * two forms here the studentised one is right to the second order for means,
 * BCa for smooth statistics once its tails are widened as a t distribution's
 * are (plain BCa of ten values covers 90 %). Below eight values neither is,
 * since the tails of so few resamples are the extreme values themselves. Hence
 * the refusals.
 */
#ifndef ANALYSIS_STAT_BOOTSTRAP_H
#define ANALYSIS_STAT_BOOTSTRAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define STAT_BOOTSTRAP_MIN	  8
#define STAT_BOOTSTRAP_DISTINCT	  5
#define STAT_BOOTSTRAP_REPLICATES 2000
#define STAT_BOOTSTRAP_MAX	  ((size_t)100000)

/*
 * @replicates: resamples, 1000..STAT_BOOTSTRAP_MAX, 0 for the usual number.
 * @seed: the same one gives the same interval.
 */
struct stat_bootstrap {
	size_t replicates;
	uint64_t seed;
};

/* One side's values, borrowed. */
struct stat_values {
	const double *v;
	size_t nr;
};

/* 95 % confidence interval. */
struct stat_interval {
	double estimate, lo, hi;
};

/* A statistic of @nr values, which it may put in another order. */
struct stat_statistic {
	double (*of)(double *v, size_t nr);
	const char *name; /* "the median", for sentences */
};

/*
 * BCa interval (bias-corrected, accelerated) of @statistic.
 * @v  @nr finite doubles, not modified
 * Returns 0; ERR_RANGE (fewer than STAT_BOOTSTRAP_MIN values, or a number of
 * replicates outside its range), ERR_DATA (NaN, infinity, fewer than
 * STAT_BOOTSTRAP_DISTINCT different values), ERR_LIMIT. The sentence says what
 * to use instead. @out untouched on error.
 * Source: Efron 1987; tails: Hesterberg 2015. Vectors:
 * tests/data/stat/make-vectors.py (scipy).
 */
int stat_bootstrap_bca(const double *v, size_t nr,
		       const struct stat_statistic *statistic,
		       const struct stat_bootstrap *how,
		       struct stat_interval *out, struct err *err);

/*
 * The levels of the replicates' distribution that BCa takes its ends from:
 * plain percentiles are those of a normal distribution at -@z and @z.
 * @below: share of the replicates below the estimate, ties counted half.
 * @jack: @nr values of the statistic, each without one of the values.
 */
void stat_bca_levels(double below, const double *jack, size_t nr, double z,
		     double *out_lo, double *out_hi);

/*
 * Studentised interval of mean(b) - mean(a), the variances not taken as equal.
 * Needs and errors as above, on each side.
 * Source: Efron and Tibshirani 1993, 12.5; Hall 1988.
 */
int stat_bootstrap_t(const struct stat_values *a, const struct stat_values *b,
		     const struct stat_bootstrap *how,
		     struct stat_interval *out, struct err *err);

#endif
