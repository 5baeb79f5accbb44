// SPDX-License-Identifier: GPL-3.0-or-later
/* A hash table of running reductions; memory doesn't grow with the ticks. */
#include "jobs/series.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct series {
	char *name;
	enum series_rule rule;
	size_t nr;
	double first;
	double last;
	double sum;
	double max;
};

/*
 * @v in order of the first values; @slots (a power of two, at least twice as
 * many) holds positions in @v plus one, 0 for empty, probed linearly.
 */
struct series_set {
	struct series *v;
	size_t nr;
	size_t alloc;
	unsigned *slots;
	size_t nr_slots;
};

struct series_set *series_set_new(void)
{
	struct series_set *set = xcalloc(1, sizeof(*set));

	set->nr_slots = 256;
	set->slots = xcalloc(set->nr_slots, sizeof(unsigned));
	return set;
}

void series_set_free(struct series_set *set)
{
	if (!set)
		return;
	for (size_t i = 0; i < set->nr; i++)
		free(set->v[i].name);
	free(set->v);
	free(set->slots);
	free(set);
}

/* FNV-1a, 64 bits. */
static uint64_t hash(const char *s)
{
	uint64_t h = 0xcbf29ce484222325ULL;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 0x100000001b3ULL;
	return h ^ (h >> 32);
}

/* Where @name is, or where it belongs. */
static unsigned *slot_of(const struct series_set *set, const char *name)
{
	size_t i = hash(name) & (set->nr_slots - 1);

	while (set->slots[i] &&
	       strcmp(set->v[set->slots[i] - 1].name, name) != 0)
		i = (i + 1) & (set->nr_slots - 1);
	return &set->slots[i];
}

static void double_slots(struct series_set *set)
{
	free(set->slots);
	set->nr_slots *= 2;
	set->slots = xcalloc(set->nr_slots, sizeof(unsigned));
	for (size_t i = 0; i < set->nr; i++)
		*slot_of(set, set->v[i].name) = (unsigned)i + 1;
}

static struct series *find_or_add(struct series_set *set, const char *name,
				  enum series_rule rule)
{
	unsigned *slot = slot_of(set, name);
	struct series *s;

	if (*slot)
		return &set->v[*slot - 1];
	if (set->nr >= METRIC_MAX)
		return NULL;
	VEC_GROW(set->v, set->nr + 1, set->alloc);
	s = &set->v[set->nr++];
	memset(s, 0, sizeof(*s));
	s->name = xstrdup(name);
	s->rule = rule;
	*slot = (unsigned)set->nr;
	if (set->nr * 2 > set->nr_slots)
		double_slots(set);
	return s;
}

void series_add(struct series_set *set, enum series_rule rule, double value,
		const char *fmt, ...)
{
	char name[METRIC_NAME_MAX_BYTES + 1];
	struct series *s;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(name, sizeof(name), fmt, ap);
	va_end(ap);
	if (n <= 0 || n > METRIC_NAME_MAX_BYTES || !isfinite(value))
		return;
	s = find_or_add(set, name, rule);
	if (!s)
		return;
	if (!s->nr) {
		s->first = value;
		s->max = value;
	}
	s->nr++;
	s->last = value;
	s->sum += value;
	if (value > s->max)
		s->max = value;
}

static double reduced(const struct series *s)
{
	switch (s->rule) {
	case SERIES_DELTA:
		return s->last - s->first;
	case SERIES_MAX:
		return s->max;
	case SERIES_SUM:
		return s->sum;
	case SERIES_LAST:
		return s->last;
	default:
		return s->sum / (double)s->nr;
	}
}

void series_flush(const struct series_set *set, struct metric_set *out)
{
	for (size_t i = 0; i < set->nr; i++) {
		const struct series *s = &set->v[i];

		if (s->rule == SERIES_DELTA &&
		    (s->nr < 2 || s->last < s->first))
			continue;
		metric_add(out, reduced(s), "%s", s->name);
	}
}
