// SPDX-License-Identifier: GPL-3.0-or-later
// Bootstrap: BCa for any statistic, studentised for a difference of means.
#include "analysis/stat_bootstrap.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/stat_sample.h"
#include "base/mem.h"
#include "base/rand.h"

#define REPLICATES_MIN 1000
#define TAIL_95	       0.025

static int check(const double *v, size_t nr, struct err *err)
{
	double *sorted;
	size_t distinct;
	int rc = stat_check(v, nr, 1, "a bootstrap", err);

	if (rc)
		return rc;
	if (nr < STAT_BOOTSTRAP_MIN)
		return err_set(err, ERR_RANGE,
			       "no bootstrap of %zu values: below %d its "
			       "interval is too narrow; a t interval is not",
			       nr, STAT_BOOTSTRAP_MIN);
	sorted = stat_sorted(v, nr);
	distinct = stat_distinct_sorted(sorted, nr);
	free(sorted);
	if (distinct >= STAT_BOOTSTRAP_DISTINCT)
		return 0;
	return err_set(err, ERR_DATA,
		       "no bootstrap of %zu different values among %zu: "
		       "resamples of less than %d say little of what else "
		       "there might be; a rank test does not mind",
		       distinct, nr, STAT_BOOTSTRAP_DISTINCT);
}

static int replicates(const struct stat_bootstrap *how, size_t *out,
		      struct err *err)
{
	size_t nr =
		how->replicates ? how->replicates : STAT_BOOTSTRAP_REPLICATES;

	if (nr < REPLICATES_MIN || nr > STAT_BOOTSTRAP_MAX)
		return err_set(err, ERR_RANGE,
			       "a bootstrap of %zu resamples: expected %d to "
			       "%zu",
			       nr, REPLICATES_MIN, STAT_BOOTSTRAP_MAX);
	*out = nr;
	return 0;
}

static void resample(struct rand *r, const double *v, size_t nr, double *out)
{
	size_t i;

	for (i = 0; i < nr; i++)
		out[i] = v[rand_below(r, nr)];
}

static double bca_level(double z0, double a, double z)
{
	double w = z0 + z;

	return gsl_cdf_ugaussian_P(z0 + w / (1 - a * w));
}

void stat_bca_levels(double below, const double *jack, size_t nr, double z,
		     double *out_lo, double *out_hi)
{
	double mean = 0, square = 0, cube = 0;
	double z0, a;
	size_t i;

	for (i = 0; i < nr; i++)
		mean += jack[i] / (double)nr;
	for (i = 0; i < nr; i++) {
		double d = mean - jack[i];

		square += d * d;
		cube += d * d * d;
	}
	z0 = gsl_cdf_ugaussian_Pinv(below);
	a = square > 0 ? cube / (6 * pow(square, 1.5)) : 0;
	*out_lo = bca_level(z0, a, -z);
	*out_hi = bca_level(z0, a, z);
}

/*
 * What to take for 1.96: resamples vary less than samples do, by n - 1 to n,
 * and their deviation is an estimate.
 */
static double reach(size_t nr)
{
	double n = (double)nr;

	return sqrt(n / (n - 1)) * gsl_cdf_tdist_Qinv(TAIL_95, n - 1);
}

/* The statistic without value @i, for each @i. @scratch: @nr values. */
static void jackknife(const double *v, size_t nr,
		      const struct stat_statistic *statistic, double *scratch,
		      double *out)
{
	size_t i, j, k;

	for (i = 0; i < nr; i++) {
		for (j = k = 0; j < nr; j++) {
			if (j != i)
				scratch[k++] = v[j];
		}
		out[i] = statistic->of(scratch, nr - 1);
	}
}

/* Share below @x of @nr sorted values, ties half; never 0 or 1. */
static double share_below(const double *sorted, size_t nr, double x)
{
	double below = 0;
	size_t i;

	for (i = 0; i < nr && sorted[i] <= x; i++)
		below += sorted[i] < x ? 1 : 0.5;
	return fmin(fmax(below, 0.5), (double)nr - 0.5) / (double)nr;
}

int stat_bootstrap_bca(const double *v, size_t nr,
		       const struct stat_statistic *statistic,
		       const struct stat_bootstrap *how,
		       struct stat_interval *out, struct err *err)
{
	struct rand r;
	double *scratch, *jack, *rep;
	double lo, hi;
	size_t nr_rep = 0;
	size_t i;
	int rc = check(v, nr, err);

	if (!rc)
		rc = replicates(how, &nr_rep, err);
	if (rc)
		return rc;
	scratch = xcalloc(nr, sizeof(*scratch));
	jack = xcalloc(nr, sizeof(*jack));
	rep = xcalloc(nr_rep, sizeof(*rep));
	for (i = 0; i < nr; i++)
		scratch[i] = v[i];
	out->estimate = statistic->of(scratch, nr);
	rand_seed(&r, how->seed);
	for (i = 0; i < nr_rep; i++) {
		resample(&r, v, nr, scratch);
		rep[i] = statistic->of(scratch, nr);
	}
	qsort(rep, nr_rep, sizeof(*rep), stat_compare);
	jackknife(v, nr, statistic, scratch, jack);
	stat_bca_levels(share_below(rep, nr_rep, out->estimate), jack, nr,
			reach(nr), &lo, &hi);
	out->lo = stat_quantile_sorted(rep, nr_rep, lo);
	out->hi = stat_quantile_sorted(rep, nr_rep, hi);
	free(scratch);
	free(jack);
	free(rep);
	return 0;
}

/* Difference of the means and its standard error. */
static void difference(const double *a, size_t na, const double *b, size_t nb,
		       double *out_diff, double *out_se)
{
	struct stat_moments ma, mb;

	stat_moments(a, na, &ma);
	stat_moments(b, nb, &mb);
	*out_diff = mb.mean - ma.mean;
	*out_se = sqrt(ma.var / (double)na + mb.var / (double)nb);
}

/* How often a resample of one value only is drawn again: never, in practice. */
#define TRIES 100

/* Scratch of both sides' resamples: @v has room for all values. */
struct resampler {
	const struct stat_values *a, *b;
	struct rand rand;
	double *v;
	double diff; /* of the values themselves */
};

static double t_replicate(struct resampler *s)
{
	double d = s->diff;
	double se = 0;
	int i;

	for (i = 0; i < TRIES && !(se > 0); i++) {
		double *second = s->v + s->a->nr;

		resample(&s->rand, s->a->v, s->a->nr, s->v);
		resample(&s->rand, s->b->v, s->b->nr, second);
		difference(s->v, s->a->nr, second, s->b->nr, &d, &se);
	}
	return se > 0 ? (d - s->diff) / se : 0;
}

int stat_bootstrap_t(const struct stat_values *a, const struct stat_values *b,
		     const struct stat_bootstrap *how,
		     struct stat_interval *out, struct err *err)
{
	struct resampler s = { .a = a, .b = b };
	double *rep;
	double se;
	size_t nr_rep = 0;
	size_t i;
	int rc = check(a->v, a->nr, err);

	if (!rc)
		rc = check(b->v, b->nr, err);
	if (!rc)
		rc = replicates(how, &nr_rep, err);
	if (rc)
		return rc;
	difference(a->v, a->nr, b->v, b->nr, &s.diff, &se);
	s.v = xcalloc(a->nr + b->nr, sizeof(*s.v));
	rep = xcalloc(nr_rep, sizeof(*rep));
	rand_seed(&s.rand, how->seed);
	for (i = 0; i < nr_rep; i++)
		rep[i] = t_replicate(&s);
	qsort(rep, nr_rep, sizeof(*rep), stat_compare);
	out->estimate = s.diff;
	out->lo = s.diff - se * stat_quantile_sorted(rep, nr_rep, 1 - TAIL_95);
	out->hi = s.diff - se * stat_quantile_sorted(rep, nr_rep, TAIL_95);
	free(s.v);
	free(rep);
	return 0;
}
