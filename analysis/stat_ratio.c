// SPDX-License-Identifier: GPL-3.0-or-later
// Relative change of a mean: Fieller's interval.
#include "analysis/stat_ratio.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

#include "analysis/stat_sample.h"

#define TAIL_95 0.025

/* Of mean(b) - ratio * mean(a), whose variance is va * ratio² + vb. */
static double freedom(double va, double da, double vb, double db)
{
	double var = va + vb;
	double df = var * var / (va * va / da + vb * vb / db);

	return isfinite(df) && df >= 1 ? df : fmin(da, db);
}

/* @va,@vb: variances of the means. */
static void interval(const struct stat_moments *a, const struct stat_moments *b,
		     double va, double vb, struct stat_ratio *out)
{
	double r = b->mean / a->mean;
	double df =
		freedom(r * r * va, (double)a->nr - 1, vb, (double)b->nr - 1);
	double t = gsl_cdf_tdist_Qinv(TAIL_95, df);
	double g = t * t * va / (a->mean * a->mean);
	double half;

	if (g >= 1) {
		out->lo = -INFINITY;
		out->hi = INFINITY;
		return;
	}
	half = t / a->mean * sqrt(fmax(vb + r * r * va - g * vb, 0));
	out->lo = (r - half) / (1 - g) - 1;
	out->hi = (r + half) / (1 - g) - 1;
}

int stat_ratio(const double *a, size_t na, const double *b, size_t nb,
	       struct stat_ratio *out, struct err *err)
{
	struct stat_moments ma, mb;
	double va, vb;
	int rc = stat_check(a, na, 2, "a relative change", err);

	if (!rc)
		rc = stat_check(b, nb, 2, "a relative change", err);
	if (rc)
		return rc;
	stat_moments(a, na, &ma);
	stat_moments(b, nb, &mb);
	if (!(ma.mean > 0))
		return err_set(err, ERR_RANGE,
			       "a relative change needs a base above 0, not %g",
			       ma.mean);
	va = ma.var / (double)na;
	vb = mb.var / (double)nb;
	out->change = out->lo = out->hi = mb.mean / ma.mean - 1;
	if (va > 0 || vb > 0)
		interval(&ma, &mb, va, vb, out);
	return 0;
}
