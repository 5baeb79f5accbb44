// SPDX-License-Identifier: GPL-3.0-or-later
// How much weight each commit has in it: sums over ancestor sets, without the
// sets.
//
// 64 candidates at a time go up through the graph as the bits of one word a
// segment; a merge adds only what its other parents bring in. The way ends
// where everything above has all 64. Where that is still too long, the
// first-parent line is exact (each of its steps brings in what no earlier one
// did), and so are the commits that were asked about.
#include <stdlib.h>

#include "analysis/history_private.h"
#include "base/mem.h"

/* Segments visited, merged bits counted too, before it is too long a way: about
 * half a second. */
#define STEPS_MAX (1L << 27)

struct sweep {
	const struct history_segments *g;
	double *weight; /* by segment */
	double *below;	/* by segment: mass of what its first descends from */
	double *above;	/* by segment: to be added to below, there and behind */
	int *heavy;	/* segments that have weight */
	int nr_heavy;
	long steps;
	/* of the 64 heavy segments at hand */
	uint64_t *word; /* by segment: which of them it has */
	double *mass;	/* by segment: their weight */
	double bit[HISTORY_WORD_BITS];
};

static void sweep_init(struct sweep *w, const struct history *h,
		       const double *weight)
{
	size_t nr = (size_t)h->segments->nr;
	int x;
	int s;

	*w = (struct sweep){ .g = h->segments };
	w->weight = xcalloc(nr, sizeof(double));
	w->below = xcalloc(nr, sizeof(double));
	w->above = xcalloc(nr + 1, sizeof(double));
	w->heavy = xcalloc(nr, sizeof(int));
	w->word = xcalloc(nr, sizeof(uint64_t));
	w->mass = xcalloc(nr, sizeof(double));
	for (x = 1; x < h->nr; x++)
		w->weight[w->g->of[x]] += weight[x];
	for (s = 0; s < w->g->nr; s++)
		if (w->weight[s] != 0)
			w->heavy[w->nr_heavy++] = s;
}

static void sweep_release(struct sweep *w)
{
	free(w->weight);
	free(w->below);
	free(w->above);
	free(w->heavy);
	free(w->word);
	free(w->mass);
}

/* What the parents of @s have together; *@out_mass: its weight. */
static uint64_t join(struct sweep *w, int s, double *out_mass)
{
	const int *up = w->g->up.edge + w->g->up.first[s];
	int nr = w->g->up.first[s + 1] - w->g->up.first[s];
	uint64_t all;
	int most = 0;
	int i;

	*out_mass = 0;
	if (!nr)
		return 0;
	all = w->word[up[0]];
	for (i = 1; i < nr; i++) {
		uint64_t other = w->word[up[i]];

		if (other & ~all &&
		    __builtin_popcountll(other) >
			    __builtin_popcountll(w->word[up[most]]))
			most = i;
		all |= other;
	}
	*out_mass = w->mass[up[most]];
	for (uint64_t more = all & ~w->word[up[most]]; more; more &= more - 1) {
		*out_mass += w->bit[__builtin_ctzll(more)];
		w->steps++;
	}
	return all;
}

/* Take heavy segments @from..@from+@nr-1 through the graph. */
static void sweep_up(struct sweep *w, int from, int nr)
{
	const struct history_segments *g = w->g;
	const int *heavy = w->heavy + from;
	uint64_t full = ~0ULL >> (HISTORY_WORD_BITS - nr);
	int first = heavy[0];
	/* up to here, something may still lack a part of them */
	int open = first ? g->last_reached[first - 1] : 0;
	double total = 0;
	int next = 0;
	int s;

	if (open < g->last_root)
		open = g->last_root;
	for (s = 0; s < nr; s++)
		total += w->bit[s] = w->weight[heavy[s]];
	for (s = first; s < g->nr; s++) {
		double mass;
		uint64_t all = join(w, s, &mass);

		w->below[s] += mass;
		if (next < nr && heavy[next] == s) {
			mass += w->bit[next];
			all |= 1ULL << next++;
		}
		w->word[s] = all;
		w->mass[s] = mass;
		if (all != full && g->last_child[s] > open)
			open = g->last_child[s];
		if (next == nr && s >= open)
			break;
	}
	w->steps += s - first;
	if (s < g->nr)
		w->above[s + 1] += total;
}

/* Nothing below the next 64 has any of them. */
static void clear_below(struct sweep *w, int from, int to)
{
	int s;

	for (s = from; s < to; s++) {
		w->word[s] = 0;
		w->mass[s] = 0;
	}
}

static bool sweep_all(struct sweep *w)
{
	double above = 0;
	int i;
	int s;

	for (i = 0; i < w->nr_heavy; i += HISTORY_WORD_BITS) {
		int left = w->nr_heavy - i;

		if (w->steps > STEPS_MAX)
			return false;
		if (i)
			clear_below(w, w->heavy[i - HISTORY_WORD_BITS],
				    w->heavy[i]);
		sweep_up(w, i,
			 left < HISTORY_WORD_BITS ? left : HISTORY_WORD_BITS);
	}
	for (s = 0; s < w->g->nr; s++) {
		above += w->above[s];
		w->below[s] += above;
	}
	return true;
}

/* Inside a segment the mass only grows by the weights. */
static void along_segments(const struct history *h, struct sweep *w,
			   const double *weight, double *out)
{
	const int *of = h->segments->of;
	int x;

	for (x = 1; x < h->nr; x++) {
		w->below[of[x]] += weight[x];
		out[x] = w->below[of[x]];
	}
}

/* Add up what @x has and no marked commit has; marks it. @todo: room. */
static double bring_in(const struct history *h, int x, const double *weight,
		       bool *mark, int *todo)
{
	double sum = 0;
	int nr = 0;
	int e;

	mark[x] = true;
	todo[nr++] = x;
	while (nr) {
		int c = todo[--nr];

		sum += weight[c];
		for (e = h->up.first[c]; e < h->up.first[c + 1]; e++) {
			int p = h->up.edge[e];

			if (!p || mark[p])
				continue;
			mark[p] = true;
			todo[nr++] = p;
		}
	}
	return sum;
}

/* Exact along the first parents, elsewhere what the heaviest parent has. */
static void first_parents(const struct history *h, const double *weight,
			  double *out)
{
	bool *mark = xcalloc((size_t)h->nr, sizeof(*mark));
	int *todo = xcalloc((size_t)h->nr, sizeof(*todo));
	int *line = xcalloc((size_t)h->nr, sizeof(*line));
	double sum = 0;
	int nr = 0;
	int x;
	int e;

	for (x = h->nr - 1; x > 0;) {
		line[nr++] = x;
		x = h->up.first[x] < h->up.first[x + 1]
			    ? h->up.edge[h->up.first[x]]
			    : 0;
	}
	for (x = 1; x < h->nr; x++)
		out[x] = -1;
	while (nr--) {
		sum += bring_in(h, line[nr], weight, mark, todo);
		out[line[nr]] = sum;
	}
	for (x = 1; x < h->nr; x++) {
		if (out[x] >= 0)
			continue;
		out[x] = 0;
		for (e = h->up.first[x]; e < h->up.first[x + 1]; e++)
			if (out[h->up.edge[e]] > out[x])
				out[x] = out[h->up.edge[e]];
		out[x] += weight[x];
	}
	free(mark);
	free(todo);
	free(line);
}

/* Exact for those whose ancestors are known one by one. */
static void by_rows(const struct history *h, const double *weight, double *out)
{
	size_t i;
	int k;

	for (i = 0; i < h->rows->nr; i++) {
		double sum = 0;

		for (k = 0; k < h->rows->words; k++) {
			uint64_t bits = h->rows->row[i][k];

			for (; bits; bits &= bits - 1)
				sum += weight[k * HISTORY_WORD_BITS +
					      __builtin_ctzll(bits)];
		}
		out[h->rows->pos[i]] = sum;
	}
}

bool history_mass(const struct history *h, const double *weight, double *out)
{
	struct sweep w;
	bool exact;
	int x;

	out[0] = 0;
	if (h->chain) {
		for (x = 1; x < h->nr; x++)
			out[x] = out[x - 1] + weight[x];
		return true;
	}
	sweep_init(&w, h, weight);
	exact = sweep_all(&w);
	if (exact) {
		along_segments(h, &w, weight, out);
	} else {
		first_parents(h, weight, out);
		by_rows(h, weight, out);
	}
	sweep_release(&w);
	return exact;
}
