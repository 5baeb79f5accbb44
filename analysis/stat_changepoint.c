// SPDX-License-Identifier: GPL-3.0-or-later
// Change points: energy distance says where, Welch's test says whether.
#include "analysis/stat_changepoint.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/stat_sample.h"
#include "analysis/welch.h"
#include "base/mem.h"

#define ALPHA_USUAL   0.01
#define MIN_LEN_USUAL 4
#define MIN_LEN_LEAST 3

struct search {
	const double *v;
	struct stat_change_rule rule;
	double p_enough; /* alpha by the number of splits looked at */
	size_t *at;	 /* change points so far, in any order */
	size_t nr;
};

/* A stretch of the series: @lo first, @hi one past the last. */
struct stretch {
	size_t lo, hi;
};

/* A split of a stretch: the first value of the right part, 0 for none. */
struct split {
	size_t at;
	double p;
};

static double distances(const double *v, size_t lo, size_t hi, double x)
{
	double sum = 0;
	size_t i;

	for (i = lo; i < hi; i++)
		sum += fabs(v[i] - x);
	return sum;
}

/* m n / (m + n) times the energy distance, from the sums of distances. */
static double energy(double m, double n, double left, double right,
		     double between)
{
	return m * n / (m + n) *
	       (2 * between / (m * n) - 2 * left / (m * (m - 1)) -
		2 * right / (n * (n - 1)));
}

/* Where the two parts of a stretch are furthest from each other. */
static size_t furthest(const double *v, const struct stretch *s, size_t min_len)
{
	double left = 0, right = 0, between = 0;
	double most = -INFINITY;
	size_t best = 0;
	size_t k;

	for (k = s->lo; k < s->hi; k++)
		right += distances(v, k + 1, s->hi, v[k]);
	for (k = s->lo; k + min_len < s->hi; k++) {
		double to_left = distances(v, s->lo, k, v[k]);
		double to_right = distances(v, k + 1, s->hi, v[k]);
		size_t m = k + 1 - s->lo;
		double q;

		left += to_left;
		right -= to_right;
		between += to_right - to_left;
		if (m < min_len)
			continue;
		q = energy((double)m, (double)(s->hi - k - 1), left, right,
			   between);
		if (q > most) {
			most = q;
			best = k + 1;
		}
	}
	return best;
}

static double p_of(const double *v, size_t lo, size_t mid, size_t hi)
{
	double p = 1;

	return welch_p(v + lo, mid - lo, v + mid, hi - mid, &p, NULL) ? 1 : p;
}

/*
 * The stretches to look at inside @s: itself, three of half its length, seven
 * of a quarter, … The @i-th of layer @k; false past the last layer.
 */
static int seeded(const struct stretch *s, size_t min_len, unsigned k, size_t i,
		  struct stretch *out)
{
	size_t len = s->hi - s->lo;
	size_t part = (len + ((size_t)1 << k) - 1) >> k;
	size_t steps = ((size_t)2 << k) - 2;

	if (part < 2 * min_len)
		return 0;
	out->lo = s->lo + (steps ? (len - part) * i / steps : 0);
	out->hi = out->lo + part;
	return 1;
}

/* How many stretches layer @k has. */
static size_t in_layer(unsigned k)
{
	return ((size_t)2 << k) - 1;
}

static struct split best_split(const struct search *f, const struct stretch *s)
{
	struct split best = { 0, 2 };
	struct stretch part;
	unsigned k;
	size_t i;

	for (k = 0; seeded(s, f->rule.min_len, k, 0, &part); k++) {
		for (i = 0; i < in_layer(k); i++) {
			size_t at;
			double p;

			seeded(s, f->rule.min_len, k, i, &part);
			at = furthest(f->v, &part, f->rule.min_len);
			p = p_of(f->v, part.lo, at, part.hi);
			if (p < best.p)
				best = (struct split){ at, p };
		}
	}
	return best;
}

/* All splits that best_split() chooses from in a series of @nr values. */
static double count_splits(size_t nr, size_t min_len)
{
	const struct stretch all = { 0, nr };
	struct stretch part;
	double count = 0;
	unsigned k;

	for (k = 0; seeded(&all, min_len, k, 0, &part); k++)
		count += (double)in_layer(k) *
			 (double)(part.hi - part.lo - 2 * min_len + 1);
	return count;
}

/* Split stretches until nothing counts any more. */
static void find(struct search *f, size_t nr)
{
	struct stretch *todo = xcalloc(nr + 1, sizeof(*todo));
	size_t left = 0;

	todo[left++] = (struct stretch){ 0, nr };
	while (left) {
		struct stretch s = todo[--left];
		struct split best = best_split(f, &s);

		if (!best.at || best.p > f->p_enough)
			continue;
		f->at[f->nr++] = best.at;
		todo[left++] = (struct stretch){ s.lo, best.at };
		todo[left++] = (struct stretch){ best.at, s.hi };
	}
	free(todo);
}

static int compare_places(const void *a, const void *b)
{
	size_t x = *(const size_t *)a;
	size_t y = *(const size_t *)b;

	return (x > y) - (x < y);
}

static double mean_of(const double *v, size_t lo, size_t hi)
{
	return stat_mean(v + lo, hi - lo);
}

/* Change @i against its neighbours as they are now. */
static struct stat_change describe(const struct search *f, size_t nr, size_t i)
{
	size_t lo = i ? f->at[i - 1] : 0;
	size_t hi = i + 1 < f->nr ? f->at[i + 1] : nr;

	return (struct stat_change){
		.at = f->at[i],
		.before = mean_of(f->v, lo, f->at[i]),
		.after = mean_of(f->v, f->at[i], hi),
		.p = p_of(f->v, lo, f->at[i], hi),
	};
}

static int too_small(const struct search *f, const struct stat_change *c)
{
	return fabs(c->after - c->before) <
	       f->rule.min_effect * fabs(c->before);
}

/* The least sure of the changes, one that is too small before any other. */
static size_t weakest(const struct search *f, size_t nr, int *out_bad)
{
	size_t worst = 0;
	double worst_p = -1;
	size_t i;

	for (i = 0; i < f->nr; i++) {
		struct stat_change c = describe(f, nr, i);
		double p = too_small(f, &c) ? 2 : c.p;

		if (p > worst_p) {
			worst_p = p;
			worst = i;
		}
	}
	*out_bad = worst_p > f->p_enough;
	return worst;
}

/*
 * A split was judged inside its stretch; between the change points that stand
 * now it may be none. Drop such ones, and the least sure past @max.
 */
static void prune(struct search *f, size_t nr, size_t max)
{
	int bad = 1;

	while (f->nr) {
		size_t i = weakest(f, nr, &bad);

		if (!bad && f->nr <= max)
			return;
		for (f->nr--; i < f->nr; i++)
			f->at[i] = f->at[i + 1];
	}
}

static int take_rule(struct search *f, const struct stat_change_rule *rule,
		     size_t nr, struct err *err)
{
	f->rule = *rule;
	if (f->rule.alpha == 0)
		f->rule.alpha = ALPHA_USUAL;
	if (!f->rule.min_len)
		f->rule.min_len = MIN_LEN_USUAL;
	if (!(f->rule.alpha > 0 && f->rule.alpha < 1) ||
	    f->rule.min_len < MIN_LEN_LEAST || !(f->rule.min_effect >= 0))
		return err_set(err, ERR_RANGE,
			       "change points: alpha %g (between 0 and 1), "
			       "stretches of %zu (%d or more), effect %g (0 or "
			       "more)",
			       f->rule.alpha, f->rule.min_len, MIN_LEN_LEAST,
			       f->rule.min_effect);
	f->p_enough =
		f->rule.alpha / fmax(count_splits(nr, f->rule.min_len), 1);
	return 0;
}

int stat_change_points(const double *v, size_t nr,
		       const struct stat_change_rule *rule,
		       struct stat_changes *out, struct err *err)
{
	struct search f = { .v = v };
	size_t i;
	int rc = stat_check(v, nr, 0, "a series", err);

	if (!rc && nr > STAT_CHANGE_MAX_VALUES)
		rc = err_set(err, ERR_LIMIT,
			     "change points of %zu values; at most %zu", nr,
			     STAT_CHANGE_MAX_VALUES);
	if (!rc)
		rc = take_rule(&f, rule, nr, err);
	if (rc)
		return rc;
	f.at = xcalloc(nr + 1, sizeof(*f.at));
	find(&f, nr);
	qsort(f.at, f.nr, sizeof(*f.at), compare_places);
	prune(&f, nr, out->max);
	for (i = 0; i < f.nr; i++)
		out->v[i] = describe(&f, nr, i);
	out->nr = f.nr;
	free(f.at);
	return 0;
}
