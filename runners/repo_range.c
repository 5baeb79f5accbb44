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

/* Commits wait by level, the highest first: all their children are known by
 * then. Numbers in lists are 1 + the commit's, 0 ends them. */
struct walk {
	const struct repo_graph *g;
	unsigned char *side; /* by commit: OF_ flags */
	uint32_t *waiting;   /* by level: first of a list */
	uint32_t *next;	     /* by commit */
	uint32_t top;	     /* highest level */
	long nr_open;	     /* waiting ones that only head has */
	uint32_t *found;     /* the range */
	size_t nr, alloc;
	size_t nr_edges;
};

static int wait_for(struct walk *w, uint32_t pos, unsigned char side,
		    uint32_t below)
{
	uint32_t level = repo_graph_level(w->g, pos);
	unsigned char old = w->side[pos];

	if ((old | side) == old)
		return 0;
	if (!level || level >= below)
		return ERR_DATA;
	w->side[pos] |= side;
	if (old) {
		/* it was waiting as head's alone, and isn't any more */
		w->nr_open -= old == OF_HEAD;
		return 0;
	}
	w->nr_open += side == OF_HEAD;
	w->next[pos] = w->waiting[level];
	w->waiting[level] = pos + 1;
	return 0;
}

/* A commit that head has and base hasn't. */
static int take(struct walk *w, uint32_t pos, int nr_parents)
{
	if (w->nr >= REPO_RANGE_MAX)
		return ERR_LIMIT;
	VEC_GROW(w->found, w->nr + 1, w->alloc);
	w->found[w->nr++] = pos;
	w->nr_edges += (size_t)nr_parents;
	w->nr_open--;
	return 0;
}

/* Take a commit out, its parents in. */
static int visit(struct walk *w, uint32_t pos, uint32_t level)
{
	uint32_t parents[PARENTS_MAX];
	int nr = repo_graph_parents(w->g, pos, parents, PARENTS_MAX);
	unsigned char side = w->side[pos] & OF_BASE ? OF_BASE : OF_HEAD;
	int rc = nr < 0 || nr > PARENTS_MAX ? ERR_DATA : 0;
	int i;

	if (!rc && side == OF_HEAD)
		rc = take(w, pos, nr);
	for (i = 0; i < nr && !rc; i++)
		rc = wait_for(w, parents[i], side, level);
	return rc;
}

static int walk_levels(struct walk *w)
{
	uint32_t level;
	int rc = 0;

	for (level = w->top; level && w->nr_open && !rc; level--) {
		uint32_t at = w->waiting[level];

		for (; at && !rc; at = w->next[at - 1])
			rc = visit(w, at - 1, level);
	}
	return rc;
}

static int walk_range(struct walk *w, uint32_t base, uint32_t head)
{
	uint32_t top = repo_graph_level(w->g, head);
	int rc;

	if (top < repo_graph_level(w->g, base))
		top = repo_graph_level(w->g, base);
	/* levels count commits on a path */
	if (!top || top > w->g->nr)
		return ERR_DATA;
	w->top = top;
	w->side = xcalloc(w->g->nr, sizeof(*w->side));
	w->next = xcalloc(w->g->nr, sizeof(*w->next));
	w->waiting = xcalloc((size_t)top + 1, sizeof(*w->waiting));
	rc = wait_for(w, base, OF_BASE, top + 1);
	if (!rc)
		rc = wait_for(w, head, OF_HEAD, top + 1);
	return rc ? rc : walk_levels(w);
}

/*
 * As git rev-list --topo-order: a commit follows when all its children are out,
 * the last parent first, so that branches stay together. @w->next becomes 1 +
 * the place of each commit, 0 outside.
 */
static void order_range(struct walk *w)
{
	uint32_t *wait = xcalloc(w->nr + 1, sizeof(*wait));
	uint32_t *stack = xcalloc(w->nr + 1, sizeof(*stack));
	uint32_t parents[PARENTS_MAX];
	size_t nr = 0;
	size_t n = 0;
	size_t i;
	int k;
	int up;

	memset(w->next, 0, w->g->nr * sizeof(*w->next));
	for (i = 0; i < w->nr; i++)
		w->next[w->found[i]] = (uint32_t)i + 1;
	for (i = 0; i < w->nr; i++) {
		up = repo_graph_parents(w->g, w->found[i], parents,
					PARENTS_MAX);
		for (k = 0; k < up; k++)
			wait[w->next[parents[k]]]++;
	}
	if (w->nr)
		stack[nr++] = w->found[0]; /* head */
	while (nr) {
		uint32_t pos = stack[--nr];

		w->found[n++] = pos;
		up = repo_graph_parents(w->g, pos, parents, PARENTS_MAX);
		for (k = 0; k < up; k++)
			if (w->next[parents[k]] && !--wait[w->next[parents[k]]])
				stack[nr++] = parents[k];
	}
	for (i = 0; i < w->nr; i++)
		w->next[w->found[i]] = (uint32_t)i + 1;
	free(wait);
	free(stack);
}

static const char *put_hex(const struct walk *w, uint32_t pos, char **at)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *raw = repo_graph_oid(w->g, pos);
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

static void write_range(const struct walk *w, struct repo_range *out)
{
	uint32_t parents[PARENTS_MAX];
	size_t n = 0;
	size_t i;
	char *at;
	int k;

	out->nr = w->nr;
	out->v = xcalloc(w->nr + 1, sizeof(*out->v));
	out->parents = xcalloc(w->nr_edges + 1, sizeof(*out->parents));
	at = out->text = xcalloc(w->nr + w->nr_edges + 1, REPO_SHA_BYTES);
	for (i = 0; i < w->nr; i++)
		out->v[i].sha = put_hex(w, w->found[i], &at);
	for (i = 0; i < w->nr; i++) {
		int nr = repo_graph_parents(w->g, w->found[i], parents,
					    PARENTS_MAX);

		out->v[i].parents = out->parents + n;
		out->v[i].nr_parents = (size_t)nr;
		for (k = 0; k < nr; k++) {
			uint32_t inside = w->next[parents[k]];

			out->parents[n++] =
				inside ? out->v[inside - 1].sha
				       : put_hex(w, parents[k], &at);
		}
	}
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
	free(w.side);
	free(w.next);
	free(w.waiting);
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
