// SPDX-License-Identifier: GPL-3.0-or-later
// The verdict's row: numbers, evidence, and the sentence.
#include "daemon/flow_look.h"

#include <math.h>

#include "db/db_flow.h"

static json_t *pairs_json(const struct flow_look *l)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < l->in.nr; i++)
		json_array_append_new(list,
				      json_pack("[f, f]", l->pairs[i].base,
						l->pairs[i].head));
	return list;
}

static json_t *count_json(size_t base, size_t head)
{
	return json_pack("[I, I]", (json_int_t)base, (json_int_t)head);
}

static int evidence(const struct flow_look *l, json_t **out, struct err *err)
{
	const struct flow *f = l->f;
	json_t *differ = flow_invariants_differ(f, flow_int(f, "base_id"),
						flow_int(f, "head_id"), err);
	json_t *e;

	if (!differ)
		return ERR_IO;
	e = json_pack("{s:o, s:o, s:I, s:I, s:o, s:o, s:b, s:o}", "boots",
		      count_json(l->side[0].boots, l->side[1].boots), "runs",
		      count_json(l->side[0].runs, l->side[1].runs),
		      "metrics_total", (json_int_t)l->cmp.nr, "metrics_changed",
		      (json_int_t)l->cmp.nr_changed, "invariants_differ",
		      differ, "new_failures", flow_new_failures(&l->cmp),
		      "calibrated", l->calibration.state == FLOW_CALIBRATED_OK,
		      "calibration", flow_calibration_json(&l->calibration));
	if (l->headline && isfinite(l->v.detectable))
		json_object_set_new(e, "detectable_pct",
				    json_real(100 * l->v.detectable));
	if (l->headline)
		json_object_update_new(
			e,
			json_pack("{s:o, s:i, s:i, s:f, s:f, s:f, s:f, s:i}",
				  "pairs", pairs_json(l), "planned",
				  l->in.planned, "max_pairs", l->in.max_pairs,
				  "min_effect_pct", 100 * l->in.min_effect, "g",
				  l->v.g, "e_needed", l->v.e_needed,
				  "sd_pair_pct", 100 * l->v.sd_pair,
				  "candidates", l->candidates));
	*out = e;
	return 0;
}

static void add_failures(const json_t *list, struct str *why)
{
	const json_t *name;
	size_t i;

	json_array_foreach(list, i, name)
		str_addf(why, "%s%s", i ? ", " : "; new in all runs of head: ",
			 json_string_value(name));
}

static void add_why(const struct flow_look *l, const json_t *e, struct str *why)
{
	if (l->headline)
		verdict_add_why(&l->in, &l->v, l->headline->name, why);
	else
		str_addf(why,
			 "%s reported no metric that says which way is better",
			 flow_text(l->f, "testcase"));
	if (l->calibration.why)
		str_addf(why, " any more: %s", l->calibration.why);
	add_failures(json_object_get(e, "new_failures"), why);
}

int flow_look_store(const struct flow_look *l, struct str *why, struct err *err)
{
	bool decided = l->v.kind != VERDICT_MORE;
	struct db_flow_verdict row = {
		.state = "running",
		.verdict = decided ? verdict_to_str(l->v.kind) : "",
		.headline = l->headline ? l->headline->name : "",
		.direction = l->in.direction < 0 ? "lower" : "higher",
		.change_pct = 100 * l->v.delta,
		.e_value = l->headline ? l->v.e_value : NAN,
		.ci_low_pct = 100 * l->v.lo,
		.ci_high_pct = 100 * l->v.hi,
	};
	json_t *e;
	int rc = evidence(l, &e, err);

	if (rc)
		return rc;
	if (decided)
		add_why(l, e, why);
	row.evidence = e;
	row.why = why->p;
	rc = db_flow_set_verdict(l->f->d->db, l->f->id, &row, err);
	json_decref(e);
	return rc;
}
