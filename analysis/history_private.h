/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of the commit graph share; nobody else includes this. */
#ifndef ANALYSIS_HISTORY_PRIVATE_H
#define ANALYSIS_HISTORY_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/history.h"

#define HISTORY_WORD_BITS 64

/*
 * Edges are stored as compressed rows: those of position p are
 * edge[first[p]..first[p+1]).
 */
struct history_edges {
	int *first;
	int *edge;
};

/* --- history_names.c: from an id to its number --- */

/* An open hash table of the ids @id[0..]; @id is borrowed. */
struct history_names {
	const char *const *id;
	struct history_slot *slot;
	size_t mask;
};

/* -1, or the place of an id that stands in @id before. */
long history_names_init(struct history_names *n, const char *const *id,
			size_t nr);
void history_names_release(struct history_names *n);
/* Place of @id, or -1. */
long history_names_find(const struct history_names *n, const char *id);
/*
 * The ids get the places @to[old place] (-1: dropped), and stand in @id from
 * now on, with the same text.
 */
void history_names_renumber(struct history_names *n, const int *to,
			    const char *const *id);

/* --- history_segments.c: the graph without its plain stretches --- */

/*
 * A segment is a stretch of commits, each of which has the one before as its
 * only parent and is the only child of it. Segments are numbered in the order
 * of their first commits, so that parents come before children here, too.
 */
struct history_segments {
	int nr;
	int *of;		 /* by position; -1 for the good commit */
	struct history_edges up; /* parents of the first commit */
	int *last_child;	 /* the last segment that it is a parent of */
	int *last_reached;	 /* highest last_child of this and all before */
	int last_root;		 /* last segment without a parent */
};

struct history_segments *history_segments_new(const struct history *h);
void history_segments_free(struct history_segments *g);

/* --- history_rows.c: ancestors of the commits that were asked about --- */

struct history_rows {
	int words; /* of one row */
	size_t nr, max;
	int *pos;	/* by row: whose it is */
	uint64_t **row; /* bit c: the commit has candidate c in it */
	int *of;	/* by position: 1 + row, 0: none */
};

struct history_rows *history_rows_new(int nr);
void history_rows_free(struct history_rows *r);
/* The row of @x, made when it isn't there; borrowed until the next call. */
const uint64_t *history_row(const struct history *h, int x);

struct history {
	int nr;
	char *text;	 /* all ids, each with its NUL */
	const char **id; /* by position, in @text */
	size_t *index;	 /* by position: place in the caller's list */
	struct history_names names;
	struct history_edges up;   /* parents */
	struct history_edges down; /* children */
	bool chain;
	/* not for a chain: */
	struct history_segments *segments;
	struct history_rows *rows; /* a cache, so it changes behind const */
};

/* Turn parent rows into child rows; @down's arrays are new. */
void history_invert(const struct history_edges *up, size_t nr,
		    struct history_edges *down);

#endif
