/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the calibrated tests believe about every metric of a comparison, beside
 * the row rule by which LKP's reports choose what they show.
 *
 * The unit is the boot: runs in one boot are averaged first. Interleaved pairs
 * of boots are judged by an e-process over their differences, which holds at
 * whatever moment somebody looked; boots that are no pairs by Welch's test, or
 * by ranks where the values are too rough for means. Failures are judged by
 * Fisher's exact test.
 *
 * Many metrics are tested at once, in three families: the benchmark's headline
 * candidates, everything else, the failures. In each the share of false ones
 * among those believed is held below a level (Benjamini and Hochberg, e-BH).
 */
#ifndef ANALYSIS_EVIDENCE_H
#define ANALYSIS_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/compare.h"
#include "analysis/matrix.h"

/* Which test judged a row. */
enum evidence_test {
	EVIDENCE_NONE,	 /* too few boots */
	EVIDENCE_SAME,	 /* all values are equal: nothing to test */
	EVIDENCE_PAIRS,	 /* e-process over pairs of boots */
	EVIDENCE_WELCH,	 /* Welch's t-test */
	EVIDENCE_RANKS,	 /* Mann and Whitney's rank test */
	EVIDENCE_FISHER, /* Fisher's exact test of failures */
};

/* Metrics that are tested together. */
enum evidence_family {
	EVIDENCE_HEADLINES, /* what the benchmark is run for: kpi_rank() */
	EVIDENCE_OTHERS,
	EVIDENCE_FAILURES,
	EVIDENCE_FAMILIES,
};

/*
 * One commit: @boot[run] is the boot that a run of @matrix belongs to,
 * @pair[run] the pair of boots, both from 0 and below MATRIX_MAX_RUNS;
 * borrowed, NULL: every run is a boot of its own, the boots are no pairs. @nr:
 * how many runs these arrays have.
 */
struct evidence_side {
	const struct matrix *matrix;
	const int *boot, *pair;
	size_t nr;
};

/* What A/A boots said about one metric: of one run in a fresh boot, relative;
 * share of that variance between boots; degrees of freedom, above 0. */
struct evidence_calibration {
	const char *metric;
	double sd, boot_share, dof;
};

/*
 * @side: the commit judged, 1 or more, against commit 0 of @comparison.
 * @min_effect: smaller relative changes are not believed. @planned: pairs that
 * were planned at first, 0: unknown. All borrowed, the comparison for as long
 * as the result is used.
 */
struct evidence_in {
	const struct comparison *comparison;
	size_t side;
	struct evidence_side base, head;
	double min_effect;
	int planned;
	const struct evidence_calibration *calibration;
	size_t nr_calibrations;
};

/*
 * One metric. Effects are relative (0.01 is 1 %), or in the metric's unit where
 * @absolute, or differences of the failure rate; NaN when there is none.
 * @lo,@hi: 95 % confidence interval, NaN when unknown, infinite when unbounded.
 * @e_value: of pairs, else NaN. @p: of the other tests, else NaN. @q: the
 * smallest level at which the row is believed, NaN: not tested. @detectable:
 * the smallest effect that would have been believed in 4 of 5 tries, INFINITY:
 * none, NaN: unknown. @headline: place of the row that speaks for this one's
 * cluster, itself where it stands alone.
 */
struct evidence_row {
	const struct compare_metric *metric;
	enum evidence_test test;
	enum evidence_family family;
	bool absolute;
	double effect, lo, hi;
	double e_value, p, q;
	double detectable;
	size_t boots[2], runs[2];
	bool calibrated;
	bool believed;
	size_t headline;
};

/*
 * @row: one per metric of the comparison, in its order; owned.
 * @tested, @believed: by family. @false_expected: how many of the believed ones
 * are false at most, on average. @marked: rows that LKP's rule marked, and
 * @marked_expected: how many it would mark at most if nothing had changed.
 * @clusters: headlines among the believed ones. @boots: boots a side.
 */
struct evidence {
	struct evidence_row *row;
	size_t nr;
	bool paired;
	size_t tested[EVIDENCE_FAMILIES], believed[EVIDENCE_FAMILIES];
	size_t clusters;
	double false_expected;
	size_t marked;
	double marked_expected;
	size_t boots[2];
};

/* The level of a family: its share of false ones among those believed. */
double evidence_level(enum evidence_family family);

/*
 * Judge every metric. Never fails: a metric that can't be judged has
 * EVIDENCE_NONE. Release @out with evidence_release().
 * Time O(metrics * runs), plus the clusters' O(rows that count²).
 */
void evidence_compute(const struct evidence_in *in, struct evidence *out);
void evidence_release(struct evidence *e);

/*
 * Whether anything is believed to have become worse: a headline candidate, or a
 * failure that is more frequent.
 */
bool evidence_is_regression(const struct evidence *e);

/*
 * The chance that LKP's rule marks a metric of which nothing changed, for boots
 * of continuous values: both medians outside the other's range.
 */
double evidence_rule_chance(size_t na, size_t nb);

/* "pairs", "welch", "ranks", "fisher", "same", "none". */
const char *evidence_test_to_str(enum evidence_test test);
const char *evidence_family_to_str(enum evidence_family family);

#endif
