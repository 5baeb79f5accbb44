// SPDX-License-Identifier: GPL-3.0-or-later
// Sweep rows from samples, and per-node profile shares.
#include "analysis/sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/welch.h"
#include "base/mem.h"

#define KEY_BYTES   32
#define MAX_SAMPLES ((size_t)100000)

static int set_side(struct sweep_side *side, const double *v, size_t nr,
		    int nid, struct err *err)
{
	double sum = 0.0;
	double sq = 0.0;

	if (!nr)
		return err_set(err, ERR_RANGE, "a side has no samples");
	for (size_t i = 0; i < nr; i++)
		sum += v[i];
	if (!isfinite(sum))
		return err_set(err, ERR_DATA, "a sample is not finite");
	side->n = nr;
	side->nid = nid;
	side->avg = sum / (double)nr;
	side->std_pct = 0.0;
	if (nr < 2 || side->avg == 0.0)
		return 0;
	for (size_t i = 0; i < nr; i++)
		sq += (v[i] - side->avg) * (v[i] - side->avg);
	side->std_pct = 100.0 * sqrt(sq / (double)(nr - 1)) / fabs(side->avg);
	return 0;
}

int sweep_add(struct sweep *s, const struct sweep_input *in, struct err *err)
{
	struct sweep_row row = { NULL };
	double p;
	int rc;

	if (s->nr >= SWEEP_MAX_ROWS)
		return err_set(err, ERR_LIMIT, "more than %d rows",
			       SWEEP_MAX_ROWS);
	rc = set_side(&row.base, in->base, in->nr_base, in->base_nid, err);
	if (!rc)
		rc = set_side(&row.test, in->test, in->nr_test, in->test_nid,
			      err);
	if (rc)
		return rc;
	row.affinity = xstrdup(in->affinity);
	row.threads = in->threads;
	row.diff_pct = 0.0;
	if (row.base.avg != 0.0)
		row.diff_pct =
			100.0 * (row.test.avg - row.base.avg) / row.base.avg;
	row.confidence_pct = NAN;
	if (!welch_p(in->base, in->nr_base, in->test, in->nr_test, &p, NULL))
		row.confidence_pct = 100.0 * (1.0 - p);
	s->row = xreallocarray(s->row, s->nr + 1, sizeof(*s->row));
	s->row[s->nr++] = row;
	return 0;
}

/* The numbers of the array @key, owned by the caller; NULL on error. */
static double *samples_of(const json_t *row, const char *key, size_t *out_nr,
			  struct err *err)
{
	json_t *list;
	json_t *v;
	double *out;
	size_t i;

	if (json_need_array(row, key, &list, err))
		return NULL;
	if (json_array_size(list) > MAX_SAMPLES) {
		err_set(err, ERR_LIMIT, "\"%s\" has more than %zu samples", key,
			MAX_SAMPLES);
		return NULL;
	}
	*out_nr = json_array_size(list);
	out = xcalloc(*out_nr + 1, sizeof(*out));
	json_array_foreach(list, i, v)
	{
		if (!json_is_number(v)) {
			err_set(err, ERR_DATA,
				"\"%s\": sample %zu is not a number", key,
				i + 1);
			free(out);
			return NULL;
		}
		out[i] = json_number_value(v);
	}
	return out;
}

static int nid_of(const json_t *row, const char *key)
{
	long long nid = json_opt_int(row, key, SWEEP_NID_UNKNOWN);

	return nid >= 0 && nid < 1024 ? (int)nid : SWEEP_NID_UNKNOWN;
}

static int add_json_row(struct sweep *s, const json_t *obj, struct err *err)
{
	struct sweep_input in = { .base_nid = nid_of(obj, "base_nid"),
				  .test_nid = nid_of(obj, "test_nid") };
	double *base = NULL;
	double *test = NULL;
	int rc;

	rc = json_need_str(obj, "affinity", &in.affinity, err);
	if (!rc)
		rc = json_need_int(obj, "nr_threads", &in.threads, err);
	if (rc)
		return rc;
	base = samples_of(obj, "base", &in.nr_base, err);
	if (base)
		test = samples_of(obj, "test", &in.nr_test, err);
	in.base = base;
	in.test = test;
	rc = test ? sweep_add(s, &in, err) : ERR_DATA;
	free(base);
	free(test);
	return rc;
}

int sweep_from_json(struct sweep *s, const json_t *obj, const char *name,
		    struct err *err)
{
	json_t *rows;
	json_t *row;
	size_t i;

	s->metric = xstrdup(json_opt_str(obj, "metric", "score"));
	if (json_need_array(obj, "rows", &rows, err))
		return err_wrap(err, "%s", name);
	json_array_foreach(rows, i, row)
	{
		if (add_json_row(s, row, err))
			return err_wrap(err, "%s: row %zu", name, i + 1);
	}
	return 0;
}

void sweep_release(struct sweep *s)
{
	for (size_t i = 0; i < s->nr; i++)
		free(s->row[i].affinity);
	free(s->row);
	free(s->metric);
	memset(s, 0, sizeof(*s));
}

static int get_share(const json_t *row, const char *key,
		     struct sweep_share *out, struct err *err)
{
	const json_t *pair = json_object_get(row, key);
	const json_t *base = json_array_get(pair, 0);
	const json_t *test = json_array_get(pair, 1);

	if (!pair)
		return 0;
	if (json_array_size(pair) != 2 || !json_is_number(base) ||
	    !json_is_number(test))
		return err_set(err, ERR_DATA,
			       "\"%s\" is not [base, test] in percent", key);
	out->known = true;
	out->base = json_number_value(base);
	out->test = json_number_value(test);
	return 0;
}

/* How many "nodeN" keys the rows have, 1 + the highest N. */
static size_t count_nodes(const json_t *rows)
{
	size_t nr = 0;
	size_t i;
	json_t *row;
	char key[KEY_BYTES];

	json_array_foreach(rows, i, row)
	{
		for (size_t n = nr; n < SWEEP_MAX_NODES; n++) {
			snprintf(key, sizeof(key), "node%zu", n);
			if (json_object_get(row, key))
				nr = n + 1;
		}
	}
	return nr;
}

static int add_profile_row(struct sweep_profile *p, const json_t *obj,
			   struct err *err)
{
	struct sweep_profile_row *row;
	const char *affinity;
	long long threads;
	char key[KEY_BYTES];
	int rc;

	if (p->nr >= SWEEP_MAX_ROWS)
		return err_set(err, ERR_LIMIT, "more than %d rows",
			       SWEEP_MAX_ROWS);
	rc = json_need_str(obj, "affinity", &affinity, err);
	if (!rc)
		rc = json_need_int(obj, "nr_threads", &threads, err);
	if (rc)
		return rc;
	p->row = xreallocarray(p->row, p->nr + 1, sizeof(*p->row));
	row = &p->row[p->nr++];
	row->affinity = xstrdup(affinity);
	row->threads = threads;
	row->share = xcalloc(p->nr_nodes + 1, sizeof(*row->share));
	rc = get_share(obj, "all_nodes", &row->share[0], err);
	for (size_t n = 0; n < p->nr_nodes && !rc; n++) {
		snprintf(key, sizeof(key), "node%zu", n);
		rc = get_share(obj, key, &row->share[1 + n], err);
	}
	if (!rc && !row->share[0].known)
		rc = err_set(err, ERR_DATA, "\"all_nodes\" is missing");
	return rc;
}

int sweep_profile_from_json(struct sweep_profile *p, const json_t *obj,
			    const char *name, struct err *err)
{
	const char *symbol;
	json_t *rows;
	json_t *row;
	size_t i;

	if (json_need_str(obj, "symbol", &symbol, err) ||
	    json_need_array(obj, "rows", &rows, err))
		return err_wrap(err, "%s", name);
	p->symbol = xstrdup(symbol);
	p->unit = xstrdup(json_opt_str(obj, "unit", "profile%"));
	p->nr_nodes = count_nodes(rows);
	json_array_foreach(rows, i, row)
	{
		if (add_profile_row(p, row, err))
			return err_wrap(err, "%s: row %zu", name, i + 1);
	}
	return 0;
}

void sweep_profile_release(struct sweep_profile *p)
{
	for (size_t i = 0; i < p->nr; i++) {
		free(p->row[i].affinity);
		free(p->row[i].share);
	}
	free(p->row);
	free(p->symbol);
	free(p->unit);
	memset(p, 0, sizeof(*p));
}
