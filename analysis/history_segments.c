// SPDX-License-Identifier: GPL-3.0-or-later
// The graph without its plain stretches: what forks and merges leave of it, a
// quarter of the commits of a kernel range.
#include <stdlib.h>

#include "analysis/history_private.h"
#include "base/mem.h"

static int nr_edges(const struct history_edges *e, int pos)
{
	return e->first[pos + 1] - e->first[pos];
}

/* The segment that @pos goes on with, or -1: it begins one. */
static int continued(const struct history *h, const int *of, int pos)
{
	int parent;

	if (nr_edges(&h->up, pos) != 1)
		return -1;
	parent = h->up.edge[h->up.first[pos]];
	return nr_edges(&h->down, parent) == 1 ? of[parent] : -1;
}

/* Number the segments; returns the number of edges between them at most. */
static size_t number(const struct history *h, struct history_segments *g)
{
	size_t edges = 0;
	int x;

	g->of = xcalloc((size_t)h->nr, sizeof(*g->of));
	g->of[0] = -1;
	for (x = 1; x < h->nr; x++) {
		g->of[x] = continued(h, g->of, x);
		if (g->of[x] >= 0)
			continue;
		g->of[x] = g->nr++;
		edges += (size_t)nr_edges(&h->up, x);
	}
	return edges;
}

static void connect(const struct history *h, struct history_segments *g,
		    size_t edges)
{
	int next = 0;
	int n = 0;
	int x;
	int e;

	g->up.first = xcalloc((size_t)g->nr + 1, sizeof(int));
	g->up.edge = xcalloc(edges + 1, sizeof(int));
	for (x = 1; x < h->nr; x++) {
		if (g->of[x] != next)
			continue;
		g->up.first[next++] = n;
		for (e = h->up.first[x]; e < h->up.first[x + 1]; e++)
			if (h->up.edge[e])
				g->up.edge[n++] = g->of[h->up.edge[e]];
	}
	g->up.first[next] = n;
}

/* How far up each segment is still a parent. */
static void reach(struct history_segments *g)
{
	int top = 0;
	int s;
	int e;

	g->last_child = xcalloc((size_t)g->nr, sizeof(int));
	g->last_reached = xcalloc((size_t)g->nr, sizeof(int));
	for (s = 0; s < g->nr; s++) {
		g->last_child[s] = s;
		if (!nr_edges(&g->up, s))
			g->last_root = s;
		for (e = g->up.first[s]; e < g->up.first[s + 1]; e++)
			g->last_child[g->up.edge[e]] = s;
	}
	for (s = 0; s < g->nr; s++) {
		if (g->last_child[s] > top)
			top = g->last_child[s];
		g->last_reached[s] = top;
	}
}

struct history_segments *history_segments_new(const struct history *h)
{
	struct history_segments *g = xcalloc(1, sizeof(*g));

	connect(h, g, number(h, g));
	reach(g);
	return g;
}

void history_segments_free(struct history_segments *g)
{
	if (!g)
		return;
	free(g->of);
	free(g->up.first);
	free(g->up.edge);
	free(g->last_child);
	free(g->last_reached);
	free(g);
}
