/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions whose share of the cycles moved between two commits, by the rows of
 * perf-profile in their comparison; and where in a source text they live.
 */
#ifndef ANALYSIS_PROFILE_H
#define ANALYSIS_PROFILE_H

#include <stddef.h>

#include "analysis/compare.h"

#define PROFILE_MAX_FUNCTIONS  64
#define PROFILE_FUNCTION_BYTES 128

/* @points: how far it moved, in per cent of the samples, above 0. */
struct profile_function {
	char name[PROFILE_FUNCTION_BYTES];
	double points;
};

/* Those that moved most, in no order. */
struct profile {
	struct profile_function v[PROFILE_MAX_FUNCTIONS];
	size_t nr;
};

/*
 * The functions that moved between the first two sides of @c: by 0.3 points at
 * least, and beyond what the runs of one side differ by. Names are without what
 * the compiler adds to them (".isra.0"). None where nothing was profiled.
 */
void profile_moved(const struct comparison *c, struct profile *out);

/*
 * The one of them that moved most among those that the C text @text defines;
 * NULL for none. Borrowed from @p. A definition is a line that begins at the
 * margin, has the name before a parenthesis and no semicolon at its end.
 */
const char *profile_find(const struct profile *p, const char *text);

#endif
