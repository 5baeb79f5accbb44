// SPDX-License-Identifier: GPL-3.0-or-later
// drover compare: two commits' samples side by side, out of the database.
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "cli/args.h"
#include "cli/cli.h"
#include "cli/client.h"
#include "cli/compare_view.h"

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
	if (o.axes || o.runs_per_boot)
		return args_usage("compare", "--%s goes with --matrix",
				  o.axes ? "axes" : "runs-per-boot");
	exit_code = compare_options_check(&o);
	if (exit_code)
		return exit_code;
	request = request_from_args(argc - at, argv + at);
	if (!request)
		return 2;
	reply = client_ask(request, &err);
	if (!reply || compare_view_from_reply(&v, reply, &err))
		exit_code = client_fail("compare", &err);
	else
		exit_code = compare_view_print(&v, &o);
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
