/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The Hodges-Lehmann estimate: how far one side lies from the other, as the
 * median of all pairwise differences. It goes with the Mann-Whitney test: 0 is
 * outside its interval when that test rejects.
 */
#ifndef ANALYSIS_STAT_HODGES_H
#define ANALYSIS_STAT_HODGES_H

#include <stddef.h>

#include "base/err.h"

#define STAT_HODGES_MAX_PAIRS ((size_t)1000000)

/*
 * @shift of b against a, with its 95 % confidence interval, in the metric's
 * unit. The interval is all numbers (-INFINITY … INFINITY) where the sides are
 * too small for one: below 4 against 4, or 3 against 5.
 */
struct stat_hodges {
	double shift, lo, hi;
};

/*
 * @a,@b  na/nb finite doubles, any order, not modified; 1 or more each
 * Returns 0; ERR_RANGE, ERR_DATA, ERR_LIMIT (more than STAT_HODGES_MAX_PAIRS
 * pairs). @out untouched on error. Time O(na nb log(na nb)).
 * Source: Hodges and Lehmann 1963; interval: Moses 1953. Vectors:
 * tests/data/stat/make-vectors.py.
 */
int stat_hodges_lehmann(const double *a, size_t na, const double *b, size_t nb,
			struct stat_hodges *out, struct err *err);

#endif
