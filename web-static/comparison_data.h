/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One comparison loaded for its pages: what the database says of it, every
 * run's numbers, and what analysis/ makes of them.
 */
#ifndef WEB_STATIC_COMPARISON_DATA_H
#define WEB_STATIC_COMPARISON_DATA_H

#include "analysis/compare.h"
#include "analysis/matrix.h"
#include "report/axes.h"
#include "web-static/site.h"

/* What a run's column in the matrix is: @boot counts from 0 in each side. */
struct comparison_run {
	long long id;
	int side;
	size_t column;
	int boot;
};

/*
 * How far a metric moved, boot by boot: one number per boot (the mean of its
 * runs), since runs of one boot are not independent.
 * @lo,@hi: 95 % interval of the change, in the row's unit (percent, or a
 * difference); @p: Welch's; @q: after Benjamini and Hochberg over all metrics
 * tested. NaN where there are fewer than 2 boots a side.
 */
struct comparison_doubt {
	double lo, hi;
	double p, q;
};

/*
 * @path: its folder; @info, @runs: db/view_comparison.h. @run: sorted by id.
 * @doubt: one per metric of @cmp. @boots: boots of each side.
 */
struct comparison_data {
	const char *path;
	json_t *info;
	json_t *runs;
	struct comparison_run *run;
	size_t nr_runs;
	size_t boots[2];
	size_t done[2];
	size_t failed[2];
	struct matrix side[2];
	struct comparison cmp;
	struct axes axes;
	struct comparison_doubt *doubt;
	const struct compare_metric *headline;
};

/* Load comparison @id. Release @out in any case. ERR_NOTFOUND, ERR_DATA, … */
int comparison_load(struct site *site, long long id,
		    struct comparison_data *out, struct err *err);
void comparison_data_release(struct comparison_data *data);

/* The run with row id @id, or NULL. Borrowed. */
const struct comparison_run *comparison_find_run(
	const struct comparison_data *d, long long id);

/* Newest time it knows of: its end, or its last run. */
long long comparison_newest_s(const struct comparison_data *d);

/* "stress-ng/pipe-60s on spr-2n": the title of its pages. */
void comparison_add_title(struct str *out, const struct comparison_data *d);

/* The values of a metric on one side, in order of time; NaN where none. */
const struct matrix_metric *comparison_row(const struct comparison_data *data,
					   const char *metric, int side);

/*
 * How often LKP's rule (each median outside the other's range) holds by chance
 * for @n against @m independent runs of the same kernel, before its floors on
 * size: counted exactly, over the orders in which the values can fall.
 * NaN for fewer than 3 runs or for 32 and more, where the rule trims.
 */
double comparison_chance(size_t n, size_t m);

#endif
