// SPDX-License-Identifier: GPL-3.0-or-later
// Commits that are the same kernel, merged: a shorter list of commits before
// the start; a shorter record, replayed, while a bisection goes on.
#include "analysis/bisect_merge.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/bisect_private.h"
#include "base/mem.h"

#define NOWHERE ((size_t)-1)

/* --- before the start --- */

/* @by_id: indices of the start's commits, sorted by their ids. */
struct merging {
	const struct bisect_start *start;
	size_t *by_id;
	const char **into; /* id that stands for each commit; NULL: not known */
	size_t *path;
	bool keep_merges;
};

static int compare_ids(const void *a, const void *b, void *ctx)
{
	const struct bisect_commit *v = ctx;

	return strcmp(v[*(const size_t *)a].commit.id,
		      v[*(const size_t *)b].commit.id);
}

static size_t find_id(const struct merging *m, const char *id)
{
	size_t lo = 0;
	size_t hi = m->start->nr_commits;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const char *at = m->start->commits[m->by_id[mid]].commit.id;
		int cmp = strcmp(id, at);

		if (!cmp)
			return m->by_id[mid];
		if (cmp < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	return NOWHERE;
}

static bool is_merged(const struct merging *m, size_t i)
{
	const struct bisect_commit *c = &m->start->commits[i];

	return c->cannot_matter && c->commit.nr_parents &&
	       strcmp(c->commit.id, m->start->good) != 0 &&
	       (c->commit.nr_parents == 1 || !m->keep_merges);
}

/* Follow first parents to the commit that stands for @i, for all on the way. */
static void resolve(struct merging *m, size_t i)
{
	const char *id = m->start->commits[i].commit.id;
	size_t nr = 0;

	while (i != NOWHERE && !m->into[i] && is_merged(m, i) &&
	       nr < m->start->nr_commits) {
		m->path[nr++] = i;
		id = m->start->commits[i].commit.parents[0];
		i = find_id(m, id);
	}
	/* a parent outside the range stands for itself */
	if (i != NOWHERE && m->into[i])
		id = m->into[i];
	else if (i != NOWHERE)
		m->into[i] = id;
	while (nr)
		m->into[m->path[--nr]] = id;
}

static const char *stands_for(const struct merging *m, const char *id)
{
	size_t i = find_id(m, id);

	return i == NOWHERE ? id : m->into[i];
}

/* Write @c's parents to @out, each once; returns how many. */
static size_t map_parents(const struct merging *m,
			  const struct history_commit *c, const char **out)
{
	size_t nr = 0;
	size_t i, k;

	for (i = 0; i < c->nr_parents; i++) {
		const char *id = stands_for(m, c->parents[i]);

		for (k = 0; k < nr && strcmp(out[k], id) != 0; k++)
			;
		if (k == nr)
			out[nr++] = id;
	}
	return nr;
}

static void collect(const struct merging *m, struct bisect_merged *out)
{
	const struct bisect_start *s = m->start;
	size_t at = 0;
	size_t i;

	for (i = 0; i < s->nr_commits; i++)
		at += s->commits[i].commit.nr_parents;
	out->v = xcalloc(s->nr_commits + 1, sizeof(*out->v));
	out->parents = xcalloc(at + 1, sizeof(*out->parents));
	for (i = at = 0; i < s->nr_commits; i++) {
		struct bisect_commit *c = &out->v[out->nr];

		if (is_merged(m, i))
			continue;
		*c = s->commits[i];
		c->commit.parents = out->parents + at;
		c->commit.nr_parents = map_parents(m, &s->commits[i].commit,
						   out->parents + at);
		at += c->commit.nr_parents;
		out->nr++;
	}
	out->bad = stands_for(m, s->bad);
}

static void merge_idle(const struct bisect_start *start, bool keep_merges,
		       struct bisect_merged *out)
{
	size_t nr = start->nr_commits;
	struct merging m = {
		.start = start,
		.by_id = xcalloc(nr + 1, sizeof(*m.by_id)),
		.into = xcalloc(nr + 1, sizeof(*m.into)),
		.path = xcalloc(nr + 1, sizeof(*m.path)),
		.keep_merges = keep_merges,
	};
	size_t i;

	for (i = 0; i < nr; i++)
		m.by_id[i] = i;
	qsort_r(m.by_id, nr, sizeof(*m.by_id), compare_ids,
		(void *)start->commits);
	for (i = 0; i < nr; i++)
		if (!m.into[i])
			resolve(&m, i);
	collect(&m, out);
	free(m.by_id);
	free(m.into);
	free(m.path);
}

/* Whether the good commit still leads to the bad one, or is it. */
static bool is_whole(const struct bisect_start *start,
		     const struct bisect_merged *m)
{
	struct bisect_start s = *start;
	struct history *h;

	if (!strcmp(m->bad, start->good))
		return true;
	s.commits = m->v;
	s.nr_commits = m->nr;
	s.bad = m->bad;
	h = bisect_start_history(&s, NULL);
	history_free(h);
	return h != NULL;
}

void bisect_merge_idle(const struct bisect_start *start,
		       struct bisect_merged *out)
{
	*out = (struct bisect_merged){ 0 };
	merge_idle(start, false, out);
	if (is_whole(start, out))
		return;
	bisect_merged_release(out);
	merge_idle(start, true, out);
}

void bisect_merged_release(struct bisect_merged *m)
{
	free(m->v);
	free(m->parents);
	*m = (struct bisect_merged){ 0 };
}

/* --- while it goes on --- */

bool bisect_is_measured(const struct bisect *b, int commit)
{
	return b->commits[commit].nr_obs > 0;
}

/* How many commits of the range have each as a parent; owned by the caller. */
static int *count_children(const struct bisect *b)
{
	int *nr = xcalloc((size_t)b->nr, sizeof(*nr));
	const int *parents;
	int c, i;

	for (c = 1; c < b->nr; c++)
		for (i = history_parents(b->history, c, &parents); i-- > 0;)
			nr[parents[i]]++;
	return nr;
}

/*
 * Down from @from, a parent of the commit to merge, to @x through commits of
 * one parent and one child; those are marked in @out_gone when it is there.
 */
static bool walk_down(const struct bisect *b, const int *children, int from,
		      int x, bool *out_gone)
{
	const int *parents;
	int c = from;

	while (c > x) {
		if (history_parents(b->history, c, &parents) != 1 ||
		    children[c] != 1 || b->commits[c].nr_obs)
			return false;
		c = parents[0];
	}
	if (c != x)
		return false;
	for (c = from; out_gone && c > x; c = parents[0]) {
		history_parents(b->history, c, &parents);
		out_gone[c] = true;
	}
	return true;
}

static bool find_line(const struct bisect *b, int x, int y, bool *out_gone)
{
	int *children;
	const int *parents;
	bool found = false;
	int i;

	if (x < 0 || y <= x || y >= b->nr || (!x && y == b->nr - 1))
		return false;
	children = count_children(b);
	for (i = history_parents(b->history, y, &parents); !found && i-- > 0;)
		found = walk_down(b, children, parents[i], x, out_gone);
	if (found && out_gone)
		out_gone[y] = true;
	free(children);
	return found;
}

bool bisect_can_merge(const struct bisect *b, int x, int y)
{
	return find_line(b, x, y, NULL);
}

/* The parents without doubles, @old called @new. */
static json_t *rename_parents(const json_t *list, const char *old,
			      const char *new)
{
	json_t *out = json_array();
	const json_t *item;
	size_t i, k;

	json_array_foreach(list, i, item)
	{
		const char *id = json_string_value(item);

		if (!strcmp(id, old))
			id = new;
		for (k = 0; k < json_array_size(out); k++)
			if (!strcmp(json_string_value(json_array_get(out, k)),
				    id))
				break;
		if (k == json_array_size(out))
			json_array_append_new(out, json_string(id));
	}
	return out;
}

static json_t *merged_start(const struct bisect *b, int x, int y,
			    const bool *gone)
{
	json_t *start = bisect_whole_start(b);
	const json_t *old = json_object_get(start, "commits");
	const char *into = history_id(b->history, x);
	const char *from = history_id(b->history, y);
	json_t *list = json_array();
	const json_t *c;
	size_t i;

	json_array_foreach(old, i, c)
	{
		int pos = history_find(b->history, json_opt_str(c, "id", ""));
		json_t *copy;

		if (pos >= 0 && gone[pos])
			continue;
		copy = json_copy((json_t *)c);
		json_object_set_new(
			copy, "parents",
			rename_parents(json_object_get(c, "parents"), from,
				       into));
		json_array_append_new(list, copy);
	}
	json_object_set_new(start, "commits", list);
	if (y == b->nr - 1)
		json_object_set_new(start, "bad", json_string(into));
	return start;
}

/* The rounds as if @x had been measured; those of lost branches left out. */
static json_t *merged_rounds(const struct bisect *b, const json_t *record,
			     int x, int y, const struct history *left)
{
	const char *into = history_id(b->history, x);
	const char *from = history_id(b->history, y);
	json_t *out = json_array();
	const json_t *round, *boot;
	size_t i, k;

	json_array_foreach(json_object_get(record, "rounds"), i, round)
	{
		json_t *list = json_array();

		json_array_foreach(round, k, boot)
		{
			json_t *copy = json_copy((json_t *)boot);

			if (!strcmp(json_opt_str(copy, "commit", ""), from))
				json_object_set_new(copy, "commit",
						    json_string(into));
			if (history_find(left,
					 json_opt_str(copy, "commit", "")) >= 0)
				json_array_append(list, copy);
			json_decref(copy);
		}
		json_array_append_new(out, list);
	}
	return out;
}

/* Replay the record without the commits marked in @gone. NULL: no range. */
static struct bisect *replay_without(const struct bisect *b, int x, int y,
				     const bool *gone, struct err *err)
{
	json_t *record = bisect_to_json(b);
	json_t *start = merged_start(b, x, y, gone);
	struct bisect *empty = bisect_from_start_json(start, err);
	struct bisect *out = NULL;
	json_t *left;

	if (empty) {
		left = json_pack(
			"{s:O, s:o}", "start", start, "rounds",
			merged_rounds(b, record, x, y, empty->history));
		out = bisect_from_json(left, err);
		json_decref(left);
	}
	bisect_free(empty);
	json_decref(record);
	json_decref(start);
	return out;
}

int bisect_merge(struct bisect *b, int x, int y, struct err *err)
{
	bool *gone = xcalloc((size_t)b->nr, sizeof(*gone));
	struct bisect *merged = NULL;
	struct err e = { 0 };
	bool found = find_line(b, x, y, gone);
	struct bisect old;

	if (found)
		merged = replay_without(b, x, y, gone, &e);
	free(gone);
	/* the line was the only way to the good commit */
	if (!found || (!merged && e.code == ERR_NOTFOUND))
		return 0;
	if (!merged)
		return err_set(err, e.code, "%s", e.text);
	old = *b;
	*b = *merged;
	*merged = old;
	bisect_free(merged);
	return 1;
}
