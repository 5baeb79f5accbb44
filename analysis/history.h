/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The commits between a good and a bad one as pure data: who is an ancestor of
 * whom, in topological order, with the parents in front of their children.
 *
 * A commit is named by its position: 0 is the good commit, 1..nr-1 are the
 * candidates (ancestors of the bad commit, or itself, that are no ancestors of
 * the good one), and the bad commit is nr-1. Everything else is left out.
 */
#ifndef ANALYSIS_HISTORY_H
#define ANALYSIS_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define HISTORY_MAX_COMMITS 2097152
#define HISTORY_MAX_PARENTS 66

struct history;

/* One commit as the caller knows it. Strings are copied. */
struct history_commit {
	const char *id;
	/* ids; those that aren't in the list are outside the range */
	const char *const *parents;
	size_t nr_parents;
};

/*
 * Build the range @good..@bad out of @nr commits in any order.
 * ERR_DATA (a commit twice, a cycle, too many parents), ERR_NOTFOUND (@good or
 * @bad isn't in the list, or @good is no ancestor of @bad), ERR_LIMIT. NULL
 * then. The result is owned by the caller.
 */
struct history *history_new(const struct history_commit *commits, size_t nr,
			    const char *good, const char *bad, struct err *err);
void history_free(struct history *h);

/* Positions: the good commit and the candidates; 2 or more. */
int history_nr(const struct history *h);
/* Every commit has one parent and one child. */
bool history_is_chain(const struct history *h);
/* Id at a position; borrowed. */
const char *history_id(const struct history *h, int pos);
/* Where in the caller's list the commit at @pos stood. */
size_t history_index(const struct history *h, int pos);
/* Position of an id, or -1 when it isn't in the range. */
int history_find(const struct history *h, const char *id);
/* Parents in the range (position 0 included); *@out borrowed. */
int history_parents(const struct history *h, int pos, const int **out);

/*
 * Whether @x shows what @culprit did: it is @culprit or descends from it. The
 * first question about an @x takes O(N) and keeps N/8 bytes, the next ones
 * nothing; so ask about few @x. (The cache behind it makes a range unfit for
 * two threads at once.)
 */
bool history_has(const struct history *h, int x, int culprit);
/* How many candidates @x has in it, itself counted; costs as history_has. */
int history_count(const struct history *h, int x);

/*
 * @out[x] = sum of @weight over the candidates that x has in it; both hold
 * history_nr() numbers, none below 0, @weight[0] is ignored. True: all of it is
 * exact. False, where that would take too long (many forks that stay open, many
 * weights that aren't 0): exact along the first parents of the bad commit and
 * for those that history_has was asked about, elsewhere at most the true sum.
 * Time O(N) for a chain, else O(S · weights / 64) at worst, S being the
 * stretches between forks and merges, and nearer O(N) where branches are short.
 */
bool history_mass(const struct history *h, const double *weight, double *out);

/*
 * Lower @dist[x] to the number of parent or child edges between x and @from,
 * for all x nearer than @max edges. @dist holds history_nr() numbers.
 */
void history_lower_distance(const struct history *h, int from, int max,
			    int *dist);

/*
 * Split classes of candidates by whether @x has them in it. @class_of holds
 * history_nr() numbers; entry 0 is ignored, the others are in 0..@nr_classes-1.
 * Members that @x has go to a new class (numbered from @nr_classes) where their
 * class has others too. @out_from[k] = the class that the new class
 * @nr_classes+k was split from; room for @nr_classes. Returns the new number of
 * classes.
 */
int history_split(const struct history *h, int x, int *class_of, int nr_classes,
		  int *out_from);

#endif
