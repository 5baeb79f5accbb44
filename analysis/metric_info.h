/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a metric measures: a line of explanation, its unit and which way is
 * better, for the readers of pages and reports.
 */
#ifndef ANALYSIS_METRIC_INFO_H
#define ANALYSIS_METRIC_INFO_H

#include <stddef.h>

/*
 * @unit       "ms", "%", "1/s"; "" when the name says it or there is none
 * @direction  +1 more is better, -1 less is, 0 neither
 * @text       one sentence without a period
 */
struct metric_info {
	const char *glob; /* names it is for (fnmatch) */
	const char *unit;
	int direction;
	const char *text;
};

/*
 * The most specific row for the metric called @name, or NULL for a metric
 * nobody described. Static.
 */
const struct metric_info *metric_info_find(const char *name);

/* Row @i of the table, or NULL past its end: for documents and tests. */
const struct metric_info *metric_info_at(size_t i);

/*
 * kpi_direction(), or what the table says where the name alone says nothing:
 * +1 more is better, -1 less is, 0 neither.
 */
int metric_direction(const char *name);

#endif
