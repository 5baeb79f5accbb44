// SPDX-License-Identifier: GPL-3.0-or-later
// Metric -> value per run: sorted rows, and matrix.json in and out.
#include "analysis/matrix.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define SOURCE_KEY "stats_source"

void matrix_init(struct matrix *m)
{
	memset(m, 0, sizeof(*m));
}

void matrix_release(struct matrix *m)
{
	for (size_t i = 0; i < m->nr; i++) {
		free(m->metric[i].name);
		free(m->metric[i].value);
	}
	free(m->metric);
	matrix_init(m);
}

/* The first position whose name is not below @name. */
static size_t lower_bound(const struct matrix *m, const char *name)
{
	size_t lo = 0;
	size_t hi = m->nr;

	/* files come sorted, so a new name is most often the last one */
	if (hi && strcmp(m->metric[hi - 1].name, name) < 0)
		return hi;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (strcmp(m->metric[mid].name, name) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const struct matrix_metric *matrix_find(const struct matrix *m,
					const char *name)
{
	size_t at = lower_bound(m, name);

	if (at < m->nr && !strcmp(m->metric[at].name, name))
		return &m->metric[at];
	return NULL;
}

int matrix_has_family(const struct matrix *m, const char *family)
{
	size_t len = strlen(family);
	char *prefix = xasprintf("%s.", family);
	size_t at = lower_bound(m, prefix);
	int has = at < m->nr && !strncmp(m->metric[at].name, prefix, len + 1);

	free(prefix);
	return has;
}

static struct matrix_metric *add_row(struct matrix *m, size_t at,
				     const char *name)
{
	VEC_GROW(m->metric, m->nr + 1, m->alloc);
	memmove(&m->metric[at + 1], &m->metric[at],
		(m->nr - at) * sizeof(*m->metric));
	memset(&m->metric[at], 0, sizeof(*m->metric));
	m->metric[at].name = xstrdup(name);
	m->nr++;
	return &m->metric[at];
}

static int check_cell(const struct matrix *m, const char *name, size_t run,
		      double value, struct err *err)
{
	size_t len = strlen(name);

	if (!len)
		return err_set(err, ERR_DATA, "a metric has an empty name");
	if (len > MATRIX_MAX_NAME_BYTES)
		return err_set(err, ERR_LIMIT,
			       "metric name of %zu bytes; at most %zu", len,
			       MATRIX_MAX_NAME_BYTES);
	if (run >= MATRIX_MAX_RUNS)
		return err_set(err, ERR_LIMIT, "%s: more than %zu runs", name,
			       MATRIX_MAX_RUNS);
	if (m->nr >= MATRIX_MAX_METRICS && !matrix_find(m, name))
		return err_set(err, ERR_LIMIT, "more than %zu metrics",
			       MATRIX_MAX_METRICS);
	if (isinf(value))
		return err_set(err, ERR_DATA, "%s: run %zu is infinite", name,
			       run);
	return 0;
}

int matrix_set(struct matrix *m, const char *name, size_t run, double value,
	       struct err *err)
{
	struct matrix_metric *row;
	size_t at;
	int rc = check_cell(m, name, run, value, err);

	if (rc)
		return rc;
	at = lower_bound(m, name);
	if (at < m->nr && !strcmp(m->metric[at].name, name))
		row = &m->metric[at];
	else
		row = add_row(m, at, name);
	VEC_GROW(row->value, run + 1, row->alloc);
	while (row->nr < run)
		row->value[row->nr++] = NAN;
	if (row->nr == run)
		row->nr++;
	row->value[run] = value;
	if (run + 1 > m->runs)
		m->runs = run + 1;
	return 0;
}

static bool is_numeric(const json_t *row)
{
	size_t i;
	json_t *v;

	if (json_is_number(row))
		return true;
	if (!json_is_array(row))
		return false;
	json_array_foreach(row, i, v)
	{
		if (!json_is_number(v) && !json_is_null(v))
			return false;
	}
	return true;
}

static int set_row(struct matrix *m, const char *name, const json_t *row,
		   struct err *err)
{
	size_t i;
	json_t *v;
	int rc;

	if (json_is_number(row))
		return matrix_set(m, name, 0, json_number_value(row), err);
	json_array_foreach(row, i, v)
	{
		rc = matrix_set(m, name, i,
				json_is_null(v) ? NAN : json_number_value(v),
				err);
		if (rc)
			return rc;
	}
	return 0;
}

int matrix_from_json(struct matrix *m, const json_t *obj, const char *name,
		     struct err *err)
{
	const char *key;
	json_t *row;

	if (!json_is_object(obj))
		return err_set(err, ERR_DATA,
			       "%s: expected an object {\"metric\": [values]}",
			       name);
	/* the non-const cast is jansson's own: the macro only reads */
	json_object_foreach((json_t *)obj, key, row)
	{
		if (!strcmp(key, SOURCE_KEY)) {
			if (json_array_size(row) > m->runs &&
			    json_array_size(row) <= MATRIX_MAX_RUNS)
				m->runs = json_array_size(row);
			continue;
		}
		if (is_numeric(row) && set_row(m, key, row, err))
			return err_wrap(err, "%s", name);
	}
	return 0;
}

int matrix_parse(struct matrix *m, const char *text, size_t len,
		 const char *name, struct err *err)
{
	json_error_t e;
	json_t *obj;
	int rc;

	/* as reals: a counter can be past what a 64-bit integer holds */
	obj = json_loadb(text, len,
			 JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &e);
	if (!obj)
		return err_set(err, ERR_DATA, "%s:%d:%d: not valid JSON: %s",
			       name, e.line, e.column, e.text);
	rc = matrix_from_json(m, obj, name, err);
	json_decref(obj);
	return rc;
}

json_t *matrix_to_json(const struct matrix *m)
{
	json_t *obj = json_object();

	for (size_t i = 0; i < m->nr; i++) {
		const struct matrix_metric *row = &m->metric[i];
		json_t *values = json_array();

		for (size_t j = 0; j < row->nr; j++)
			json_array_append_new(
				values, isnan(row->value[j])
						? json_null()
						: json_real(row->value[j]));
		json_object_set_new(obj, row->name, values);
	}
	return obj;
}
