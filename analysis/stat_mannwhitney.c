// SPDX-License-Identifier: GPL-3.0-or-later
// Mann-Whitney by ranks: exact up to 30 values, normal beyond.
#include "analysis/stat_mannwhitney.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/stat_sample.h"
#include "base/mem.h"

struct ranked {
	double value;
	bool is_b;
};

static int compare_ranked(const void *a, const void *b)
{
	return stat_compare(&((const struct ranked *)a)->value,
			    &((const struct ranked *)b)->value);
}

/*
 * Twice the mean ranks of all values, so that they are whole numbers, in order;
 * @out_b: their sum over b; @out_ties: the sum of t³ - t over the ties.
 */
static int *double_ranks(const double *a, size_t na, const double *b, size_t nb,
			 double *out_b, double *out_ties)
{
	size_t n = na + nb;
	struct ranked *all = xcalloc(n, sizeof(*all));
	int *rank = xcalloc(n, sizeof(*rank));
	size_t i, j, k;

	for (i = 0; i < n; i++)
		all[i] = (struct ranked){ i < na ? a[i] : b[i - na], i >= na };
	qsort(all, n, sizeof(*all), compare_ranked);
	*out_b = *out_ties = 0;
	for (i = 0; i < n; i = j) {
		double t;

		for (j = i + 1; j < n && all[j].value == all[i].value;)
			j++;
		t = (double)(j - i);
		*out_ties += t * t * t - t;
		for (k = i; k < j; k++) {
			rank[k] = (int)(i + 1 + j);
			*out_b += all[k].is_b ? rank[k] : 0;
		}
	}
	free(all);
	return rank;
}

/*
 * In how many ways @take of the @n doubled ranks have each sum: an array of
 * @n * (@n + 1) + 1 counts, owned by the caller. Exact in a double: C(30,15) is
 * far below 2^53.
 */
static double *count_sums(const int *rank, size_t n, size_t take)
{
	size_t width = n * (n + 1) + 1;
	double *ways = xcalloc((take + 1) * width, sizeof(*ways));
	double *last = xcalloc(width, sizeof(*last));
	size_t i, k, s;

	ways[0] = 1;
	for (i = 0; i < n; i++) {
		size_t r = (size_t)rank[i];

		for (k = i + 1 < take ? i + 1 : take; k >= 1; k--) {
			double *to = ways + k * width;
			const double *from = to - width;

			for (s = r; s < width; s++)
				to[s] += from[s - r];
		}
	}
	for (s = 0; s < width; s++)
		last[s] = ways[take * width + s];
	free(ways);
	return last;
}

static double exact_p(const int *rank, size_t na, size_t nb, double sum_b)
{
	size_t n = na + nb;
	double middle = (double)nb * (double)(n + 1);
	double far = fabs(sum_b - middle);
	double *ways = count_sums(rank, n, nb);
	double tail = 0;
	double all = 0;
	size_t s;

	for (s = 0; s <= n * (n + 1); s++) {
		all += ways[s];
		if (fabs((double)s - middle) >= far)
			tail += ways[s];
	}
	free(ways);
	return tail / all;
}

static double normal_sd(size_t na, size_t nb, double ties)
{
	double n = (double)(na + nb);
	double pairs = (double)na * (double)nb;

	return sqrt(pairs / 12 * (n + 1 - ties / (n * (n - 1))));
}

static double normal_p(size_t na, size_t nb, double u, double ties)
{
	double far = fabs(u - (double)na * (double)nb / 2) - 0.5;
	double sd = normal_sd(na, nb, ties);

	if (!(far > 0) || !(sd > 0))
		return 1;
	return fmin(1, 2 * gsl_cdf_ugaussian_Q(far / sd));
}

int stat_mannwhitney(const double *a, size_t na, const double *b, size_t nb,
		     struct stat_mannwhitney *out, struct err *err)
{
	double sum_b, ties;
	int *rank;
	int rc = stat_check(a, na, 1, "a rank test", err);

	if (!rc)
		rc = stat_check(b, nb, 1, "a rank test", err);
	if (rc)
		return rc;
	rank = double_ranks(a, na, b, nb, &sum_b, &ties);
	out->u = (sum_b - (double)nb * (double)(nb + 1)) / 2;
	out->exact = na + nb <= STAT_MANNWHITNEY_EXACT;
	out->p = out->exact ? exact_p(rank, na, nb, sum_b)
			    : normal_p(na, nb, out->u, ties);
	free(rank);
	return 0;
}

/* The largest cut whose tail, out of all deals of the ranks, is small enough */
static size_t exact_cut(size_t na, size_t nb, double alpha)
{
	size_t n = na + nb;
	int *rank = xcalloc(n, sizeof(*rank));
	double *ways;
	double all = 0;
	double tail = 0;
	size_t cut = 0;
	size_t s, u;

	for (s = 0; s < n; s++)
		rank[s] = 2 * (int)(s + 1);
	ways = count_sums(rank, n, nb);
	for (s = 0; s <= n * (n + 1); s++)
		all += ways[s];
	for (u = 0; u < na * nb; u++) {
		tail += ways[nb * (nb + 1) + 2 * u];
		/* a rounding error must not decide where the tail is equal */
		if (tail / all > alpha / 2 * (1 + 1e-12))
			break;
		cut = u + 1;
	}
	free(ways);
	free(rank);
	return cut;
}

size_t stat_mannwhitney_cut(size_t na, size_t nb, double alpha)
{
	double cut;

	if (na + nb <= STAT_MANNWHITNEY_EXACT)
		return exact_cut(na, nb, alpha);
	cut = floor((double)na * (double)nb / 2 + 0.5 -
		    gsl_cdf_ugaussian_Qinv(alpha / 2) * normal_sd(na, nb, 0));
	return cut > 0 ? (size_t)cut : 0;
}
