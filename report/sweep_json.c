// SPDX-License-Identifier: GPL-3.0-or-later
// JSON of sweeps; the header documents it.
#include "report/sweep_json.h"

#include <string.h>

static json_t *text(const char *s)
{
	return json_text(s, strlen(s));
}

static json_t *side_to_json(const struct sweep_side *side)
{
	json_t *obj = json_object();

	json_object_set_new(obj, "n", json_integer((json_int_t)side->n));
	json_object_set_new(obj, "avg", json_real_or_null(side->avg));
	json_object_set_new(obj, "std_pct",
			    side->n > 1 ? json_real_or_null(side->std_pct)
					: json_null());
	json_object_set_new(obj, "nid",
			    side->nid == SWEEP_NID_UNKNOWN
				    ? json_null()
				    : json_integer(side->nid));
	return obj;
}

/* {"affinity", "nr_threads"}, which every row starts with. */
static json_t *row_start(const char *affinity, long long threads)
{
	json_t *obj = json_object();

	json_object_set_new(obj, "affinity", text(affinity));
	json_object_set_new(obj, "nr_threads", json_integer(threads));
	return obj;
}

json_t *sweep_to_json(const struct sweep *s)
{
	json_t *obj = json_object();
	json_t *rows = json_array();

	for (size_t i = 0; i < s->nr; i++) {
		const struct sweep_row *row = &s->row[i];
		json_t *r = row_start(row->affinity, row->threads);

		json_object_set_new(r, "diff_pct",
				    json_real_or_null(row->diff_pct));
		json_object_set_new(r, "confidence_pct",
				    json_real_or_null(row->confidence_pct));
		json_object_set_new(r, "base", side_to_json(&row->base));
		json_object_set_new(r, "test", side_to_json(&row->test));
		json_array_append_new(rows, r);
	}
	json_object_set_new(obj, "metric", text(s->metric));
	json_object_set_new(obj, "rows", rows);
	return obj;
}

static json_t *share_to_json(const struct sweep_share *share)
{
	json_t *obj;

	if (!share->known)
		return json_null();
	obj = json_object();
	json_object_set_new(obj, "base", json_real_or_null(share->base));
	json_object_set_new(obj, "test", json_real_or_null(share->test));
	json_object_set_new(obj, "diff",
			    json_real_or_null(share->test - share->base));
	return obj;
}

json_t *sweep_profile_to_json(const struct sweep_profile *p)
{
	json_t *obj = json_object();
	json_t *rows = json_array();

	for (size_t i = 0; i < p->nr; i++) {
		const struct sweep_profile_row *row = &p->row[i];
		json_t *r = row_start(row->affinity, row->threads);
		json_t *nodes = json_array();

		for (size_t n = 0; n < p->nr_nodes; n++)
			json_array_append_new(
				nodes, share_to_json(&row->share[1 + n]));
		json_object_set_new(r, "all_nodes",
				    share_to_json(&row->share[0]));
		json_object_set_new(r, "nodes", nodes);
		json_array_append_new(rows, r);
	}
	json_object_set_new(obj, "symbol", text(p->symbol));
	json_object_set_new(obj, "unit", text(p->unit));
	json_object_set_new(obj, "rows", rows);
	return obj;
}
