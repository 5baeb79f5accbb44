/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Does a revert give the effect of a commit back? Pairs of boots of head and of
 * head with the commit reverted, looked at after every round. Pure.
 */
#ifndef ANALYSIS_REVERT_H
#define ANALYSIS_REVERT_H

#include "analysis/verdict.h"

/*
 * @pairs: base is head, head is the revert; borrowed, @nr of them. @planned:
 * pairs of a round; @max_pairs: not more than so many. @effect: of the commit,
 * relative to its parent, more than -1 and not 0. @sd, @dof: as in struct
 * verdict_in.
 */
struct revert_in {
	const struct verdict_pair *pairs;
	size_t nr;
	int planned, max_pairs;
	double effect;
	double sd, dof;
};

enum revert_kind {
	REVERT_MORE, /* measure @more further pairs */
	REVERT_BACK,
	REVERT_NOT_BACK,
	REVERT_OPEN, /* these pairs can't tell */
};

/*
 * @expected: relative change of a revert that gives back everything. @delta:
 * the measured one, NaN without pairs or where head has no level; @lo, @hi: its
 * 95 % interval. @e_back: evidence against "the revert changes nothing";
 * @e_half: against "it gives back half".
 */
struct revert_verdict {
	enum revert_kind kind;
	double expected;
	double delta, lo, hi;
	double e_back, e_half;
	int more;
};

/*
 * Decide. It gives the effect back when there is evidence for a change and half
 * of the effect or more is back; it does not when there is evidence against
 * half of the effect and less is back. Both by verdict_decide()'s e-process,
 * each wrong in 1 % of the cases at most, whenever one stops.
 */
void revert_decide(const struct revert_in *in, struct revert_verdict *out);

/* Stable words: "back", "not-back", "open", "" for more. */
const char *revert_to_str(enum revert_kind kind);

#endif
