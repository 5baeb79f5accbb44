// SPDX-License-Identifier: GPL-3.0-or-later
// The commits between two others: from the commit-graph file where it has both,
// else from git rev-list. Same commits, same order either way.
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "runners/git.h"
#include "runners/repo.h"
#include "runners/repo_graph.h"

#define GIT_TIMEOUT_MS	 120000
#define RANGE_MAX_BYTES	 ((size_t)256 << 20)
#define ERRORS_MAX_BYTES 8192
#define HEX_BYTES	 (REPO_SHA_BYTES - 1)
/* Parents of an octopus merge; the file can't be believed beyond. */
#define PARENTS_MAX 1024
/* Hashes that are fetched into the cache before their turn. */
#define AHEAD 8

static int over_limit(struct err *err)
{
	return err_set(err, ERR_LIMIT, "the range has over %d commits",
		       REPO_RANGE_MAX);
}

void repo_range_release(struct repo_range *range)
{
	free(range->v);
	free(range->parents);
	free(range->text);
	memset(range, 0, sizeof(*range));
}

/* --- out of the commit-graph --- */

enum { OF_HEAD = 1, OF_BASE = 2 };

/* A commit that was met. Numbers of commits are 1 + place in walk.v, 0: none.
 */
struct met {
	uint32_t pos;  /* in the graph */
	uint32_t next; /* of those that wait on the same level */
	uint32_t level;
	uint32_t first; /* place of its parents in walk.edges */
	uint16_t nr_parents;
	unsigned char side; /* OF_ flags */
};

/*
 * The graph's own order is that of the hashes, so each look at a commit misses
 * every cache; those that were met are kept in the order of the walk.
 *
 * Commits wait by level, the highest first: all their children are known when
 * it is their turn.
 */
struct walk {
	const struct repo_graph *g;
	uint32_t *number;  /* by place in the graph */
	uint32_t *waiting; /* by level: first of a list */
	uint32_t top;	   /* highest level */
	struct met *v;
	size_t nr, alloc;
	uint32_t *edges; /* numbers of parents */
	size_t nr_edges, edges_alloc;
	long nr_open;	 /* waiting ones that only head has */
	uint32_t *found; /* numbers of the range */
	size_t nr_found, found_alloc;
};

/* A commit in reach of head or base: its number, or an error. */
static long meet(struct walk *w, uint32_t pos, unsigned char side,
		 uint32_t below)
{
	uint32_t level;
	struct met *m;

	if (w->v && w->number[pos]) {
		m = &w->v[w->number[pos] - 1];
		if (m->level >= below)
			return ERR_DATA;
		/* it was waiting as head's alone, and isn't any more */
		w->nr_open -= m->side == OF_HEAD && side == OF_BASE;
		m->side |= side;
		return w->number[pos];
	}
	level = repo_graph_level(w->g, pos);
	if (!level || level >= below)
		return ERR_DATA;
	VEC_GROW(w->v, w->nr + 1, w->alloc);
	w->v[w->nr++] = (struct met){ .pos = pos,
				      .next = w->waiting[level],
				      .level = level,
				      .side = side };
	w->number[pos] = w->waiting[level] = (uint32_t)w->nr;
	w->nr_open += side == OF_HEAD;
	return (long)w->nr;
}

/* A commit that head has and base hasn't. */
static int take(struct walk *w, uint32_t number)
{
	if (w->nr_found >= REPO_RANGE_MAX)
		return ERR_LIMIT;
	VEC_GROW(w->found, w->nr_found + 1, w->found_alloc);
	w->found[w->nr_found++] = number;
	w->nr_open--;
	return 0;
}

/* Take a commit out, its parents in. */
static int visit(struct walk *w, uint32_t number, uint32_t level)
{
	struct met *m = &w->v[number - 1];
	unsigned char side = m->side & OF_BASE ? OF_BASE : OF_HEAD;
	uint32_t parents[PARENTS_MAX];
	int nr = repo_graph_parents(w->g, m->pos, parents, PARENTS_MAX);
	int rc = nr < 0 || nr > PARENTS_MAX ? ERR_DATA : 0;
	int i;

	if (rc)
		return rc;
	m->first = (uint32_t)w->nr_edges;
	m->nr_parents = (uint16_t)nr;
	if (side == OF_HEAD)
		rc = take(w, number);
	VEC_GROW(w->edges, w->nr_edges + (size_t)nr, w->edges_alloc);
	for (i = 0; i < nr && !rc; i++) {
		long parent = meet(w, parents[i], side, level);

		if (parent < 0)
			rc = (int)parent;
		else
			w->edges[w->nr_edges++] = (uint32_t)parent;
	}
	return rc;
}

static int walk_levels(struct walk *w)
{
	uint32_t level;
	int rc = 0;

	for (level = w->top; level && w->nr_open && !rc; level--) {
		uint32_t at = w->waiting[level];

		for (; at && !rc; at = w->v[at - 1].next)
			rc = visit(w, at, level);
	}
	return rc;
}

static int walk_range(struct walk *w, uint32_t base, uint32_t head)
{
	uint32_t top = repo_graph_level(w->g, head);
	long rc;

	if (top < repo_graph_level(w->g, base))
		top = repo_graph_level(w->g, base);
	/* levels count commits on a path */
	if (!top || top > w->g->nr)
		return ERR_DATA;
	w->top = top;
	w->number = xcalloc(w->g->nr, sizeof(*w->number));
	w->waiting = xcalloc((size_t)top + 1, sizeof(*w->waiting));
	rc = meet(w, base, OF_BASE, top + 1);
	if (rc > 0)
		rc = meet(w, head, OF_HEAD, top + 1);
	return rc < 0 ? (int)rc : walk_levels(w);
}

static bool is_inside(const struct walk *w, uint32_t number)
{
	return w->v[number - 1].side == OF_HEAD;
}

/*
 * Sort the range as git rev-list --topo-order does: a commit follows when all
 * its children are out, the last parent first, so that branches stay together.
 */
static void order_range(struct walk *w)
{
	uint32_t *wait = xcalloc(w->nr + 1, sizeof(*wait));
	uint32_t *stack = xcalloc(w->nr_found + 1, sizeof(*stack));
	size_t nr = 0;
	size_t n = 0;
	size_t i;
	size_t k;

	for (i = 0; i < w->nr_found; i++) {
		const struct met *m = &w->v[w->found[i] - 1];

		for (k = 0; k < m->nr_parents; k++)
			wait[w->edges[m->first + k]]++;
	}
	if (w->nr_found)
		stack[nr++] = w->found[0]; /* head */
	while (nr) {
		uint32_t number = stack[--nr];
		const struct met *m = &w->v[number - 1];

		w->found[n++] = number;
		for (k = 0; k < m->nr_parents; k++) {
			uint32_t up = w->edges[m->first + k];

			if (is_inside(w, up) && !--wait[up])
				stack[nr++] = up;
		}
	}
	free(wait);
	free(stack);
}

static const char *put_hex(const struct walk *w, uint32_t number, char **at)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *raw = repo_graph_oid(w->g, w->v[number - 1].pos);
	const char *start = *at;
	char *p = *at;
	int i;

	for (i = 0; i < REPO_GRAPH_RAW_BYTES; i++) {
		*p++ = digits[raw[i] >> 4];
		*p++ = digits[raw[i] & 15];
	}
	*p++ = '\0';
	*at = p;
	return start;
}

/* Hashes of the range in its order, and of the parents outside as they come. */
static void write_hashes(const struct walk *w, struct repo_range *out,
			 char **at)
{
	size_t i;

	for (i = 0; i < w->nr_found; i++) {
		if (i + AHEAD < w->nr_found)
			__builtin_prefetch(repo_graph_oid(
				w->g, w->v[w->found[i + AHEAD] - 1].pos));
		out->v[i].sha = put_hex(w, w->found[i], at);
	}
}

static void write_range(const struct walk *w, struct repo_range *out)
{
	/* by number: its hash */
	const char **sha = xcalloc(w->nr + 1, sizeof(*sha));
	size_t n = 0;
	size_t i;
	size_t k;
	char *at;

	out->nr = w->nr_found;
	out->v = xcalloc(w->nr_found + 1, sizeof(*out->v));
	out->parents = xcalloc(w->nr_edges + 1, sizeof(*out->parents));
	at = out->text = xcalloc(w->nr + 1, REPO_SHA_BYTES);
	write_hashes(w, out, &at);
	for (i = 0; i < w->nr_found; i++)
		sha[w->found[i]] = out->v[i].sha;
	for (i = 0; i < w->nr_found; i++) {
		const struct met *m = &w->v[w->found[i] - 1];

		out->v[i].parents = out->parents + n;
		out->v[i].nr_parents = m->nr_parents;
		for (k = 0; k < m->nr_parents; k++) {
			uint32_t up = w->edges[m->first + k];

			if (!sha[up])
				sha[up] = put_hex(w, up, &at);
			out->parents[n++] = sha[up];
		}
	}
	free(sha);
}

/* 1: @out is there; 0: git has to be asked; ERR_LIMIT. */
static int read_graph(const struct repo *r, const char *base, const char *head,
		      struct repo_range *out)
{
	struct repo_graph g;
	struct walk w = { .g = &g };
	long from;
	long to;
	int rc;

	if (repo_graph_open(repo_common_dir(r), &g, NULL) <= 0)
		return 0;
	from = repo_graph_find(&g, base);
	to = repo_graph_find(&g, head);
	rc = from < 0 || to < 0 ? ERR_NOTFOUND
				: walk_range(&w, (uint32_t)from, (uint32_t)to);
	if (!rc) {
		order_range(&w);
		write_range(&w, out);
	}
	free(w.number);
	free(w.waiting);
	free(w.v);
	free(w.edges);
	free(w.found);
	repo_graph_release(&g);
	if (rc == ERR_LIMIT)
		return rc;
	return rc ? 0 : 1;
}

/* --- out of git rev-list --- */

/* Cut @text into hashes; each is followed by one blank or newline. */
static int cut_hashes(char *text, size_t nr, size_t *out_lines)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		char *sha = text + i * REPO_SHA_BYTES;
		char end = sha[HEX_BYTES];

		if (end != ' ' && end != '\n')
			return ERR_IO;
		*out_lines += end == '\n';
		sha[HEX_BYTES] = end == ' ' ? '\0' : '\n';
	}
	return 0;
}

/* Lines of rev-list --parents; the nodes point into @text. */
static int parse_range(struct str *text, struct repo_range *out,
		       struct err *err)
{
	size_t nr = text->len / REPO_SHA_BYTES;
	size_t lines = 0;
	size_t i;
	struct repo_node *node = NULL;

	if (text->len % REPO_SHA_BYTES || cut_hashes(text->p, nr, &lines))
		return err_set(err, ERR_IO, "rev-list gave \"%.60s\"", text->p);
	if (lines > REPO_RANGE_MAX)
		return over_limit(err);
	out->v = xcalloc(lines + 1, sizeof(*out->v));
	out->parents = xcalloc(nr + 1, sizeof(*out->parents));
	for (i = 0; i < nr; i++) {
		char *sha = text->p + i * REPO_SHA_BYTES;
		bool last = sha[HEX_BYTES] == '\n';

		sha[HEX_BYTES] = '\0';
		if (!repo_is_sha(sha))
			return err_set(err, ERR_IO, "rev-list gave \"%s\"",
				       sha);
		out->parents[i] = sha;
		if (!node) {
			node = &out->v[out->nr++];
			*node = (struct repo_node){ sha, out->parents + i + 1,
						    0 };
		} else {
			node->nr_parents++;
		}
		if (last)
			node = NULL;
	}
	out->text = text->len ? str_detach(text) : NULL;
	return 0;
}

static int ask_git(const struct repo *r, const char *spec, struct str *text,
		   struct err *err)
{
	static const char max_count[] = "--max-count=2000001";
	struct str errout = STR_INIT;
	struct git g = {
		.repo = repo_path(r),
		.args = (const char *const[]){ "rev-list", "--topo-order",
					       "--parents", max_count,
					       "--end-of-options", spec, NULL },
		.timeout_ms = GIT_TIMEOUT_MS,
	};
	int rc;

	text->max_bytes = RANGE_MAX_BYTES;
	errout.max_bytes = ERRORS_MAX_BYTES;
	rc = git_run(&g, text, &errout, err);
	if (rc > 0)
		rc = err_set(err, ERR_NOTFOUND, "commits of %s in %s: %s", spec,
			     repo_path(r), git_complaint(&errout));
	if (!rc && text->cut)
		rc = over_limit(err);
	str_release(&errout);
	return rc;
}

static int read_git(const struct repo *r, const char *base, const char *head,
		    struct repo_range *out, struct err *err)
{
	struct repo_range range = { .nr = 0 };
	struct str text = STR_INIT;
	char *spec = xasprintf("%s..%s", base, head);
	int rc = ask_git(r, spec, &text, err);

	if (!rc)
		rc = parse_range(&text, &range, err);
	if (rc)
		repo_range_release(&range);
	else
		*out = range;
	free(spec);
	str_release(&text);
	return rc;
}

int repo_range_read(const struct repo *r, const char *base, const char *head,
		    struct repo_range *out, struct err *err)
{
	struct repo_range range = { .nr = 0 };
	int rc;

	if (!repo_is_sha(base) || !repo_is_sha(head))
		return err_set(err, ERR_USAGE, "a range takes full hashes");
	rc = read_graph(r, base, head, &range);
	if (rc == ERR_LIMIT)
		return over_limit(err);
	if (!rc)
		return read_git(r, base, head, out, err);
	*out = range;
	return 0;
}
