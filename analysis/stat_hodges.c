// SPDX-License-Identifier: GPL-3.0-or-later
// Hodges-Lehmann shift with the interval that inverts the rank test.
#include "analysis/stat_hodges.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/stat_mannwhitney.h"
#include "analysis/stat_sample.h"
#include "base/mem.h"

#define ALPHA 0.05

static double *sorted_differences(const double *a, size_t na, const double *b,
				  size_t nb)
{
	double *d = xcalloc(na * nb, sizeof(*d));
	size_t i, j;

	for (i = 0; i < na; i++)
		for (j = 0; j < nb; j++)
			d[i * nb + j] = b[j] - a[i];
	qsort(d, na * nb, sizeof(*d), stat_compare);
	return d;
}

int stat_hodges_lehmann(const double *a, size_t na, const double *b, size_t nb,
			struct stat_hodges *out, struct err *err)
{
	double *d;
	size_t cut;
	int rc = stat_check(a, na, 1, "a shift", err);

	if (!rc)
		rc = stat_check(b, nb, 1, "a shift", err);
	if (rc)
		return rc;
	if (na * nb > STAT_HODGES_MAX_PAIRS)
		return err_set(err, ERR_LIMIT,
			       "a shift of %zu against %zu values: more than "
			       "%zu pairs",
			       na, nb, STAT_HODGES_MAX_PAIRS);
	d = sorted_differences(a, na, b, nb);
	cut = stat_mannwhitney_cut(na, nb, ALPHA);
	out->shift = stat_median_sorted(d, na * nb);
	out->lo = cut ? d[cut - 1] : -INFINITY;
	out->hi = cut ? d[na * nb - cut] : INFINITY;
	free(d);
	return 0;
}
