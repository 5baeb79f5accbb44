/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Welch's t-test: how far apart two sets of runs are, and how sure that is. */
#ifndef ANALYSIS_WELCH_H
#define ANALYSIS_WELCH_H

#include <stddef.h>

#include "base/err.h"

/*
 * @diff     mean(b) - mean(a), in the metric's unit
 * @lo,@hi   95 % confidence interval of @diff
 * @t,@df    the statistic and Satterthwaite's degrees of freedom; 0 and na+nb-2
 *           where both sides are constant
 * @p        two-sided p-value in [0,1]
 */
struct welch {
	double diff, lo, hi;
	double t, df;
	double p;
};

/*
 * Welch's two-sided t-test for a difference of means.
 * @a,@b  na/nb finite doubles in the metric's unit, any order, not modified;
 *        2 or more each
 * @out   p is 1 when both sides are constant and equal, 0 when constant and
 *        different
 * Returns 0; ERR_RANGE (fewer than two samples); ERR_DATA (NaN or infinity).
 * @out untouched on error. Time O(na + nb); no allocation.
 * Source: Welch 1947, degrees of freedom after Satterthwaite.
 */
int welch_test(const double *a, size_t na, const double *b, size_t nb,
	       struct welch *out, struct err *err);

/*
 * Only the p-value of welch_test: several times faster, for tables of thousands
 * of metrics. Same errors.
 */
int welch_p(const double *a, size_t na, const double *b, size_t nb,
	    double *out_p, struct err *err);

#endif
