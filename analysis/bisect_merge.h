/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Commits that are the same kernel: merged before a bisection, by what they
 * touch, and while it goes on, by what they were built into.
 *
 * Merged is a commit into an ancestor whose bits it has. Nobody descends from
 * what went, so no graph says anything else than before; commits that reached
 * the bad one through a merge without effect are no candidates any more.
 */
#ifndef ANALYSIS_BISECT_MERGE_H
#define ANALYSIS_BISECT_MERGE_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/bisect.h"
#include "base/err.h"

/*
 * What is left of a start's commits. @v points into @parents; ids are borrowed
 * from the start. @bad: what the bad commit was merged into. Owned.
 */
struct bisect_merged {
	struct bisect_commit *v;
	size_t nr;
	const char **parents;
	const char *bad;
};

/*
 * Merge every commit that cannot matter into its first parent; one without
 * parents stays. A merge that would cut the good commit off stays, too.
 * The good commit is never merged; @out->bad may be the good commit: then
 * nothing can matter. Time O(N log N).
 */
void bisect_merge_idle(const struct bisect_start *start,
		       struct bisect_merged *out);
void bisect_merged_release(struct bisect_merged *m);

/*
 * Whether @y can be merged into @x, which has its bits: @x is an ancestor of
 * @y, and what lies between them is one line of commits that nobody branched
 * off from and nobody measured. The two ends of the range can't.
 */
bool bisect_can_merge(const struct bisect *b, int x, int y);

/*
 * Merge @y, and what lies between, into @x: their boots are its boots from now
 * on. Positions change. 1 when that was done, 0 when it can't be; ERR_LIMIT and
 * the like from replaying what was measured, @b unchanged.
 */
int bisect_merge(struct bisect *b, int x, int y, struct err *err);

/* Whether a boot of @commit was measured. */
bool bisect_is_measured(const struct bisect *b, int commit);

#endif
