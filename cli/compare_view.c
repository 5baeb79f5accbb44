// SPDX-License-Identifier: GPL-3.0-or-later
// Prints a comparison as text, JSON or CSV.
#include "cli/compare_view.h"

#include <stdio.h>
#include <string.h>

#include "analysis/kpi.h"
#include "base/mem.h"
#include "base/str.h"
#include "report/compare_json.h"
#include "report/lkp_table.h"

void compare_view_release(struct compare_view *v)
{
	for (size_t i = 0; i < v->nr; i++)
		matrix_release(&v->matrix[i]);
	axes_release(&v->axes);
	compare_release(&v->comparison);
}

int compare_options_check(struct compare_options *o)
{
	static const char *const formats[] = { "text", "json", "csv" };
	const char *near;

	if (o->all && o->changed)
		return args_usage("compare", "either --all or --changed");
	if (!o->format)
		o->format = args_common.json ? "json" : "text";
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		if (!strcmp(o->format, formats[i]))
			return 0;
	}
	near = str_suggest(o->format, formats, ARRAY_SIZE(formats));
	return args_usage("compare",
			  "--format %s: expected text, json or csv%s%s%s",
			  o->format, near ? "; did you mean " : "",
			  near ? near : "", near ? "?" : "");
}

int compare_view_compute(struct compare_view *v, struct err *err)
{
	const struct matrix *side[COMPARE_MAX_SIDES];
	size_t runs[COMPARE_MAX_SIDES];

	for (size_t i = 0; i < v->nr; i++) {
		side[i] = &v->matrix[i];
		runs[i] = v->axes.commit[i].runs;
	}
	return compare_matrices(&v->comparison, side, v->nr, runs,
				axes_get(&v->axes, "testcase", NULL), err);
}

static void add_text(struct str *out, const struct compare_view *v,
		     const struct compare_options *o, enum compare_show show)
{
	struct lkp_table table = {
		.axes = &v->axes,
		.comparison = &v->comparison,
		.show = show,
		.ascii = o->ascii,
	};

	if (show == COMPARE_SHOW_CHANGED && !v->comparison.nr_changed)
		str_addf(out, "0 of %zu metrics changed (--all shows them)\n",
			 v->comparison.nr);
	else
		lkp_table_add(&table, out);
}

static bool any_regression(const struct comparison *c)
{
	for (size_t s = 1; s < c->nr_sides; s++) {
		if (kpi_is_regression(c, s))
			return true;
	}
	return false;
}

int compare_view_print(const struct compare_view *v,
		       const struct compare_options *o)
{
	enum compare_show show =
		o->all ? COMPARE_SHOW_ALL : COMPARE_SHOW_CHANGED;
	struct str out = STR_INIT;
	json_t *obj;

	if (!strcmp(o->format, "csv")) {
		compare_add_csv(&out, &v->comparison, show);
	} else if (!strcmp(o->format, "json")) {
		obj = compare_to_json(&v->axes, &v->comparison, show);
		json_add_pretty(&out, obj);
		json_decref(obj);
	} else {
		add_text(&out, v, o, show);
	}
	fwrite(out.p, 1, out.len, stdout);
	str_release(&out);
	return o->exit_code && any_regression(&v->comparison);
}
