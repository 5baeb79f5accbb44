// SPDX-License-Identifier: GPL-3.0-or-later
// Prints a comparison as text, JSON or CSV.
#include "cli/compare_view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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
	for (size_t i = 0; i < COMPARE_MAX_SIDES; i++) {
		free(v->runs[i].boot);
		free(v->runs[i].pair);
	}
	free(v->calibration);
	json_decref(v->reply);
	axes_release(&v->axes);
	compare_release(&v->comparison);
}

/* "2.5" per cent as 0.025; false after a usage error. */
static bool take_pct(const char *option, const char *text, double *out)
{
	double pct;

	if (!text)
		return true;
	if (!str_to_double(text, &pct) || pct < 0 || pct > 100) {
		args_usage("compare",
			   "--%s %s: expected a percentage from 0 to 100",
			   option, text);
		return false;
	}
	*out = pct / 100;
	return true;
}

static int check_verdict(struct compare_options *o)
{
	o->min_effect = 0;
	o->aa_rate = NAN;
	if (!o->verdict && (o->min_effect_pct || o->aa_pct))
		return args_usage("compare", "--%s goes with --verdict",
				  o->min_effect_pct ? "min-effect" : "aa-rate");
	if (o->verdict && !strcmp(o->format, "csv"))
		return args_usage("compare", "--verdict has no csv form: take "
					     "--format json");
	if (!take_pct("min-effect", o->min_effect_pct, &o->min_effect) ||
	    !take_pct("aa-rate", o->aa_pct, &o->aa_rate))
		return 2;
	return 0;
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
			return check_verdict(o);
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

static bool add_json(struct str *out, const struct compare_view *v,
		     const struct compare_options *o, enum compare_show show)
{
	json_t *obj = compare_to_json(&v->axes, &v->comparison, show);
	json_t *list = json_array();
	bool worse = any_regression(&v->comparison);

	if (o->verdict) {
		worse = compare_view_verdict(v, o, out, list);
		json_object_set(obj, "verdicts", list);
	}
	json_add_pretty(out, obj);
	json_decref(list);
	json_decref(obj);
	return worse;
}

int compare_view_print(const struct compare_view *v,
		       const struct compare_options *o)
{
	enum compare_show show =
		o->all ? COMPARE_SHOW_ALL : COMPARE_SHOW_CHANGED;
	struct str out = STR_INIT;
	bool worse = any_regression(&v->comparison);

	if (!strcmp(o->format, "csv"))
		compare_add_csv(&out, &v->comparison, show);
	else if (!strcmp(o->format, "json"))
		worse = add_json(&out, v, o, show);
	else if (o->verdict)
		worse = compare_view_verdict(v, o, &out, NULL);
	else
		add_text(&out, v, o, show);
	fwrite(out.p, 1, out.len, stdout);
	str_release(&out);
	return o->exit_code && worse;
}
