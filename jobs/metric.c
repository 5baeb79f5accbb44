// SPDX-License-Identifier: GPL-3.0-or-later
/* The set of one run's metrics, and the cleaning of names from a box. */
#include "jobs/metric.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void metric_set_init(struct metric_set *set)
{
	memset(set, 0, sizeof(*set));
}

void metric_set_release(struct metric_set *set)
{
	for (size_t i = 0; i < set->nr; i++)
		free(set->v[i].name);
	for (size_t i = 0; i < set->nr_failures; i++)
		free(set->failures[i]);
	free(set->v);
	free(set->failures);
	memset(set, 0, sizeof(*set));
}

static bool safe_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || (c && strchr("._-:/%()[]>+@#,=*", c));
}

/* The formatted name with unsafe characters replaced; false when unusable. */
static bool clean_name(char out[METRIC_NAME_MAX_BYTES + 1], const char *fmt,
		       va_list ap)
{
	int n = vsnprintf(out, METRIC_NAME_MAX_BYTES + 1, fmt, ap);

	if (n <= 0 || n > METRIC_NAME_MAX_BYTES)
		return false;
	for (char *p = out; *p; p++)
		if (!safe_char(*p))
			*p = '_';
	return true;
}

void metric_add(struct metric_set *set, double value, const char *fmt, ...)
{
	char name[METRIC_NAME_MAX_BYTES + 1];
	va_list ap;
	bool ok;

	va_start(ap, fmt);
	ok = clean_name(name, fmt, ap);
	va_end(ap);
	if (!ok || !isfinite(value) || set->nr >= METRIC_MAX) {
		set->dropped++;
		return;
	}
	VEC_GROW(set->v, set->nr + 1, set->alloc);
	set->v[set->nr].name = xstrdup(name);
	set->v[set->nr++].value = value;
}

void metric_fail(struct metric_set *set, const char *fmt, ...)
{
	char name[METRIC_NAME_MAX_BYTES + 1];
	va_list ap;
	bool ok;

	va_start(ap, fmt);
	ok = clean_name(name, fmt, ap);
	va_end(ap);
	for (size_t i = 0; ok && i < set->nr_failures; i++)
		if (!strcmp(set->failures[i], name))
			return;
	if (!ok || set->nr_failures >= METRIC_MAX_FAILURES) {
		set->dropped++;
		return;
	}
	if (set->nr_failures == set->alloc_failures) {
		set->alloc_failures = set->alloc_failures * 2 + 8;
		set->failures = xreallocarray(
			set->failures, set->alloc_failures, sizeof(char *));
	}
	set->failures[set->nr_failures++] = xstrdup(name);
}

/* @order makes qsort stable: the first added of equal names stays in front. */
struct sortable {
	struct metric m;
	size_t order;
};

static int by_name(const void *a, const void *b)
{
	const struct sortable *x = a, *y = b;
	int c = strcmp(x->m.name, y->m.name);

	if (c)
		return c;
	return x->order < y->order ? -1 : x->order > y->order;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void metric_set_sort(struct metric_set *set)
{
	struct sortable *v = xcalloc(set->nr + 1, sizeof(*v));
	size_t kept = 0;

	for (size_t i = 0; i < set->nr; i++)
		v[i] = (struct sortable){ set->v[i], i };
	qsort(v, set->nr, sizeof(*v), by_name);
	for (size_t i = 0; i < set->nr; i++) {
		if (kept && !strcmp(set->v[kept - 1].name, v[i].m.name))
			free(v[i].m.name);
		else
			set->v[kept++] = v[i].m;
	}
	set->nr = kept;
	free(v);
	if (set->nr_failures)
		qsort(set->failures, set->nr_failures, sizeof(char *), by_text);
}

bool metric_find(const struct metric_set *set, const char *name, double *out)
{
	for (size_t i = 0; i < set->nr; i++)
		if (!strcmp(set->v[i].name, name)) {
			*out = set->v[i].value;
			return true;
		}
	return false;
}
