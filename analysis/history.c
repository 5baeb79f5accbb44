// SPDX-License-Identifier: GPL-3.0-or-later
// What a range says of its commits: names, ancestors, distances, classes.
#include "analysis/history.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/history_private.h"
#include "base/mem.h"

void history_free(struct history *h)
{
	if (!h)
		return;
	free(h->text);
	free(h->id);
	free(h->index);
	history_names_release(&h->names);
	free(h->up.first);
	free(h->up.edge);
	free(h->down.first);
	free(h->down.edge);
	history_segments_free(h->segments);
	history_rows_free(h->rows);
	free(h);
}

int history_nr(const struct history *h)
{
	return h->nr;
}

bool history_is_chain(const struct history *h)
{
	return h->chain;
}

const char *history_id(const struct history *h, int pos)
{
	return h->id[pos];
}

size_t history_index(const struct history *h, int pos)
{
	return h->index[pos];
}

int history_find(const struct history *h, const char *id)
{
	return (int)history_names_find(&h->names, id);
}

int history_parents(const struct history *h, int pos, const int **out)
{
	*out = h->up.edge + h->up.first[pos];
	return h->up.first[pos + 1] - h->up.first[pos];
}

bool history_has(const struct history *h, int x, int culprit)
{
	if (h->chain)
		return culprit <= x;
	if (culprit > x)
		return false;
	return history_row(h, x)[culprit / HISTORY_WORD_BITS] >>
		       (culprit % HISTORY_WORD_BITS) &
	       1;
}

int history_count(const struct history *h, int x)
{
	const uint64_t *row;
	int n = 0;
	int k;

	if (h->chain)
		return x;
	row = history_row(h, x);
	for (k = 0; k <= x / HISTORY_WORD_BITS; k++)
		n += __builtin_popcountll(row[k]);
	return n;
}

/* Put the neighbours of @c that are farther than @d at @d, and queue them. */
static size_t reach(const struct history_edges *e, int c, int d, int *dist,
		    int *todo, size_t nr)
{
	int i;

	for (i = e->first[c]; i < e->first[c + 1]; i++) {
		if (dist[e->edge[i]] <= d)
			continue;
		dist[e->edge[i]] = d;
		todo[nr++] = e->edge[i];
	}
	return nr;
}

void history_lower_distance(const struct history *h, int from, int max,
			    int *dist)
{
	int *todo = xcalloc((size_t)h->nr + 1, sizeof(*todo));
	size_t nr = 0;
	size_t i;

	dist[from] = 0;
	todo[nr++] = from;
	for (i = 0; i < nr; i++) {
		int c = todo[i];
		int d = dist[c] + 1;

		if (d >= max)
			break;
		nr = reach(&h->up, c, d, dist, todo, nr);
		nr = reach(&h->down, c, d, dist, todo, nr);
	}
	free(todo);
}

/* What @x has, candidate by candidate: one row for all questions. */
static bool in_row(const uint64_t *row, int x, int c)
{
	if (!row)
		return c <= x;
	return row[c / HISTORY_WORD_BITS] >> (c % HISTORY_WORD_BITS) & 1;
}

int history_split(const struct history *h, int x, int *class_of, int nr_classes,
		  int *out_from)
{
	const uint64_t *row = h->chain ? NULL : history_row(h, x);
	int *inside = xcalloc((size_t)nr_classes, sizeof(*inside));
	int *outside = xcalloc((size_t)nr_classes, sizeof(*outside));
	int next = nr_classes;
	int c;

	for (c = 1; c < h->nr; c++)
		(in_row(row, x, c) ? inside : outside)[class_of[c]]++;
	for (c = 0; c < nr_classes; c++) {
		if (!inside[c] || !outside[c])
			inside[c] = -1;
		else {
			out_from[next - nr_classes] = c;
			inside[c] = next++;
		}
	}
	for (c = 1; c <= x; c++)
		if (inside[class_of[c]] >= 0 && in_row(row, x, c))
			class_of[c] = inside[class_of[c]];
	free(inside);
	free(outside);
	return next;
}
