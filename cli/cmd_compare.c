// SPDX-License-Identifier: GPL-3.0-or-later
// drover compare: two commits' samples side by side, out of the database.
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "cli/args.h"
#include "cli/cli.h"
#include "cli/client.h"
#include "cli/compare_view.h"

static json_t *request_by_id(long long comparison)
{
	return json_pack("{s:s, s:I}", "op", "compare", "comparison",
			 (json_int_t)comparison);
}

/* Takes @request; the exit code. */
static int show(json_t *request, const struct compare_options *o)
{
	struct compare_view v = { .nr = 0 };
	struct err err = { 0 };
	json_t *reply = client_ask(request, &err);
	int exit_code;

	if (!reply || compare_view_from_reply(&v, reply, &err))
		exit_code = client_fail("compare", &err);
	else
		exit_code = compare_view_print(&v, o);
	compare_view_release(&v);
	return exit_code;
}

/*
 * All comparisons of a job, one after the other: a change in any of them is
 * one of the job. The worst exit code.
 */
static int show_job(long long job, const struct compare_options *o)
{
	struct err err = { 0 };
	json_t *reply = client_ask(
		json_pack("{s:s, s:I}", "op", "status", "job", (json_int_t)job),
		&err);
	const json_t *list = json_object_get(reply, "comparisons");
	const json_t *row;
	int exit_code = 0;
	size_t i;

	if (!reply)
		return client_fail("compare", &err);
	if (json_array_size(list) > 1 && !strcmp(o->format, "csv"))
		exit_code = args_usage("compare",
				       "job %lld has %zu comparisons, a csv is "
				       "of one: --comparison ID (drover status "
				       "%lld lists them)",
				       job, json_array_size(list), job);
	else if (!json_array_size(list))
		exit_code = show(json_pack("{s:s, s:I}", "op", "compare", "job",
					   (json_int_t)job),
				 o);
	else
		json_array_foreach(list, i, row)
		{
			int rc = show(request_by_id(json_opt_int(row, "id", 0)),
				      o);

			exit_code = rc > exit_code ? rc : exit_code;
		}
	json_decref(reply);
	return exit_code;
}

/* "7" is a job, "BASE HEAD" two commits. */
static int show_args(int nr, char **args, const struct compare_options *o)
{
	unsigned long long job;

	if (o->comparison && !nr)
		return show(request_by_id(o->comparison), o);
	if (!o->comparison && nr == 1 && str_to_u64(args[0], &job))
		return show_job((long long)job, o);
	if (!o->comparison && nr == 2)
		return show(json_pack("{s:s, s:s, s:s}", "op", "compare",
				      "base", args[0], "head", args[1]),
			    o);
	return args_usage("compare", "takes a job's number, two commits, "
				     "--comparison ID, or --matrix FILE twice "
				     "or more");
}

static int compare_stored(int argc, char **argv)
{
	struct compare_options o = { .format = NULL };
	const struct arg_spec spec[] = { COMPARE_OPTION_ROWS(&o) };
	int exit_code;
	int at = args_parse(argc, argv, spec, ARRAY_SIZE(spec), &exit_code);

	if (at == ARGS_DONE)
		return exit_code;
	if (o.axes || o.runs_per_boot)
		return args_usage("compare", "--%s goes with --matrix",
				  o.axes ? "axes" : "runs-per-boot");
	exit_code = compare_options_check(&o);
	return exit_code ? exit_code : show_args(argc - at, argv + at, &o);
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
