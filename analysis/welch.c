// SPDX-License-Identifier: GPL-3.0-or-later
// Welch's t-test on GSL's t distribution.
#include "analysis/welch.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

#define TAIL_95 0.025

/* Mean and the variance of that mean (sample variance / n). */
struct moments {
	double mean;
	double var_mean;
	double freedom; /* n - 1 */
};

static int moments_of(const double *v, size_t nr, struct moments *out,
		      struct err *err)
{
	double sum = 0.0;
	double sq = 0.0;

	if (nr < 2)
		return err_set(err, ERR_RANGE,
			       "a t-test needs two or more runs a side, not "
			       "%zu",
			       nr);
	for (size_t i = 0; i < nr; i++)
		sum += v[i];
	if (!isfinite(sum))
		return err_set(err, ERR_DATA, "a run's value is not finite");
	out->mean = sum / (double)nr;
	out->freedom = (double)(nr - 1);
	for (size_t i = 0; i < nr; i++)
		sq += (v[i] - out->mean) * (v[i] - out->mean);
	out->var_mean = sq / (double)(nr - 1) / (double)nr;
	return 0;
}

/*
 * Everything but the interval. Returns the standard error of the difference, 0
 * when both sides are constant.
 */
static double compute(const struct moments *a, const struct moments *b,
		      struct welch *out)
{
	double var = a->var_mean + b->var_mean;

	out->diff = out->lo = out->hi = b->mean - a->mean;
	out->t = 0.0;
	out->df = a->freedom + b->freedom;
	out->p = out->diff == 0.0 ? 1.0 : 0.0;
	if (!(var > 0.0))
		return 0.0;
	out->t = out->diff / sqrt(var);
	out->df = var * var /
		  (a->var_mean * a->var_mean / a->freedom +
		   b->var_mean * b->var_mean / b->freedom);
	/* var * var underflows for tiny units; any side's n - 1 is safe then */
	if (!isfinite(out->df) || out->df < 1.0)
		out->df = fmin(a->freedom, b->freedom);
	out->p = fmin(1.0, 2.0 * gsl_cdf_tdist_Q(fabs(out->t), out->df));
	return sqrt(var);
}

int welch_test(const double *a, size_t na, const double *b, size_t nb,
	       struct welch *out, struct err *err)
{
	struct moments ma = { 0.0, 0.0, 0.0 };
	struct moments mb = { 0.0, 0.0, 0.0 };
	double half = 0.0;
	double se;
	int rc;

	rc = moments_of(a, na, &ma, err);
	if (!rc)
		rc = moments_of(b, nb, &mb, err);
	if (rc)
		return rc;
	se = compute(&ma, &mb, out);
	if (se > 0.0)
		half = se * gsl_cdf_tdist_Qinv(TAIL_95, out->df);
	out->lo = out->diff - half;
	out->hi = out->diff + half;
	return 0;
}

int welch_p(const double *a, size_t na, const double *b, size_t nb,
	    double *out_p, struct err *err)
{
	struct moments ma = { 0.0, 0.0, 0.0 };
	struct moments mb = { 0.0, 0.0, 0.0 };
	struct welch w;
	int rc;

	rc = moments_of(a, na, &ma, err);
	if (!rc)
		rc = moments_of(b, nb, &mb, err);
	if (rc)
		return rc;
	compute(&ma, &mb, &w);
	*out_p = w.p;
	return 0;
}
