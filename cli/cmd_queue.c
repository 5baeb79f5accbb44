// SPDX-License-Identifier: GPL-3.0-or-later
// drover queue, ping, shutdown: what the daemon is doing as a whole.
#include <stdio.h>

#include "base/mem.h"
#include "cli/args.h"
#include "cli/cli.h"
#include "cli/client.h"
#include "cli/show.h"

static const struct show_column queue_columns[] = {
	{ "JOB", "id", SHOW_INT, true, 0 },
	{ "NAME", "name", SHOW_TEXT, false, 22 },
	{ "BASE", "base", SHOW_SHA, false, 0 },
	{ "HEAD", "head", SHOW_SHA, false, 0 },
	{ "STATE", "state", SHOW_TEXT, false, 9 },
	{ "DONE", "done", SHOW_INT, true, 0 },
	{ "OF", "total", SHOW_INT, true, 0 },
	{ "ETA", "eta_s", SHOW_DURATION, true, 0 },
};

/* Of jobs that may have ended: what came out of them, not how far they are. */
static const struct show_column all_columns[] = {
	{ "JOB", "id", SHOW_INT, true, 0 },
	{ "NAME", "name", SHOW_TEXT, false, 18 },
	{ "BASE", "base", SHOW_SHA, false, 0 },
	{ "HEAD", "head", SHOW_SHA, false, 0 },
	{ "STATE", "state", SHOW_TEXT, false, 9 },
	{ "VERDICT", "verdict", SHOW_TEXT, false, 16 },
};

static void show_queue(const json_t *reply, bool all)
{
	const json_t *jobs = json_object_get(reply, "jobs");

	if (all)
		show_table(jobs, all_columns, ARRAY_SIZE(all_columns),
			   "no jobs");
	else
		show_table(jobs, queue_columns, ARRAY_SIZE(queue_columns),
			   "no jobs wait or run (--all shows finished ones)");
	if (json_opt_bool(reply, "disk_low", false) && !args_common.quiet)
		fputs("note: the daemon's disk is nearly full; nothing new is "
		      "started until there is room\n",
		      stderr);
}

int cmd_queue(int argc, char **argv)
{
	bool all = false;
	const struct arg_spec spec[] = {
		{ "all", 'a', NULL, "finished jobs too", ARG_FLAG, &all },
	};
	struct err err = { 0 };
	json_t *reply;
	int exit_code;
	int at = args_parse(argc, argv, spec, ARRAY_SIZE(spec), &exit_code);

	if (at == ARGS_DONE)
		return exit_code;
	exit_code = args_end(argc, argv, at);
	if (exit_code)
		return exit_code;
	reply = client_ask(json_pack("{s:s, s:b}", "op", "queue", "all", all),
			   &err);
	if (!reply)
		return client_fail("queue", &err);
	if (args_common.json)
		show_json(json_object_get(reply, "jobs"));
	else
		show_queue(reply, all);
	json_decref(reply);
	return 0;
}

/* A command that is one request without arguments. */
static int simple(int argc, char **argv, const char *op, const char *done)
{
	struct err err = { 0 };
	json_t *reply;
	int exit_code;
	int at = args_parse(argc, argv, NULL, 0, &exit_code);

	if (at == ARGS_DONE)
		return exit_code;
	exit_code = args_end(argc, argv, at);
	if (exit_code)
		return exit_code;
	reply = client_ask(json_pack("{s:s}", "op", op), &err);
	if (!reply)
		return client_fail(op, &err);
	if (args_common.json)
		show_json(reply);
	else if (!args_common.quiet && json_object_get(reply, "pid"))
		printf("%s (droverd %s, pid %lld)\n", done,
		       json_opt_str(reply, "version", "?"),
		       json_opt_int(reply, "pid", 0));
	else if (!args_common.quiet)
		puts(done);
	json_decref(reply);
	return 0;
}

int cmd_ping(int argc, char **argv)
{
	return simple(argc, argv, "ping", "it is there");
}

int cmd_shutdown(int argc, char **argv)
{
	return simple(argc, argv, "shutdown", "it drains and ends");
}
