// SPDX-License-Identifier: GPL-3.0-or-later
// drover cancel, retry, prio: change a job that is there.
#include <stdio.h>

#include "base/mem.h"
#include "base/str.h"
#include "cli/args.h"
#include "cli/cli.h"
#include "cli/client.h"
#include "cli/job_arg.h"
#include "cli/show.h"

static int change_job(const char *op, json_t *request, const char *done)
{
	struct err err = { 0 };
	json_t *reply = client_ask(request, &err);

	if (!reply)
		return client_fail(op, &err);
	if (args_common.json)
		show_json(reply);
	else if (!args_common.quiet)
		puts(done);
	json_decref(reply);
	return 0;
}

static int one_job(int argc, char **argv, const char *done)
{
	long long job;
	int exit_code = job_arg_only(argc, argv, &job);

	if (job < 0)
		return exit_code;
	return change_job(
		argv[0],
		json_pack("{s:s, s:I}", "op", argv[0], "job", (json_int_t)job),
		done);
}

int cmd_cancel(int argc, char **argv)
{
	return one_job(argc, argv, "cancelled; what was measured stays");
}

int cmd_retry(int argc, char **argv)
{
	return one_job(argc, argv, "queued again");
}

int cmd_prio(int argc, char **argv)
{
	unsigned long long job;
	long long prio;
	int exit_code;
	int at = args_parse(argc, argv, NULL, 0, &exit_code);

	if (at == ARGS_DONE)
		return exit_code;
	if (argc - at != 2 || !str_to_u64(argv[at], &job) ||
	    !str_to_i64(argv[at + 1], &prio))
		return args_usage("prio", "takes a job's number and a "
					  "priority");
	return change_job("prio",
			  json_pack("{s:s, s:I, s:I}", "op", "prio", "job",
				    (json_int_t)job, "prio", (json_int_t)prio),
			  "changed");
}
