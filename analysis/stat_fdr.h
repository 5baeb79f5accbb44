/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Many tests at once: which of them to believe so that at most a share q of
 * what is believed is false, on average over comparisons.
 */
#ifndef ANALYSIS_STAT_FDR_H
#define ANALYSIS_STAT_FDR_H

#include <stddef.h>

/*
 * q-values of p-values: the smallest q at which Benjamini and Hochberg's
 * procedure believes the test. Holds for independent tests and for those that
 * go together, as metrics of one run do (positive regression dependence).
 * @p      @nr of them in [0,1]; NaN is no test and stays NaN
 * @out_q  in [0,1]; may be @p
 * Returns how many tests there were. Time O(nr log nr).
 * Source: Benjamini and Hochberg 1995. Vectors:
 * tests/data/stat/make-vectors.py.
 */
size_t stat_bh(const double *p, size_t nr, double *out_q);

/*
 * The same of e-values (e-BH): holds whatever the dependence between the tests,
 * and at whatever moment one stopped to look. @e: 0 or more, NaN is no test.
 * Source: Wang and Ramdas 2022.
 */
size_t stat_ebh(const double *e, size_t nr, double *out_q);

#endif
