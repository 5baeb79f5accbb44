// SPDX-License-Identifier: GPL-3.0-or-later
// Clusters of metrics: known names, and noise that goes together.
#include "analysis/stat_cluster.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

#define SIDES_MAX   16
#define CORRELATION 0.98
#define ACCIDENT    0.01
/* Noise of equal size, up to what the inverse of a number adds to it. */
#define EQUAL_SIZE     0.1
#define ROUNDING_RATIO 1e-12

/* Beginnings and ends of names that don't make another metric of it. */
static const struct {
	const char *from, *to;
	bool at_end;
} aliases[] = {
	{ ".ops_per_sec", ".ops", true },
	{ ".elapsed_time.max", ".elapsed_time", true },
	{ "perf-stat.total.", "perf-stat.", false },
	{ "perf-stat.ps.", "perf-stat.", false },
	{ "perf-stat.i.", "perf-stat.", false },
};

struct clusters {
	size_t *parent; /* union-find */
	char **key;	/* the name all aliases share */
	double *noise;	/* [nr][nr_boots], of length 1; else all 0 */
	double *size;	/* of the noise, 0: constant, or not in all boots */
	size_t nr, nr_boots;
	double accident; /* chance of a correlation that counts */
};

static char *key_of(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(aliases); i++) {
		const char *from = aliases[i].from;
		size_t cut = strlen(from);

		if (aliases[i].at_end ? !str_ends(name, from)
				      : !str_starts(name, from))
			continue;
		if (aliases[i].at_end)
			return xasprintf("%.*s%s", (int)(strlen(name) - cut),
					 name, aliases[i].to);
		return xasprintf("%s%s", aliases[i].to, name + cut);
	}
	return xstrdup(name);
}

static size_t root(const struct clusters *c, size_t i)
{
	while (c->parent[i] != i) {
		c->parent[i] = c->parent[c->parent[i]];
		i = c->parent[i];
	}
	return i;
}

static void join(struct clusters *c, size_t a, size_t b)
{
	size_t x = root(c, a);
	size_t y = root(c, b);

	c->parent[x > y ? x : y] = x > y ? y : x;
}

/*
 * Values against their side's mean, scaled to length 1; false: none. Relative
 * to the mean, since a time and the throughput it is the inverse of have noise
 * of another size after a change; not where a mean is 0.
 */
static double take_noise(const double *value, const int *side, size_t nr,
			 double *out)
{
	double mean[SIDES_MAX] = { 0 };
	size_t boots[SIDES_MAX] = { 0 };
	double size = 0, square = 0;
	size_t above = 0, below = 0;
	bool relative;
	size_t i;

	for (i = 0; i < nr; i++) {
		if (isnan(value[i]))
			return 0;
		/* the mean as it grows: no second pass */
		boots[side[i]]++;
		above += value[i] > 0;
		below += value[i] < 0;
		mean[side[i]] +=
			(value[i] - mean[side[i]]) / (double)boots[side[i]];
	}
	relative = above == nr || below == nr;
	for (i = 0; i < nr; i++) {
		double scale = relative ? mean[side[i]] : 1;

		out[i] = (value[i] - mean[side[i]]) / scale;
		square += out[i] * out[i];
		size += fabs(value[i] / scale);
	}
	/* what rounding leaves of a constant is no noise */
	if (!(sqrt(square) > ROUNDING_RATIO * size))
		return 0;
	for (i = 0; i < nr; i++)
		out[i] /= sqrt(square);
	return sqrt(square);
}

static double degrees(const int *side, size_t nr)
{
	bool seen[SIDES_MAX] = { false };
	double df = (double)nr - 1;
	size_t i;

	for (i = 0; i < nr; i++) {
		df -= !seen[side[i]];
		seen[side[i]] = true;
	}
	return df;
}

static bool same_noise(const struct clusters *c, size_t i, size_t j, double df)
{
	const double *x = c->noise + i * c->nr_boots;
	const double *y = c->noise + j * c->nr_boots;
	double r = 0;
	size_t k;

	if (fabs(log(c->size[i] / c->size[j])) > EQUAL_SIZE)
		return false;
	for (k = 0; k < c->nr_boots; k++)
		r += x[k] * y[k];
	r = fabs(r);
	if (r < CORRELATION)
		return false;
	if (r >= 1)
		return true;
	return 2 * gsl_cdf_tdist_Q(r * sqrt(df / (1 - r * r)), df) <=
	       c->accident;
}

static void join_by_noise(struct clusters *c, const int *side)
{
	double df = degrees(side, c->nr_boots);
	size_t i, j;

	/* two points are always on a line */
	if (!(df > 0) || c->nr > STAT_CLUSTER_MAX)
		return;
	c->accident =
		ACCIDENT / fmax((double)c->nr * (double)(c->nr - 1) / 2, 1);
	for (i = 0; i < c->nr; i++) {
		for (j = i + 1; c->size[i] > 0 && j < c->nr; j++) {
			if (c->size[j] > 0 && root(c, i) != root(c, j) &&
			    same_noise(c, i, j, df))
				join(c, i, j);
		}
	}
}

struct keyed {
	const char *key;
	size_t at;
};

static int compare_keys(const void *a, const void *b)
{
	const struct keyed *x = a;
	const struct keyed *y = b;
	int cmp = strcmp(x->key, y->key);

	return cmp ? cmp : (x->at > y->at) - (x->at < y->at);
}

static void join_by_name(struct clusters *c)
{
	struct keyed *list = xcalloc(c->nr + 1, sizeof(*list));
	size_t i;

	for (i = 0; i < c->nr; i++)
		list[i] = (struct keyed){ c->key[i], i };
	qsort(list, c->nr, sizeof(*list), compare_keys);
	for (i = 1; i < c->nr; i++) {
		if (!strcmp(list[i].key, list[i - 1].key))
			join(c, list[i].at, list[i - 1].at);
	}
	free(list);
}

static size_t choose_heads(const struct clusters *c,
			   const struct stat_cluster_metric *m,
			   size_t *out_head)
{
	size_t *best = xcalloc(c->nr + 1, sizeof(*best));
	size_t clusters = 0;
	size_t i;

	/* a root is the first of its cluster */
	for (i = 0; i < c->nr; i++) {
		size_t r = root(c, i);

		if (r == i) {
			best[r] = i;
			clusters++;
		} else if (m[i].rank < m[best[r]].rank) {
			best[r] = i;
		}
	}
	for (i = 0; i < c->nr; i++)
		out_head[i] = best[root(c, i)];
	free(best);
	return clusters;
}

size_t stat_cluster(const struct stat_cluster_metric *m, size_t nr,
		    const int *side, size_t nr_boots, size_t *out_head)
{
	struct clusters c = { .nr = nr, .nr_boots = nr_boots };
	size_t clusters;
	size_t i;

	c.parent = xcalloc(nr + 1, sizeof(*c.parent));
	c.key = xcalloc(nr + 1, sizeof(*c.key));
	c.size = xcalloc(nr + 1, sizeof(*c.size));
	c.noise = xcalloc(nr * nr_boots + 1, sizeof(*c.noise));
	for (i = 0; i < nr; i++) {
		c.parent[i] = i;
		c.key[i] = key_of(m[i].name);
		c.size[i] = take_noise(m[i].value, side, nr_boots,
				       c.noise + i * nr_boots);
	}
	join_by_name(&c);
	join_by_noise(&c, side);
	clusters = choose_heads(&c, m, out_head);
	for (i = 0; i < nr; i++)
		free(c.key[i]);
	free(c.parent);
	free(c.key);
	free(c.size);
	free(c.noise);
	return clusters;
}
