// SPDX-License-Identifier: GPL-3.0-or-later
// Checks, moments and order of samples.
#include "analysis/stat_sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

int stat_check(const double *v, size_t nr, size_t min, const char *what,
	       struct err *err)
{
	size_t i;

	if (nr < min)
		return err_set(err, ERR_RANGE,
			       "%s needs %zu or more values, not %zu", what,
			       min, nr);
	if (nr > STAT_MAX_VALUES)
		return err_set(err, ERR_LIMIT,
			       "%s takes at most %zu values, not %zu", what,
			       STAT_MAX_VALUES, nr);
	for (i = 0; i < nr; i++) {
		if (!isfinite(v[i]))
			return err_set(err, ERR_DATA,
				       "%s: value %zu is not finite", what,
				       i + 1);
	}
	return 0;
}

double stat_mean(const double *v, size_t nr)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < nr; i++)
		sum += v[i];
	return sum / (double)nr;
}

void stat_moments(const double *v, size_t nr, struct stat_moments *out)
{
	double sq = 0;
	size_t i;

	out->mean = stat_mean(v, nr);
	for (i = 0; i < nr; i++)
		sq += (v[i] - out->mean) * (v[i] - out->mean);
	out->var = nr > 1 ? sq / (double)(nr - 1) : 0;
	out->nr = nr;
}

int stat_compare(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

double *stat_sorted(const double *v, size_t nr)
{
	double *copy = xcalloc(nr ? nr : 1, sizeof(*copy));

	if (nr) {
		memcpy(copy, v, nr * sizeof(*copy));
		qsort(copy, nr, sizeof(*copy), stat_compare);
	}
	return copy;
}

double stat_median_sorted(const double *v, size_t nr)
{
	return (v[(nr - 1) / 2] + v[nr / 2]) / 2;
}

double stat_quantile_sorted(const double *v, size_t nr, double q)
{
	double at = fmin(fmax(q, 0), 1) * (double)(nr - 1);
	size_t i = (size_t)at;

	if (i + 1 >= nr)
		return v[nr - 1];
	return v[i] + (at - (double)i) * (v[i + 1] - v[i]);
}

size_t stat_distinct_sorted(const double *v, size_t nr)
{
	size_t distinct = nr > 0;
	size_t i;

	for (i = 1; i < nr; i++)
		distinct += v[i] != v[i - 1];
	return distinct;
}

void stat_clip(double *v, size_t nr, double reach)
{
	double *sorted = stat_sorted(v, nr);
	double mid = nr ? stat_median_sorted(sorted, nr) : 0;
	size_t i;

	free(sorted);
	for (i = 0; i < nr; i++)
		v[i] = fmin(fmax(v[i], mid - reach), mid + reach);
}

double stat_boot_var(double share, double runs)
{
	return share + (1 - share) / runs;
}
