// SPDX-License-Identifier: GPL-3.0-or-later
// Functions that moved in a profile, and the text that defines them.
#include "analysis/profile.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

#define MOVED_POINTS 0.3

/* The function of a profile's row, without what the compiler adds to names;
 * false for other metrics. */
static bool function_of(const char *metric, char out[PROFILE_FUNCTION_BYTES])
{
	static const char *const rows[] = { "perf-profile.children.cycles-pp.",
					    "perf-profile.self.cycles-pp." };
	const char *name = NULL;
	size_t len;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (str_starts(metric, rows[i]))
			name = metric + strlen(rows[i]);
	if (!name || isdigit((unsigned char)*name))
		return false;
	for (len = 0; isalnum((unsigned char)name[len]) || name[len] == '_';)
		len++;
	if (!len || len >= PROFILE_FUNCTION_BYTES ||
	    (name[len] && name[len] != '.'))
		return false;
	memcpy(out, name, len);
	out[len] = '\0';
	return true;
}

/* How far a row moved beyond what its runs differ by; 0: it didn't. */
static double points_of(const struct compare_metric *m)
{
	const struct compare_side *b = &m->side[0];
	const struct compare_side *h = &m->side[1];
	double points = fabs(h->avg - b->avg);

	/* a function that wasn't seen has no share */
	if (b->n && h->n && b->max >= h->min && h->max >= b->min)
		return 0;
	return points >= MOVED_POINTS ? points : 0;
}

static void note_moved(struct profile *p, const char *name, double points)
{
	size_t least = 0;
	size_t i;

	for (i = 0; i < p->nr; i++) {
		if (!strcmp(p->v[i].name, name)) {
			p->v[i].points = fmax(p->v[i].points, points);
			return;
		}
		if (p->v[i].points < p->v[least].points)
			least = i;
	}
	if (p->nr < PROFILE_MAX_FUNCTIONS)
		least = p->nr++;
	else if (p->v[least].points >= points)
		return;
	snprintf(p->v[least].name, PROFILE_FUNCTION_BYTES, "%s", name);
	p->v[least].points = points;
}

void profile_moved(const struct comparison *c, struct profile *out)
{
	char name[PROFILE_FUNCTION_BYTES];
	size_t i;

	out->nr = 0;
	for (i = 0; i < c->nr; i++) {
		double points = points_of(&c->metric[i]);

		if (points > 0 && function_of(c->metric[i].name, name))
			note_moved(out, name, points);
	}
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Whether the line, which begins at the margin, begins the function's body:
 * its name stands before a parenthesis, and no semicolon ends it. */
static bool defines(const char *line, size_t len, const char *name)
{
	size_t n = strlen(name);
	const char *at = line;

	if (!len || !(isalpha((unsigned char)*line) || *line == '_') ||
	    line[len - 1] == ';')
		return false;
	while ((at = memmem(at, len - (size_t)(at - line), name, n))) {
		const char *end = at + n;

		if ((at == line || !is_word(at[-1])) && end < line + len &&
		    *end == '(')
			return true;
		at = end;
	}
	return false;
}

const char *profile_find(const struct profile *p, const char *text)
{
	const struct profile_function *best = NULL;
	size_t len;
	size_t i;

	for (; *text; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		for (i = 0; i < p->nr; i++)
			if (defines(text, len, p->v[i].name) &&
			    (!best || p->v[i].points > best->points))
				best = &p->v[i];
	}
	return best ? best->name : NULL;
}
