// SPDX-License-Identifier: GPL-3.0-or-later
// `drover compare --matrix`: compares matrix.json files without a daemon.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare.h"
#include "analysis/kpi.h"
#include "base/file.h"
#include "base/mem.h"
#include "cli/args.h"
#include "cli/cli.h"
#include "report/axes.h"
#include "report/compare_json.h"
#include "report/lkp_table.h"

#define MAX_FILE_BYTES ((size_t)256 << 20)

struct options {
	struct arg_list matrix;
	const char *axes;
	const char *format;
	bool all;
	bool changed;
	bool ascii;
	bool exit_code;
};

/* Everything a run owns. */
struct work {
	struct matrix matrix[COMPARE_MAX_SIDES];
	size_t nr;
	struct axes axes;
	struct comparison comparison;
};

static void work_release(struct work *w)
{
	for (size_t i = 0; i < w->nr; i++)
		matrix_release(&w->matrix[i]);
	axes_release(&w->axes);
	compare_release(&w->comparison);
}

static int load_matrix(struct work *w, const char *path, struct err *err)
{
	struct str text = STR_INIT;
	struct matrix *m = &w->matrix[w->nr++];
	int rc;

	matrix_init(m);
	text.max_bytes = MAX_FILE_BYTES;
	rc = file_read(path, MAX_FILE_BYTES, &text, err);
	if (!rc)
		rc = matrix_parse(m, text.p, text.len, path, err);
	str_release(&text);
	return rc;
}

/* Without axes.json the columns are called after the files. */
static int load_axes(struct work *w, const struct options *o, struct err *err)
{
	json_t *obj;
	int rc = 0;

	if (!o->axes) {
		for (size_t i = 0; i < w->nr && !rc; i++)
			rc = axes_add_commit(&w->axes, o->matrix.v[i], "", 0,
					     err);
		return rc;
	}
	obj = json_read_file(o->axes, MAX_FILE_BYTES, err);
	if (!obj)
		return err->code;
	rc = axes_from_json(&w->axes, obj, o->axes, err);
	json_decref(obj);
	if (!rc && w->axes.nr_commits != w->nr)
		rc = err_set(err, ERR_USAGE,
			     "%s names %zu commits, but there are %zu --matrix",
			     o->axes, w->axes.nr_commits, w->nr);
	return rc;
}

static int load(struct work *w, const struct options *o, struct err *err)
{
	const struct matrix *side[COMPARE_MAX_SIDES];
	size_t runs[COMPARE_MAX_SIDES];
	int rc;

	for (size_t i = 0; i < o->matrix.nr; i++) {
		rc = load_matrix(w, o->matrix.v[i], err);
		if (rc)
			return rc;
		side[i] = &w->matrix[i];
	}
	rc = load_axes(w, o, err);
	if (rc)
		return rc;
	for (size_t i = 0; i < w->nr; i++)
		runs[i] = w->axes.commit[i].runs;
	return compare_matrices(&w->comparison, side, w->nr, runs,
				axes_get(&w->axes, "testcase", NULL), err);
}

static void print_text(const struct work *w, const struct options *o,
		       enum compare_show show)
{
	struct lkp_table table = {
		.axes = &w->axes,
		.comparison = &w->comparison,
		.show = show,
		.ascii = o->ascii,
	};
	struct str out = STR_INIT;

	if (show == COMPARE_SHOW_CHANGED && !w->comparison.nr_changed)
		str_addf(&out, "0 of %zu metrics changed (--all shows them)\n",
			 w->comparison.nr);
	else
		lkp_table_add(&table, &out);
	fwrite(out.p, 1, out.len, stdout);
	str_release(&out);
}

static void print(const struct work *w, const struct options *o)
{
	enum compare_show show =
		o->all ? COMPARE_SHOW_ALL : COMPARE_SHOW_CHANGED;
	struct str out = STR_INIT;
	json_t *obj;

	if (!strcmp(o->format, "csv")) {
		compare_add_csv(&out, &w->comparison, show);
	} else if (!strcmp(o->format, "json")) {
		obj = compare_to_json(&w->axes, &w->comparison, show);
		json_add_pretty(&out, obj);
		json_decref(obj);
	} else {
		print_text(w, o, show);
	}
	fwrite(out.p, 1, out.len, stdout);
	str_release(&out);
}

static bool any_regression(const struct comparison *c)
{
	for (size_t s = 1; s < c->nr_sides; s++) {
		if (kpi_is_regression(c, s))
			return true;
	}
	return false;
}

static int check_options(const struct options *o)
{
	static const char *const formats[] = { "text", "json", "csv" };
	const char *near;

	if (o->matrix.nr < 2 || o->matrix.nr > COMPARE_MAX_SIDES)
		return args_usage("compare",
				  "--matrix must be given 2 to %d times",
				  COMPARE_MAX_SIDES);
	if (o->all && o->changed)
		return args_usage("compare", "either --all or --changed");
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

int cmd_compare_matrix(int argc, char **argv)
{
	struct options o = { .format = NULL };
	const struct arg_spec spec[] = {
		{ "matrix", 'm', "FILE",
		  "matrix.json of a commit; the base first, then the others",
		  ARG_LIST, &o.matrix },
		{ "axes", 0, "FILE", "axes.json: shared parameters and commits",
		  ARG_TEXT, &o.axes },
		{ "all", 'a', NULL, "show every metric", ARG_FLAG, &o.all },
		{ "changed", 0, NULL, "show what changed (default)", ARG_FLAG,
		  &o.changed },
		{ "format", 0, "FORMAT", "text, json or csv", ARG_TEXT,
		  &o.format },
		{ "ascii", 0, NULL, "+- instead of the plus-minus sign",
		  ARG_FLAG, &o.ascii },
		{ "exit-code", 0, NULL, "exit 1 when there is a regression",
		  ARG_FLAG, &o.exit_code },
	};
	struct work w = { .nr = 0 };
	struct err err = { 0 };
	int rc;
	int at = args_parse(argc, argv, spec, ARRAY_SIZE(spec), &rc);

	if (at == ARGS_DONE)
		return rc;
	if (at < argc)
		return args_usage("compare", "with --matrix, %s is too much",
				  argv[at]);
	if (!o.format)
		o.format = args_common.json ? "json" : "text";
	rc = check_options(&o);
	if (rc)
		return rc;
	rc = load(&w, &o, &err);
	if (rc) {
		fprintf(stderr, "drover compare: %s\n", err.text);
		rc = err_exit_code(rc);
	} else {
		print(&w, &o);
		rc = o.exit_code && any_regression(&w.comparison);
	}
	work_release(&w);
	return rc;
}
