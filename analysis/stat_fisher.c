// SPDX-License-Identifier: GPL-3.0-or-later
// Fisher's exact test on GSL's hypergeometric distribution.
#include "analysis/stat_fisher.h"

#include <gsl/gsl_randist.h>
#include <math.h>

/* Tables whose probabilities differ by less count as equally likely. */
#define ROUNDING 1e-7

double stat_fisher(size_t fails_a, size_t runs_a, size_t fails_b, size_t runs_b)
{
	size_t fails = fails_a + fails_b;
	unsigned bad = (unsigned)fails;
	unsigned good = (unsigned)(runs_a + runs_b - fails);
	unsigned take = (unsigned)runs_a;
	double seen =
		gsl_ran_hypergeometric_pdf((unsigned)fails_a, bad, good, take);
	double sum = 0;
	size_t k;

	if (!runs_a || !runs_b)
		return 1;
	for (k = 0; k <= fails && k <= runs_a; k++) {
		double p = gsl_ran_hypergeometric_pdf((unsigned)k, bad, good,
						      take);

		if (p <= seen * (1 + ROUNDING))
			sum += p;
	}
	return fmin(sum, 1);
}
