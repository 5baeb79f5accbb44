// SPDX-License-Identifier: GPL-3.0-or-later
// From a caller's list of commits to a range: names, order, positions, edges.
#include <stdlib.h>
#include <string.h>

#include "analysis/history_private.h"
#include "base/mem.h"

/* Working state while the caller's list is read; indices into that list. */
struct builder {
	const struct history_commit *in;
	size_t nr;
	const char **id;
	struct history_names names;
	struct history_edges up; /* parents in the list */
	long good, bad;		 /* the ends */
	bool *good_side;	 /* the good commit and its ancestors */
	bool *bad_side;		 /* the bad commit and its ancestors */
	int *order;		 /* topological, parents first */
	int *pos;		 /* by list index; -1 outside */
};

static int read_names(struct builder *b, struct err *err)
{
	long twice;
	size_t i;

	for (i = 0; i < b->nr; i++)
		b->id[i] = b->in[i].id;
	twice = history_names_init(&b->names, b->id, b->nr);
	if (twice < 0)
		return 0;
	return err_set(err, ERR_DATA, "history: commit %s is listed twice",
		       b->id[twice]);
}

/* List index of @id, or -1; most parents stand beside their children. */
static long find_near(const struct builder *b, const char *id, size_t i)
{
	if (i + 1 < b->nr && !strcmp(b->id[i + 1], id))
		return (long)i + 1;
	if (i && !strcmp(b->id[i - 1], id))
		return (long)i - 1;
	return history_names_find(&b->names, id);
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
			long p = find_near(b, b->in[i].parents[k], i);

			if (p >= 0)
				b->up.edge[n++] = (int)p;
		}
	}
	b->up.first[b->nr] = n;
	return 0;
}

static int find_ends(struct builder *b, const char *good, const char *bad,
		     struct err *err)
{
	b->good = history_names_find(&b->names, good);
	b->bad = history_names_find(&b->names, bad);
	if (b->good >= 0 && b->bad >= 0)
		return 0;
	return err_set(err, ERR_NOTFOUND,
		       "history: the %s commit %s is not in the list",
		       b->good < 0 ? "good" : "bad", b->good < 0 ? good : bad);
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

void history_invert(const struct history_edges *up, size_t nr,
		    struct history_edges *down)
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
 * Whether all parents stand on one side of their children, before (@sign 1) or
 * behind (-1). The good commit may stand anywhere: it gets its position by
 * itself.
 */
static bool is_ordered(const struct builder *b, long sign)
{
	long i;
	int e;

	for (i = 0; i < (long)b->nr; i++)
		for (e = b->up.first[i]; e < b->up.first[i + 1]; e++)
			if (b->up.edge[e] != b->good &&
			    sign * (i - b->up.edge[e]) <= 0)
				return false;
	return true;
}

/* Kahn's order, first come first served. */
static int sort_parents_first(struct builder *b, struct err *err)
{
	struct history_edges down;
	int *wait = xcalloc(b->nr, sizeof(*wait));
	size_t nr = 0;
	size_t i;
	int e;

	history_invert(&b->up, b->nr, &down);
	for (i = 0; i < b->nr; i++) {
		wait[i] = b->up.first[i + 1] - b->up.first[i];
		if (!wait[i])
			b->order[nr++] = (int)i;
	}
	for (i = 0; i < nr; i++) {
		int c = b->order[i];

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

/* A list that is in order, as git's are in reverse, keeps it. */
static int sort_topologically(struct builder *b, struct err *err)
{
	bool forth = is_ordered(b, 1);
	size_t i;

	if (!forth && !is_ordered(b, -1))
		return sort_parents_first(b, err);
	for (i = 0; i < b->nr; i++)
		b->order[i] = (int)(forth ? i : b->nr - 1 - i);
	return 0;
}

/* Give positions to what lies between the ends. */
static int number_range(struct builder *b, int *out_nr, struct err *err)
{
	size_t i;
	int nr = 1;

	b->good_side = xcalloc(b->nr, sizeof(bool));
	b->bad_side = xcalloc(b->nr, sizeof(bool));
	mark_ancestors(b, b->good, b->good_side);
	mark_ancestors(b, b->bad, b->bad_side);
	if (!b->bad_side[b->good] || b->good == b->bad)
		return err_set(err, ERR_NOTFOUND,
			       "history: the good commit %s is no ancestor of "
			       "the bad commit %s; start from their merge base",
			       b->id[b->good], b->id[b->bad]);
	for (i = 0; i < b->nr; i++)
		b->pos[i] = -1;
	b->pos[b->good] = 0;
	for (i = 0; i < b->nr; i++) {
		int c = b->order[i];

		if (b->bad_side[c] && !b->good_side[c] && c != b->bad)
			b->pos[c] = nr++;
	}
	b->pos[b->bad] = nr++;
	*out_nr = nr;
	return 0;
}

/* The ids go into one text; the names' table is taken over. */
static void fill_names(struct history *h, struct builder *b)
{
	size_t bytes = 0;
	size_t i;
	char *at;
	int p;

	h->id = xcalloc((size_t)h->nr, sizeof(*h->id));
	h->index = xcalloc((size_t)h->nr, sizeof(*h->index));
	for (i = 0; i < b->nr; i++)
		if (b->pos[i] >= 0)
			h->index[b->pos[i]] = i;
	for (p = 0; p < h->nr; p++)
		bytes += strlen(b->id[h->index[p]]) + 1;
	at = h->text = xmalloc(bytes);
	for (p = 0; p < h->nr; p++) {
		size_t len = strlen(b->id[h->index[p]]) + 1;

		memcpy(at, b->id[h->index[p]], len);
		h->id[p] = at;
		at += len;
	}
	h->names = b->names;
	b->names.slot = NULL;
	history_names_renumber(&h->names, b->pos, h->id);
}

static void fill_edges(struct history *h, const struct builder *b)
{
	int n = 0;
	int p;

	h->up.first = xcalloc((size_t)h->nr + 1, sizeof(int));
	h->up.edge = xcalloc((size_t)b->up.first[b->nr] + 1, sizeof(int));
	for (p = 0; p < h->nr; p++) {
		int c = (int)h->index[p];
		int e;

		h->up.first[p] = n;
		for (e = b->up.first[c]; p && e < b->up.first[c + 1]; e++)
			if (b->pos[b->up.edge[e]] >= 0)
				h->up.edge[n++] = b->pos[b->up.edge[e]];
	}
	h->up.first[h->nr] = n;
	history_invert(&h->up, (size_t)h->nr, &h->down);
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

static struct history *make(struct builder *b, int nr)
{
	struct history *h = xcalloc(1, sizeof(*h));

	h->nr = nr;
	fill_names(h, b);
	fill_edges(h, b);
	h->chain = is_chain(h);
	if (!h->chain) {
		h->segments = history_segments_new(h);
		h->rows = history_rows_new(h->nr);
	}
	return h;
}

static void builder_init(struct builder *b)
{
	size_t total = 1;
	size_t i;

	for (i = 0; i < b->nr; i++)
		if (b->in[i].nr_parents <= HISTORY_MAX_PARENTS)
			total += b->in[i].nr_parents;
	b->up.edge = xcalloc(total, sizeof(int));
	b->up.first = xcalloc(b->nr + 1, sizeof(int));
	b->id = xcalloc(b->nr, sizeof(*b->id));
	b->order = xcalloc(b->nr, sizeof(*b->order));
	b->pos = xcalloc(b->nr, sizeof(*b->pos));
}

static void builder_release(struct builder *b)
{
	history_names_release(&b->names);
	free(b->id);
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

	if (nr < 2 || nr > HISTORY_MAX_COMMITS) {
		err_set(err, ERR_LIMIT, "history: %zu commits, 2..%d wanted",
			nr, HISTORY_MAX_COMMITS);
		return NULL;
	}
	builder_init(&b);
	rc = read_names(&b, err);
	if (!rc)
		rc = read_parents(&b, err);
	if (!rc)
		rc = find_ends(&b, good, bad, err);
	if (!rc)
		rc = sort_topologically(&b, err);
	if (!rc)
		rc = number_range(&b, &range, err);
	if (!rc)
		h = make(&b, range);
	builder_release(&b);
	return h;
}
