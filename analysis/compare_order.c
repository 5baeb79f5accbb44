// SPDX-License-Identifier: GPL-3.0-or-later
// Which rows of a comparison are printed, and in which order.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare.h"
#include "base/mem.h"

#define PROFILE "perf-profile"

/* What a row is sorted by. */
struct row_key {
	const struct comparison *c;
	size_t index;
	size_t group; /* 0 failures, 1 the job's own benchmark, 2 the others */
	size_t family_rows;
};

static const struct compare_metric *metric_of(const struct row_key *k)
{
	return &k->c->metric[k->index];
}

/* The second component ("calltrace"), as long as @out_len. */
static const char *kind_of(const char *name, size_t *out_len)
{
	const char *kind = strchr(name, '.');

	kind = kind ? kind + 1 : "";
	*out_len = strcspn(kind, ".");
	return kind;
}

static int cmp_kind(const char *a, const char *b)
{
	size_t la;
	size_t lb;
	const char *ka = kind_of(a, &la);
	const char *kb = kind_of(b, &lb);
	int cmp = memcmp(ka, kb, la < lb ? la : lb);

	return cmp ? cmp : (la > lb) - (la < lb);
}

/* NaN would be equal to everything, which no sort survives. */
static double change_or_zero(const struct compare_metric *m, size_t side)
{
	double change = m->side[side].change;

	return isnan(change) ? 0.0 : change;
}

static int cmp_changes(const struct row_key *a, const struct row_key *b)
{
	for (size_t s = 1; s < a->c->nr_sides; s++) {
		double x = change_or_zero(metric_of(a), s);
		double y = change_or_zero(metric_of(b), s);

		if (x < y)
			return -1;
		if (x > y)
			return 1;
	}
	return 0;
}

static int cmp_row(const void *va, const void *vb)
{
	const struct row_key *a = va;
	const struct row_key *b = vb;
	const struct compare_metric *ma = metric_of(a);
	const struct compare_metric *mb = metric_of(b);
	int cmp;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->family_rows != b->family_rows)
		return a->family_rows < b->family_rows ? -1 : 1;
	cmp = strcmp(ma->family, mb->family);
	if (!cmp && !strcmp(ma->family, PROFILE)) {
		cmp = cmp_kind(ma->name, mb->name);
		if (!cmp)
			cmp = cmp_changes(a, b);
	}
	return cmp ? cmp : strcmp(ma->name, mb->name);
}

static size_t group_of(const struct comparison *c,
		       const struct compare_metric *m)
{
	if (m->failure)
		return 0;
	return strcmp(m->family, c->testcase) == 0 ? 1 : 2;
}

/* Rows come sorted by name, so a family's rows of one kind need counting. */
static void count_families(struct row_key *row, size_t nr)
{
	for (size_t i = 0, end; i < nr; i = end) {
		size_t rows[2] = { 0, 0 }; /* [failure] */

		for (end = i; end < nr && !strcmp(metric_of(&row[i])->family,
						  metric_of(&row[end])->family);
		     end++)
			rows[metric_of(&row[end])->failure]++;
		for (size_t j = i; j < end; j++)
			row[j].family_rows = rows[metric_of(&row[j])->failure];
	}
}

size_t compare_order(const struct comparison *c, enum compare_show show,
		     size_t **out_row)
{
	struct row_key *row = xcalloc(c->nr ? c->nr : 1, sizeof(*row));
	size_t nr = 0;

	for (size_t i = 0; i < c->nr; i++) {
		const struct compare_metric *m = &c->metric[i];

		if (show == COMPARE_SHOW_CHANGED && !m->changed)
			continue;
		row[nr].c = c;
		row[nr].index = i;
		row[nr].group = group_of(c, m);
		nr++;
	}
	count_families(row, nr);
	qsort(row, nr, sizeof(*row), cmp_row);
	*out_row = xcalloc(nr ? nr : 1, sizeof(**out_row));
	for (size_t i = 0; i < nr; i++)
		(*out_row)[i] = row[i].index;
	free(row);
	return nr;
}
