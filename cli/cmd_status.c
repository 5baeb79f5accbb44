// SPDX-License-Identifier: GPL-3.0-or-later
// drover status, watch, log: one job, now, from now on, and so far.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "cli/args.h"
#include "cli/cli.h"
#include "cli/client.h"
#include "cli/follow.h"
#include "cli/job_arg.h"
#include "cli/show.h"

static const struct show_column comparison_columns[] = {
	{ "COMPARISON", "id", SHOW_INT, true, 0 },
	{ "TEST", "path", SHOW_TEXT, false, 34 },
	{ "BOX", "tbox_group", SHOW_TEXT, false, 12 },
	{ "STATE", "state", SHOW_TEXT, false, 9 },
	{ "VERDICT", "verdict", SHOW_TEXT, false, 12 },
};

static const struct show_column running_columns[] = {
	{ "WHERE", "box", SHOW_TEXT, false, 14 },
	{ "COMMIT", "commit", SHOW_SHA, false, 0 },
	{ "STAGE", "stage", SHOW_TEXT, false, 10 },
	{ "", "text", SHOW_TEXT, false, 38 },
};

/* A reason that wasn't given yet: those of job, comparison, bisection repeat.
 */
static void add_why(struct str *said, const char *why)
{
	if (!*why || strstr(said->p, why))
		return;
	str_addf(said, "%s\n", why);
	show_sentence(stdout, why, 0);
}

static void show_whys(const json_t *reply)
{
	static const char *const lists[] = { "comparisons", "bisects" };
	struct str said = STR_INIT;
	const json_t *row;
	size_t i;
	size_t k;

	add_why(&said, json_opt_str(json_object_get(reply, "job"), "why", ""));
	for (k = 0; k < ARRAY_SIZE(lists); k++)
		json_array_foreach(json_object_get(reply, lists[k]), i, row)
			add_why(&said, json_opt_str(row, "why", ""));
	str_release(&said);
}

static void show_left(const json_t *job)
{
	const char *state = json_opt_str(job, "state", "");
	struct str eta = STR_INIT;

	if (strcmp(state, "queued") != 0 && strcmp(state, "running") != 0) {
		putchar('\n');
		return;
	}
	show_add_duration(&eta, json_opt_int(job, "eta_s", -1));
	if (json_opt_int(job, "eta_s", -1) < 0)
		puts("; time left not known yet");
	else
		printf("; about %s left\n", eta.p);
	str_release(&eta);
}

static void show_head(const json_t *job, const json_t *plans)
{
	struct str name = STR_INIT;

	str_add_term(&name, json_opt_str(job, "name", ""), false);
	printf("job %lld (%s): %s, %.12s..%.12s\n", json_opt_int(job, "id", 0),
	       json_opt_str(job, "state", "?"), name.p,
	       json_opt_str(job, "base", ""), json_opt_str(job, "head", ""));
	str_release(&name);
	printf("boots: %lld done, %lld running, %lld queued, %lld failed",
	       json_opt_int(plans, "done", 0), json_opt_int(plans, "leased", 0),
	       json_opt_int(plans, "queued", 0),
	       json_opt_int(plans, "failed", 0));
	show_left(job);
}

static void show_status(const json_t *reply)
{
	const json_t *running = json_object_get(reply, "running");

	show_head(json_object_get(reply, "job"),
		  json_object_get(reply, "plans"));
	if (json_array_size(running)) {
		putchar('\n');
		show_table(running, running_columns,
			   ARRAY_SIZE(running_columns), "");
	}
	putchar('\n');
	show_table(json_object_get(reply, "comparisons"), comparison_columns,
		   ARRAY_SIZE(comparison_columns), "no comparisons");
	show_whys(reply);
}

int cmd_status(int argc, char **argv)
{
	struct err err = { 0 };
	long long job;
	json_t *reply;
	int exit_code = job_arg_only(argc, argv, &job);

	if (job < 0)
		return exit_code;
	reply = client_ask(
		json_pack("{s:s, s:I}", "op", "status", "job", (json_int_t)job),
		&err);
	if (!reply)
		return client_fail("status", &err);
	if (args_common.json)
		show_json(reply);
	else
		show_status(reply);
	json_decref(reply);
	return 0;
}

int cmd_watch(int argc, char **argv)
{
	struct follow_end end;
	struct err err = { 0 };
	bool regression_exit = false;
	const struct arg_spec spec[] = {
		{ "exit-code", 0, NULL, "exit 1 when it is a regression",
		  ARG_FLAG, &regression_exit },
	};
	long long job;
	int exit_code = job_arg_parse(argc, argv, spec, ARRAY_SIZE(spec), &job);

	if (job < 0)
		return exit_code;
	if (follow_job(job, false, &end, &err))
		return client_fail("watch", &err);
	follow_say_end(job, &end);
	if (strcmp(end.state, "done") != 0)
		return 5;
	return regression_exit && !strcmp(end.verdict, "regression");
}

static void show_events(const json_t *events)
{
	const json_t *e;
	size_t i;

	json_array_foreach(events, i, e)
	{
		char iso[CLOCK_ISO_BYTES];

		clock_to_iso(json_opt_int(e, "at_s", 0), iso);
		printf("%s  ", iso);
		show_sentence(stdout, json_opt_str(e, "text", ""), 22);
	}
}

/* All events of a job, asked for page by page; NULL on error. */
static json_t *all_events(long long job, struct err *err)
{
	json_t *all = json_array();
	long long last = 0;
	size_t nr;

	do {
		json_t *reply =
			client_ask(json_pack("{s:s, s:I, s:I}", "op", "log",
					     "job", (json_int_t)job,
					     "from_event", (json_int_t)last),
				   err);
		json_t *events = json_object_get(reply, "events");

		if (!reply) {
			json_decref(all);
			return NULL;
		}
		nr = json_array_size(events);
		last = json_opt_int(json_array_get(events, nr ? nr - 1 : 0),
				    "id", last);
		json_array_extend(all, events);
		json_decref(reply);
	} while (nr);
	return all;
}

int cmd_log(int argc, char **argv)
{
	bool follow = false;
	const struct arg_spec spec[] = {
		{ "follow", 'f', NULL, "go on with what happens from now on",
		  ARG_FLAG, &follow },
	};
	struct follow_end end;
	struct err err = { 0 };
	long long job;
	json_t *events;
	int exit_code = job_arg_parse(argc, argv, spec, ARRAY_SIZE(spec), &job);

	if (job < 0)
		return exit_code;
	if (follow)
		return follow_job(job, false, &end, &err)
			       ? client_fail("log", &err)
			       : 0;
	events = all_events(job, &err);
	if (!events)
		return client_fail("log", &err);
	if (args_common.json)
		show_json(events);
	else
		show_events(events);
	json_decref(events);
	return 0;
}
