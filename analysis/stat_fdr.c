// SPDX-License-Identifier: GPL-3.0-or-later
// Benjamini-Hochberg for p-values and for e-values: 1/e stands for p.
#include "analysis/stat_fdr.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/stat_sample.h"
#include "base/mem.h"

struct test {
	double p;
	size_t at;
};

static int compare_tests(const void *a, const void *b)
{
	return stat_compare(&((const struct test *)a)->p,
			    &((const struct test *)b)->p);
}

/* @t: @nr tests in any order, of @p that may exceed 1. */
static void step_up(struct test *t, size_t nr, double *out_q)
{
	double q = 1;
	size_t i;

	qsort(t, nr, sizeof(*t), compare_tests);
	for (i = nr; i-- > 0;) {
		q = fmin(q, t[i].p * (double)nr / (double)(i + 1));
		out_q[t[i].at] = q;
	}
}

static size_t adjust(const double *v, size_t nr, int inverse, double *out_q)
{
	struct test *t = xcalloc(nr ? nr : 1, sizeof(*t));
	size_t tests = 0;
	size_t i;

	for (i = 0; i < nr; i++) {
		if (!isnan(v[i]))
			t[tests++] =
				(struct test){ inverse ? 1 / v[i] : v[i], i };
		else
			out_q[i] = NAN;
	}
	step_up(t, tests, out_q);
	free(t);
	return tests;
}

size_t stat_bh(const double *p, size_t nr, double *out_q)
{
	return adjust(p, nr, 0, out_q);
}

size_t stat_ebh(const double *e, size_t nr, double *out_q)
{
	return adjust(e, nr, 1, out_q);
}
