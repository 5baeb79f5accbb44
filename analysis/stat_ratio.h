/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The relative change of a mean, with an interval that knows both sides. */
#ifndef ANALYSIS_STAT_RATIO_H
#define ANALYSIS_STAT_RATIO_H

#include <stddef.h>

#include "base/err.h"

/*
 * mean(b) / mean(a) - 1 with its 95 % confidence interval. The interval is
 * unbounded (-INFINITY … INFINITY) when the base's mean itself can't be told
 * from 0.
 */
struct stat_ratio {
	double change, lo, hi;
};

/*
 * @a,@b  na/nb finite doubles, any order, not modified; 2 or more each, the
 *        mean of @a above 0
 * Dividing the interval of the difference by the base's mean would take that
 * mean for exactly known: at +300 % such an interval is four times too narrow
 * on the base's part.
 * Returns 0; ERR_RANGE (too few values, or a mean of @a that is not above 0),
 * ERR_DATA, ERR_LIMIT. @out untouched on error. Time O(na + nb).
 * Source: Fieller 1954, degrees of freedom after Satterthwaite. Vectors:
 * tests/data/stat/make-vectors.py.
 */
int stat_ratio(const double *a, size_t na, const double *b, size_t nb,
	       struct stat_ratio *out, struct err *err);

#endif
