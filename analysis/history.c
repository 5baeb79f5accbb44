// SPDX-License-Identifier: GPL-3.0-or-later
// The commit graph of a range: order, ancestor sets, classes.
#include "analysis/history.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define BITS 64

/*
 * Edges are stored as compressed rows: those of position p are
 * edge[first[p]..first[p+1]).
 */
struct edges {
	int *first;
	int *edge;
};

struct history {
	int nr;
	char **id;	   /* by position */
	size_t *index;	   /* by position: place in the caller's list */
	int *by_name;	   /* positions sorted by id */
	struct edges up;   /* parents */
	struct edges down; /* children */
	bool chain;
	int words;	/* of one row */
	uint64_t *rows; /* nr × words, bit c of row x: x has c; NULL: chain */
};

/* Working state while the caller's list is read; indices into that list. */
struct builder {
	const struct history_commit *in;
	size_t nr;
	size_t *by_name;
	struct edges up; /* parents in the list */
	bool *good_side; /* the good commit and its ancestors */
	bool *bad_side;	 /* the bad commit and its ancestors */
	int *order;	 /* topological, parents first */
	int *pos;	 /* by list index; -1 outside */
};

static int compare_names(const void *a, const void *b, void *ctx)
{
	const struct history_commit *in = ctx;
	size_t x = *(const size_t *)a;
	size_t y = *(const size_t *)b;

	return strcmp(in[x].id, in[y].id);
}

/* List index of @id, or -1. */
static long find_in_list(const struct builder *b, const char *id)
{
	size_t lo = 0;
	size_t hi = b->nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int c = strcmp(id, b->in[b->by_name[mid]].id);

		if (!c)
			return (long)b->by_name[mid];
		if (c < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	return -1;
}

static int read_names(struct builder *b, struct err *err)
{
	size_t i;

	for (i = 0; i < b->nr; i++)
		b->by_name[i] = i;
	qsort_r(b->by_name, b->nr, sizeof(*b->by_name), compare_names,
		(void *)b->in);
	for (i = 1; i < b->nr; i++) {
		const char *id = b->in[b->by_name[i]].id;

		if (!strcmp(id, b->in[b->by_name[i - 1]].id))
			return err_set(err, ERR_DATA,
				       "history: commit %s is listed twice",
				       id);
	}
	return 0;
}

static int read_parents(struct builder *b, struct err *err)
{
	size_t i;
	size_t k;
	int n = 0;

	for (i = 0; i < b->nr; i++) {
		if (b->in[i].nr_parents > HISTORY_MAX_PARENTS)
			return err_set(err, ERR_DATA,
				       "history: commit %s has %zu parents, "
				       "more than %d",
				       b->in[i].id, b->in[i].nr_parents,
				       HISTORY_MAX_PARENTS);
	}
	for (i = 0; i < b->nr; i++) {
		b->up.first[i] = n;
		for (k = 0; k < b->in[i].nr_parents; k++) {
			long p = find_in_list(b, b->in[i].parents[k]);

			if (p >= 0)
				b->up.edge[n++] = (int)p;
		}
	}
	b->up.first[b->nr] = n;
	return 0;
}

/* Mark @from and all its ancestors. */
static void mark_ancestors(const struct builder *b, long from, bool *mark)
{
	int *todo = xcalloc(b->nr, sizeof(*todo));
	size_t nr = 0;

	mark[from] = true;
	todo[nr++] = (int)from;
	while (nr) {
		int c = todo[--nr];
		int e;

		for (e = b->up.first[c]; e < b->up.first[c + 1]; e++) {
			int p = b->up.edge[e];

			if (mark[p])
				continue;
			mark[p] = true;
			todo[nr++] = p;
		}
	}
	free(todo);
}

/* Turn parent rows into child rows. */
static void invert(const struct edges *up, size_t nr, struct edges *down)
{
	int *at;
	size_t i;
	int e;

	down->first = xcalloc(nr + 1, sizeof(int));
	down->edge = xcalloc((size_t)up->first[nr] + 1, sizeof(int));
	for (e = 0; e < up->first[nr]; e++)
		down->first[up->edge[e] + 1]++;
	for (i = 0; i < nr; i++)
		down->first[i + 1] += down->first[i];
	at = xcalloc(nr + 1, sizeof(*at));
	memcpy(at, down->first, (nr + 1) * sizeof(*at));
	for (i = 0; i < nr; i++)
		for (e = up->first[i]; e < up->first[i + 1]; e++)
			down->edge[at[up->edge[e]]++] = (int)i;
	free(at);
}

/*
 * Kahn's order over the whole list, first come first served, so that a list
 * that has its parents in front keeps its order.
 */
static int sort_topologically(struct builder *b, struct err *err)
{
	struct edges down;
	int *wait = xcalloc(b->nr, sizeof(*wait));
	size_t nr = 0;
	size_t i;
	bool in_order = true;

	invert(&b->up, b->nr, &down);
	for (i = 0; i < b->nr; i++) {
		int e;

		wait[i] = b->up.first[i + 1] - b->up.first[i];
		for (e = b->up.first[i]; e < b->up.first[i + 1]; e++)
			in_order &= b->up.edge[e] < (int)i;
	}
	for (i = 0; i < b->nr; i++)
		if (in_order || !wait[i])
			b->order[nr++] = (int)i;
	for (i = 0; !in_order && i < nr; i++) {
		int c = b->order[i];
		int e;

		for (e = down.first[c]; e < down.first[c + 1]; e++)
			if (!--wait[down.edge[e]])
				b->order[nr++] = down.edge[e];
	}
	free(wait);
	free(down.first);
	free(down.edge);
	if (nr < b->nr)
		return err_set(err, ERR_DATA,
			       "history: the parents form a cycle");
	return 0;
}

/* Find both ends, and give positions to what lies between them. */
static int number_range(struct builder *b, const char *good, const char *bad,
			int *out_nr, struct err *err)
{
	long g = find_in_list(b, good);
	long d = find_in_list(b, bad);
	size_t i;
	int nr = 1;

	if (g < 0 || d < 0)
		return err_set(err, ERR_NOTFOUND,
			       "history: the %s commit %s is not in the list",
			       g < 0 ? "good" : "bad", g < 0 ? good : bad);
	b->good_side = xcalloc(b->nr, sizeof(bool));
	b->bad_side = xcalloc(b->nr, sizeof(bool));
	mark_ancestors(b, g, b->good_side);
	mark_ancestors(b, d, b->bad_side);
	if (!b->bad_side[g] || g == d)
		return err_set(err, ERR_NOTFOUND,
			       "history: the good commit %s is no ancestor of "
			       "the bad commit %s; start from their merge base",
			       good, bad);
	for (i = 0; i < b->nr; i++)
		b->pos[i] = -1;
	b->pos[g] = 0;
	for (i = 0; i < b->nr; i++) {
		int c = b->order[i];

		if (b->bad_side[c] && !b->good_side[c] && c != d)
			b->pos[c] = nr++;
	}
	b->pos[d] = nr++;
	*out_nr = nr;
	return 0;
}

static int compare_ids(const void *a, const void *b, void *ctx)
{
	const struct history *h = ctx;

	return strcmp(h->id[*(const int *)a], h->id[*(const int *)b]);
}

/* Copy names and edges of the range out of the builder. */
static void fill_range(struct history *h, const struct builder *b)
{
	size_t i;
	int p;
	int n = 0;

	h->id = xcalloc((size_t)h->nr, sizeof(*h->id));
	h->index = xcalloc((size_t)h->nr, sizeof(*h->index));
	h->by_name = xcalloc((size_t)h->nr, sizeof(*h->by_name));
	h->up.first = xcalloc((size_t)h->nr + 1, sizeof(int));
	h->up.edge = xcalloc((size_t)b->up.first[b->nr] + 1, sizeof(int));
	for (i = 0; i < b->nr; i++)
		if (b->pos[i] >= 0)
			h->index[b->pos[i]] = i;
	for (p = 0; p < h->nr; p++) {
		int c = (int)h->index[p];
		int e;

		h->id[p] = xstrdup(b->in[c].id);
		h->by_name[p] = p;
		h->up.first[p] = n;
		for (e = b->up.first[c]; p && e < b->up.first[c + 1]; e++)
			if (b->pos[b->up.edge[e]] >= 0)
				h->up.edge[n++] = b->pos[b->up.edge[e]];
	}
	h->up.first[h->nr] = n;
	invert(&h->up, (size_t)h->nr, &h->down);
	qsort_r(h->by_name, (size_t)h->nr, sizeof(*h->by_name), compare_ids, h);
}

static bool is_chain(const struct history *h)
{
	int p;

	for (p = 1; p < h->nr; p++)
		if (h->up.first[p + 1] - h->up.first[p] != 1 ||
		    h->up.edge[h->up.first[p]] != p - 1)
			return false;
	return true;
}

static int fill_rows(struct history *h, struct err *err)
{
	int p;

	h->chain = is_chain(h);
	h->words = h->nr / BITS + 1;
	if (h->chain)
		return 0;
	if (h->nr > HISTORY_MAX_GRAPH)
		return err_set(err, ERR_LIMIT,
			       "history: %d commits with merges, more than %d; "
			       "bisect the first parents first",
			       h->nr - 1, HISTORY_MAX_GRAPH);
	h->rows = xcalloc((size_t)h->nr * (size_t)h->words, sizeof(uint64_t));
	for (p = 1; p < h->nr; p++) {
		uint64_t *row = h->rows + (size_t)p * (size_t)h->words;
		int e;

		row[p / BITS] |= 1ULL << (p % BITS);
		for (e = h->up.first[p]; e < h->up.first[p + 1]; e++) {
			const uint64_t *up = h->rows + (size_t)h->up.edge[e] *
							       (size_t)h->words;
			int k;

			for (k = 0; k <= p / BITS; k++)
				row[k] |= up[k];
		}
	}
	return 0;
}

static void builder_init(struct builder *b)
{
	size_t total = 1;
	size_t i;

	for (i = 0; i < b->nr; i++)
		if (b->in[i].nr_parents <= HISTORY_MAX_PARENTS)
			total += b->in[i].nr_parents;
	b->up.edge = xcalloc(total, sizeof(int));
	b->by_name = xcalloc(b->nr, sizeof(*b->by_name));
	b->order = xcalloc(b->nr, sizeof(*b->order));
	b->pos = xcalloc(b->nr, sizeof(*b->pos));
	b->up.first = xcalloc(b->nr + 1, sizeof(int));
}

static void builder_release(struct builder *b)
{
	free(b->by_name);
	free(b->up.first);
	free(b->up.edge);
	free(b->good_side);
	free(b->bad_side);
	free(b->order);
	free(b->pos);
}

struct history *history_new(const struct history_commit *commits, size_t nr,
			    const char *good, const char *bad, struct err *err)
{
	struct builder b = { .in = commits, .nr = nr };
	struct history *h = NULL;
	int range = 0;
	int rc;

	if (nr < 2 || nr > HISTORY_MAX_CHAIN) {
		err_set(err, ERR_LIMIT, "history: %zu commits, 2..%d wanted",
			nr, HISTORY_MAX_CHAIN);
		return NULL;
	}
	builder_init(&b);
	rc = read_names(&b, err);
	if (!rc)
		rc = read_parents(&b, err);
	if (!rc)
		rc = sort_topologically(&b, err);
	if (!rc)
		rc = number_range(&b, good, bad, &range, err);
	if (!rc) {
		h = xcalloc(1, sizeof(*h));
		h->nr = range;
		fill_range(h, &b);
		rc = fill_rows(h, err);
	}
	builder_release(&b);
	if (!rc)
		return h;
	history_free(h);
	return NULL;
}

void history_free(struct history *h)
{
	int p;

	if (!h)
		return;
	for (p = 0; p < h->nr; p++)
		free(h->id[p]);
	free(h->id);
	free(h->index);
	free(h->by_name);
	free(h->up.first);
	free(h->up.edge);
	free(h->down.first);
	free(h->down.edge);
	free(h->rows);
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
	int lo = 0;
	int hi = h->nr;

	while (lo < hi) {
		int mid = lo + (hi - lo) / 2;
		int c = strcmp(id, h->id[h->by_name[mid]]);

		if (!c)
			return h->by_name[mid];
		if (c < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	return -1;
}

int history_parents(const struct history *h, int pos, const int **out)
{
	*out = h->up.edge + h->up.first[pos];
	return h->up.first[pos + 1] - h->up.first[pos];
}

static const uint64_t *row_of(const struct history *h, int x)
{
	return h->rows + (size_t)x * (size_t)h->words;
}

bool history_has(const struct history *h, int x, int culprit)
{
	if (h->chain)
		return culprit <= x;
	return row_of(h, x)[culprit / BITS] >> (culprit % BITS) & 1;
}

int history_count(const struct history *h, int x)
{
	int n = 0;
	int k;

	if (h->chain)
		return x;
	for (k = 0; k < h->words; k++)
		n += __builtin_popcountll(row_of(h, x)[k]);
	return n;
}

/* Sum of the weights of the set bits of @bits; @weight is that of bit 0. */
static double weigh(uint64_t bits, const double *weight)
{
	double sum = 0;

	for (; bits; bits &= bits - 1)
		sum += weight[__builtin_ctzll(bits)];
	return sum;
}

void history_mass(const struct history *h, const double *weight, double *out)
{
	uint64_t *heavy;
	int x;
	int k;

	out[0] = 0;
	if (h->chain) {
		for (x = 1; x < h->nr; x++)
			out[x] = out[x - 1] + weight[x];
		return;
	}
	heavy = xcalloc((size_t)h->words, sizeof(*heavy));
	for (x = 1; x < h->nr; x++)
		if (weight[x] != 0)
			heavy[x / BITS] |= 1ULL << (x % BITS);
	for (x = 1; x < h->nr; x++) {
		const uint64_t *row = row_of(h, x);

		out[x] = 0;
		for (k = 0; k <= x / BITS; k++)
			out[x] += weigh(row[k] & heavy[k],
					weight + (ptrdiff_t)k * BITS);
	}
	free(heavy);
}

/* Put the neighbours of @c that are farther than @d at @d, and queue them. */
static size_t reach(const struct edges *e, int c, int d, int *dist, int *todo,
		    size_t nr)
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

int history_split(const struct history *h, int x, int *class_of, int nr_classes,
		  int *out_from)
{
	int *inside = xcalloc((size_t)nr_classes, sizeof(*inside));
	int *outside = xcalloc((size_t)nr_classes, sizeof(*outside));
	int next = nr_classes;
	int c;

	for (c = 1; c < h->nr; c++)
		(history_has(h, x, c) ? inside : outside)[class_of[c]]++;
	for (c = 0; c < nr_classes; c++) {
		if (!inside[c] || !outside[c])
			inside[c] = -1;
		else {
			out_from[next - nr_classes] = c;
			inside[c] = next++;
		}
	}
	for (c = 1; c < h->nr; c++)
		if (inside[class_of[c]] >= 0 && history_has(h, x, c))
			class_of[c] = inside[class_of[c]];
	free(inside);
	free(outside);
	return next;
}
