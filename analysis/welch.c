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
	for (size_t i = 0; i < nr; i++)
		sq += (v[i] - out->mean) * (v[i] - out->mean);
	out->var_mean = sq / (double)(nr - 1) / (double)nr;
	return 0;
}

int welch_test(const double *a, size_t na, const double *b, size_t nb,
	       struct welch *out, struct err *err)
{
	struct moments ma = { 0.0, 0.0 };
	struct moments mb = { 0.0, 0.0 };
	double var;
	double se;
	double half;
	int rc;

	rc = moments_of(a, na, &ma, err);
	if (!rc)
		rc = moments_of(b, nb, &mb, err);
	if (rc)
		return rc;
	out->diff = out->lo = out->hi = mb.mean - ma.mean;
	out->t = 0.0;
	out->df = (double)(na + nb - 2);
	out->p = out->diff == 0.0 ? 1.0 : 0.0;
	var = ma.var_mean + mb.var_mean;
	if (!(var > 0.0))
		return 0;
	se = sqrt(var);
	out->t = out->diff / se;
	out->df = var * var /
		  (ma.var_mean * ma.var_mean / (double)(na - 1) +
		   mb.var_mean * mb.var_mean / (double)(nb - 1));
	/* var * var underflows for tiny units; any side's n - 1 is safe then */
	if (!isfinite(out->df) || out->df < 1.0)
		out->df = (double)((na < nb ? na : nb) - 1);
	out->p = fmin(1.0, 2.0 * gsl_cdf_tdist_Q(fabs(out->t), out->df));
	half = se * gsl_cdf_tdist_Qinv(TAIL_95, out->df);
	out->lo = out->diff - half;
	out->hi = out->diff + half;
	return 0;
}
