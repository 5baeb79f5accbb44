// SPDX-License-Identifier: GPL-3.0-or-later
// `drover compare --matrix`: compares matrix.json files without a daemon.
#include <stdio.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/args.h"
#include "cli/cli.h"
#include "cli/compare_view.h"

#define MAX_FILE_BYTES ((size_t)256 << 20)

static int load_matrix(struct compare_view *w, const char *path,
		       struct err *err)
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
static int load_axes(struct compare_view *w, const struct compare_options *o,
		     struct err *err)
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

static int load(struct compare_view *w, const struct compare_options *o,
		struct err *err)
{
	int rc;

	for (size_t i = 0; i < o->matrix.nr; i++) {
		rc = load_matrix(w, o->matrix.v[i], err);
		if (rc)
			return rc;
	}
	for (size_t i = 0; i < w->nr && o->runs_per_boot; i++)
		compare_view_set_boots(w, i, (size_t)o->runs_per_boot);
	rc = load_axes(w, o, err);
	return rc ? rc : compare_view_compute(w, err);
}

int cmd_compare_matrix(int argc, char **argv)
{
	struct compare_options o = { .axes = NULL };
	const struct arg_spec spec[] = {
		COMPARE_OPTION_ROWS(&o),
	};
	struct compare_view w = { .nr = 0 };
	struct err err = { 0 };
	int rc;
	int at = args_parse(argc, argv, spec, ARRAY_SIZE(spec), &rc);

	if (at == ARGS_DONE)
		return rc;
	if (at < argc)
		return args_usage("compare", "with --matrix, %s is too much",
				  argv[at]);
	if (o.comparison)
		return args_usage("compare",
				  "--comparison doesn't go with --matrix");
	if (o.matrix.nr < 2 || o.matrix.nr > COMPARE_MAX_SIDES)
		return args_usage("compare",
				  "--matrix must be given 2 to %d times",
				  COMPARE_MAX_SIDES);
	if (o.runs_per_boot < 0 || o.runs_per_boot > (long long)MATRIX_MAX_RUNS)
		return args_usage("compare",
				  "--runs-per-boot %lld: expected 1 to %zu",
				  o.runs_per_boot, MATRIX_MAX_RUNS);
	rc = compare_options_check(&o);
	if (rc)
		return rc;
	rc = load(&w, &o, &err);
	if (rc) {
		fprintf(stderr, "drover compare: %s\n", err.text);
		rc = err_exit_code(rc);
	} else {
		rc = compare_view_print(&w, &o);
	}
	compare_view_release(&w);
	return rc;
}
