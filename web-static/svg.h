/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Drawings as inline SVG: classes and attributes only, so that the strictest
 * Content-Security-Policy allows them, colours follow light and dark, and text
 * keeps its size on a narrow screen (positions are per cents, not a viewBox).
 */
#ifndef WEB_STATIC_SVG_H
#define WEB_STATIC_SVG_H

#include <stddef.h>

#include "base/str.h"

#define SVG_MAX_POINTS 2000

/*
 * One side of a strip plot. @value: @nr finite numbers in the metric's unit;
 * @boot: for each the boot it came from, as a number from 0 in order of time,
 * NULL when unknown. Shown are SVG_MAX_POINTS at most. @ci_low, @ci_high: of
 * the mean, NaN for none.
 */
struct svg_side {
	const char *label;
	const double *value;
	const int *boot;
	size_t nr;
	double mean, median;
	double ci_low, ci_high;
};

/*
 * The headline: a row of dots per side on one scale, runs of one boot on one
 * level, a tick at the mean and a bar for the interval. @title says what is
 * drawn. Draws nothing when there is no value at all.
 */
void svg_strip(struct str *out, const struct svg_side *side, size_t nr_sides,
	       const char *title);

/*
 * The small one inside a table row: two paths in a box of 120 by 20, the base
 * above the head. @label (NULL: "base", "head") and @median of both make its
 * title. @range: lowest and highest value of the scale, so that rows can be
 * compared with each other; NULL: the values' own.
 */
void svg_row(struct str *out, const struct svg_side *base,
	     const struct svg_side *head, const double range[2]);

/* A value as people read it: at most 4 significant digits, k/M/G above 1e4. */
void svg_number(struct str *out, double value);

/*
 * One bar per commit of a range, oldest left: the outline is the probability
 * before, the filled bar the one after. Values in 0..1. @peak: index of the bar
 * to mark, -1 none.
 */
void svg_bars(struct str *out, const double *before, const double *after,
	      size_t nr, long peak, const char *title);

#endif
