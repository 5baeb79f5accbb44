// SPDX-License-Identifier: GPL-3.0-or-later
// Which rows a verdict shows, and the verdict for programs.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "report/verdict_table.h"

static bool is_marked(const struct verdict_table *in,
		      const struct evidence_row *row)
{
	return row->metric->side[in->side].changed;
}

static bool is_shown(const struct verdict_table *in,
		     const struct evidence_row *row)
{
	switch (in->show) {
	case VERDICT_SHOW_ALL:
		return true;
	case VERDICT_SHOW_MARKED:
		return is_marked(in, row);
	case VERDICT_SHOW_EITHER:
		break;
	}
	return row->believed || is_marked(in, row);
}

/* LKP's order, what is believed first, headline candidates before others. */
size_t verdict_table_rows(const struct verdict_table *in, size_t **out_row)
{
	const struct evidence *e = in->evidence;
	size_t *order;
	size_t nr_order =
		compare_order(in->comparison, COMPARE_SHOW_ALL, &order);
	size_t *row = xcalloc(nr_order + 1, sizeof(*row));
	size_t nr = 0;
	int part;
	size_t i;

	for (part = 0; part < 3; part++) {
		for (i = 0; i < nr_order; i++) {
			const struct evidence_row *r = &e->row[order[i]];
			int belongs = !r->believed			? 2
				      : r->family == EVIDENCE_HEADLINES ? 0
									: 1;

			if (belongs == part && is_shown(in, r))
				row[nr++] = order[i];
		}
	}
	free(order);
	*out_row = row;
	return nr;
}

static json_t *text(const char *s)
{
	return json_text(s, strlen(s));
}

static json_t *counts(const size_t v[2])
{
	return json_pack("[I, I]", (json_int_t)v[0], (json_int_t)v[1]);
}

static json_t *row_to_json(const struct verdict_table *in,
			   const struct evidence_row *row)
{
	const struct evidence *e = in->evidence;
	json_t *obj = json_object();

	json_object_set_new(obj, "name", text(row->metric->name));
	json_object_set_new(obj, "family",
			    json_string(evidence_family_to_str(row->family)));
	json_object_set_new(obj, "test",
			    json_string(evidence_test_to_str(row->test)));
	json_object_set_new(obj, "absolute", json_boolean(row->absolute));
	json_object_set_new(obj, "effect", json_real_or_null(row->effect));
	json_object_set_new(obj, "ci",
			    json_pack("[o, o]", json_real_or_null(row->lo),
				      json_real_or_null(row->hi)));
	json_object_set_new(obj, "e", json_real_or_null(row->e_value));
	json_object_set_new(obj, "p", json_real_or_null(row->p));
	json_object_set_new(obj, "q", json_real_or_null(row->q));
	json_object_set_new(obj, "boots", counts(row->boots));
	json_object_set_new(obj, "runs", counts(row->runs));
	json_object_set_new(obj, "detectable",
			    json_real_or_null(row->detectable));
	json_object_set_new(obj, "calibrated", json_boolean(row->calibrated));
	json_object_set_new(obj, "believed", json_boolean(row->believed));
	json_object_set_new(obj, "marked", json_boolean(is_marked(in, row)));
	json_object_set_new(obj, "headline",
			    text(e->row[row->headline].metric->name));
	return obj;
}

static json_t *families_to_json(const struct evidence *e, size_t *out_tested,
				size_t *out_believed)
{
	json_t *obj = json_object();
	int i;

	*out_tested = *out_believed = 0;
	for (i = 0; i < EVIDENCE_FAMILIES; i++) {
		enum evidence_family family = (enum evidence_family)i;

		*out_tested += e->tested[i];
		*out_believed += e->believed[i];
		json_object_set_new(obj, evidence_family_to_str(family),
				    json_pack("{s:I, s:I, s:f}", "tested",
					      (json_int_t)e->tested[i],
					      "believed",
					      (json_int_t)e->believed[i],
					      "level", evidence_level(family)));
	}
	return obj;
}

static json_t *lab_to_json(const struct verdict_lab *lab)
{
	double rate = lab->trials ? (double)lab->alarms / (double)lab->trials
				  : lab->rate;

	if (isnan(rate))
		return json_null();
	return json_pack("{s:o, s:o, s:f}", "alarms",
			 lab->trials ? json_integer((json_int_t)lab->alarms)
				     : json_null(),
			 "trials",
			 lab->trials ? json_integer((json_int_t)lab->trials)
				     : json_null(),
			 "rate", rate);
}

static void set_count(json_t *obj, const char *key, size_t nr)
{
	json_object_set_new(obj, key, json_integer((json_int_t)nr));
}

static json_t *rows_to_json(const struct verdict_table *in)
{
	json_t *list = json_array();
	size_t *row;
	size_t nr = verdict_table_rows(in, &row);
	size_t i;

	for (i = 0; i < nr; i++)
		json_array_append_new(
			list, row_to_json(in, &in->evidence->row[row[i]]));
	free(row);
	return list;
}

static json_t *commit_id(const struct axes *axes, size_t i)
{
	return i < axes->nr_commits ? text(axes->commit[i].id) : json_null();
}

json_t *verdict_table_to_json(const struct verdict_table *in)
{
	const struct evidence *e = in->evidence;
	json_t *obj = json_object();
	size_t tested, believed;

	json_object_set_new(obj, "base", commit_id(in->axes, 0));
	json_object_set_new(obj, "head", commit_id(in->axes, in->side));
	json_object_set_new(obj, "said",
			    in->said && *in->said ? text(in->said)
						  : json_null());
	json_object_set_new(obj, "method",
			    json_string(e->paired ? "pairs" : "boots"));
	json_object_set_new(obj, "boots", counts(e->boots));
	json_object_set_new(obj, "runs_are_boots",
			    json_boolean(in->runs_are_boots));
	json_object_set_new(obj, "min_effect_pct",
			    json_real_or_null(100 * in->min_effect));
	json_object_set_new(obj, "families",
			    families_to_json(e, &tested, &believed));
	set_count(obj, "tested", tested);
	set_count(obj, "believed", believed);
	set_count(obj, "clusters", e->clusters);
	json_object_set_new(obj, "false_expected",
			    json_real_or_null(e->false_expected));
	set_count(obj, "marked", e->marked);
	json_object_set_new(obj, "marked_by_accident",
			    in->runs_are_boots
				    ? json_real_or_null(e->marked_expected)
				    : json_null());
	json_object_set_new(obj, "lab", lab_to_json(&in->lab));
	json_object_set_new(obj, "metrics", rows_to_json(in));
	return obj;
}
