/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fisher's exact test: whether one side fails more often than the other. */
#ifndef ANALYSIS_STAT_FISHER_H
#define ANALYSIS_STAT_FISHER_H

#include <stddef.h>

/*
 * Two-sided p-value of "@fails_a of @runs_a and @fails_b of @runs_b come from
 * the same rate": the share of all tables with these margins that are at most
 * as likely as this one. 1 when a side has no runs. @fails <= @runs.
 * Time O(fails). Source: Fisher 1922. Vectors: tests/data/stat/make-vectors.py
 * (scipy).
 */
double stat_fisher(size_t fails_a, size_t runs_a, size_t fails_b,
		   size_t runs_b);

#endif
