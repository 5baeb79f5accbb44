// SPDX-License-Identifier: GPL-3.0-or-later
// `drover compare --verdict`: what calibrated tests believe, commit by commit.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/compare_view.h"

/* A change below this is nobody's business, unless somebody says otherwise. */
#define MIN_EFFECT_USUAL 0.01

void compare_view_set_boots(struct compare_view *v, size_t i,
			    size_t runs_per_boot)
{
	struct compare_runs *r = &v->runs[i];
	size_t run;

	r->nr = v->matrix[i].runs;
	r->boot = xcalloc(r->nr + 1, sizeof(*r->boot));
	for (run = 0; run < r->nr; run++)
		r->boot[run] = (int)(run / runs_per_boot);
}

static struct evidence_side side_of(const struct compare_view *v, size_t i)
{
	return (struct evidence_side){
		.matrix = &v->matrix[i],
		.boot = v->runs[i].boot,
		.pair = v->runs[i].pair,
		.nr = v->runs[i].nr,
	};
}

static double min_effect_of(const struct compare_view *v,
			    const struct compare_options *o)
{
	if (o->min_effect_pct)
		return o->min_effect;
	return v->min_effect > 0 ? v->min_effect : MIN_EFFECT_USUAL;
}

static void compute(const struct compare_view *v,
		    const struct compare_options *o, size_t side,
		    struct evidence *out)
{
	const struct evidence_in in = {
		.comparison = &v->comparison,
		.side = side,
		.base = side_of(v, 0),
		.head = side_of(v, side),
		.min_effect = min_effect_of(v, o),
		.planned = v->planned,
		.calibration = v->calibration,
		.nr_calibrations = v->nr_calibrations,
	};

	evidence_compute(&in, out);
}

static enum verdict_show show_of(const struct compare_options *o)
{
	if (o->all)
		return VERDICT_SHOW_ALL;
	return o->changed ? VERDICT_SHOW_MARKED : VERDICT_SHOW_EITHER;
}

bool compare_view_verdict(const struct compare_view *v,
			  const struct compare_options *o, struct str *out,
			  json_t *list)
{
	bool worse = false;
	size_t side;

	for (side = 1; side < v->nr; side++) {
		struct evidence e;
		struct verdict_table table = {
			.axes = &v->axes,
			.comparison = &v->comparison,
			.evidence = &e,
			.side = side,
			.show = show_of(o),
			.ascii = o->ascii,
			.lab = v->lab,
			.said = v->said,
			.runs_are_boots =
				!v->runs[0].boot || !v->runs[side].boot,
			.min_effect = min_effect_of(v, o),
		};

		if (!table.lab.trials)
			table.lab.rate = o->aa_rate;
		compute(v, o, side, &e);
		worse |= evidence_is_regression(&e);
		if (list)
			json_array_append_new(list,
					      verdict_table_to_json(&table));
		if (!list && side > 1)
			str_addch(out, '\n');
		if (!list)
			verdict_table_add(&table, out);
		evidence_release(&e);
	}
	return worse;
}
