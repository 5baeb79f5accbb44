// SPDX-License-Identifier: GPL-3.0-or-later
// drover compare: two commits' samples side by side, out of the database.
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "cli/args.h"
#include "cli/cli.h"
#include "cli/client.h"
#include "cli/compare_view.h"

static int view_from_reply(struct compare_view *v, const json_t *reply,
			   struct err *err)
{
	json_t *matrices;
	json_t *axes;
	const json_t *m;
	size_t i;
	int rc = json_need_array(reply, "matrices", &matrices, err);

	if (!rc)
		rc = json_need_object(reply, "axes", &axes, err);
	if (!rc)
		rc = axes_from_json(&v->axes, axes, "droverd's axes", err);
	if (rc)
		return rc;
	if (json_array_size(matrices) != v->axes.nr_commits ||
	    v->axes.nr_commits < 2)
		return err_set(err, ERR_DATA,
			       "droverd's reply names %zu commits but has %zu "
			       "matrices",
			       v->axes.nr_commits, json_array_size(matrices));
	json_array_foreach(matrices, i, m)
	{
		matrix_init(&v->matrix[v->nr++]);
		rc = matrix_from_json(&v->matrix[i],
				      json_object_get(m, "values"),
				      "droverd's matrix", err);
		if (rc)
			return rc;
	}
	return compare_view_compute(v, err);
}

/* "7" is a job, "BASE HEAD" two revisions; NULL after a usage error. */
static json_t *request_from_args(int nr, char **args)
{
	unsigned long long job;

	if (nr == 1 && str_to_u64(args[0], &job))
		return json_pack("{s:s, s:I}", "op", "compare", "job",
				 (json_int_t)job);
	if (nr == 2)
		return json_pack("{s:s, s:s, s:s}", "op", "compare", "base",
				 args[0], "head", args[1]);
	args_usage("compare", "takes a job's number, two commits, or --matrix "
			      "FILE twice or more");
	return NULL;
}

static int compare_stored(int argc, char **argv)
{
	struct compare_options o = { .format = NULL };
	const struct arg_spec spec[] = { COMPARE_OPTION_ROWS(&o) };
	struct compare_view v = { .nr = 0 };
	struct err err = { 0 };
	json_t *request;
	json_t *reply;
	int exit_code;
	int at = args_parse(argc, argv, spec, ARRAY_SIZE(spec), &exit_code);

	if (at == ARGS_DONE)
		return exit_code;
	exit_code = compare_options_check(&o);
	if (exit_code)
		return exit_code;
	request = request_from_args(argc - at, argv + at);
	if (!request)
		return 2;
	reply = client_ask(request, &err);
	if (!reply || view_from_reply(&v, reply, &err))
		exit_code = client_fail("compare", &err);
	else
		exit_code = compare_view_print(&v, &o);
	json_decref(reply);
	compare_view_release(&v);
	return exit_code;
}

int cmd_compare(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (!strcmp(argv[i], "--matrix") || !strcmp(argv[i], "-m") ||
		    !strncmp(argv[i], "--matrix=", 9))
			return cmd_compare_matrix(argc, argv);
	return compare_stored(argc, argv);
}
