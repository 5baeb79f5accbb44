// SPDX-License-Identifier: GPL-3.0-or-later
// What the culprit doesn't explain: a second change in the same range shows as
// a difference between the effect over the range and that of the culprit.
#include <gsl/gsl_cdf.h>
#include <math.h>

#include "analysis/bisect_private.h"

/* Surely something: so rare without, to either side; so much of the whole. */
#define RARE	  0.0005
#define WORTH	  0.15
#define MIN_PAIRS 2

/* The boots of two commits, in whatever phase they were measured. */
static void contrast(const struct bisect *b, int good, int bad,
		     struct bisect_contrast *out)
{
	double tau = b->start.calibration.layout_sd;

	*out = (struct bisect_contrast){
		.good = good, .bad = bad, .tau2 = tau * tau, .effect = b->delta
	};
	bisect_contrast(b, out);
}

double bisect_rest(const struct bisect *b)
{
	struct bisect_contrast whole, part;
	double rest;
	double error;
	double errors; /* how many of them are rare, noise well known or not */

	if (b->verdict != BISECT_CULPRIT)
		return NAN;
	contrast(b, 0, b->nr - 1, &whole);
	contrast(b, b->verify.good, b->verify.bad, &part);
	if (whole.pairs < MIN_PAIRS || part.pairs < MIN_PAIRS)
		return NAN;
	rest = whole.delta - part.delta;
	error = sqrt(whole.se2 + part.se2);
	errors = gsl_cdf_tdist_Qinv(RARE, fmin(whole.dof, part.dof));
	if (fabs(rest) <= errors * error ||
	    fabs(rest) <= WORTH * fabs(whole.delta))
		return NAN;
	return rest;
}
