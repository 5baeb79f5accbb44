// SPDX-License-Identifier: GPL-3.0-or-later
// drover bisect: start, look at and stop the search for a culprit.
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "cli/args.h"
#include "cli/cli.h"
#include "cli/client.h"
#include "cli/show.h"

#define MAX_SHOWN 20

static const struct show_column candidate_columns[] = {
	{ "COMMIT", "sha", SHOW_SHA, false, 0 },
	{ "PRIOR", "prior", SHOW_PROBABILITY, true, 0 },
	{ "POSTERIOR", "posterior", SHOW_PROBABILITY, true, 0 },
	{ "SUBJECT", "subject", SHOW_TEXT, false, 46 },
};

static void show_steps(const json_t *bisect)
{
	const json_t *step;
	size_t i;

	json_array_foreach(json_object_get(bisect, "steps"), i, step)
	{
		printf("%3lld  ", json_opt_int(step, "seq", 0));
		show_sentence(stdout, json_opt_str(step, "note", ""), 5);
	}
}

/* The likely ones; the daemon sends the most likely first. */
static void show_candidates(const json_t *all)
{
	json_t *shown = json_array();
	size_t nr = json_array_size(all);
	size_t i;

	for (i = 0; i < nr && i < MAX_SHOWN; i++)
		json_array_append(shown, json_array_get(all, i));
	putchar('\n');
	show_table(shown, candidate_columns, ARRAY_SIZE(candidate_columns),
		   "no candidates yet");
	if (nr > MAX_SHOWN)
		printf("and %zu less likely ones (--json has more)\n",
		       nr - MAX_SHOWN);
	json_decref(shown);
}

static void show_bisect(const json_t *bisect, bool with_candidates)
{
	const char *verdict = json_opt_str(bisect, "verdict", "");

	printf("bisect %lld: ", json_opt_int(bisect, "id", 0));
	show_text(*verdict ? verdict : json_opt_str(bisect, "state", "?"));
	show_sentence(stdout, json_opt_str(bisect, "why", ""), 0);
	if (with_candidates)
		show_candidates(json_object_get(bisect, "candidates"));
}

int cmd_bisect(int argc, char **argv)
{
	static const char *const actions[] = { "start", "status", "log",
					       "stop" };
	struct err err = { 0 };
	unsigned long long job;
	const json_t *bisect;
	json_t *reply;
	int exit_code;
	size_t i;
	int at = args_parse(argc, argv, NULL, 0, &exit_code);

	if (at == ARGS_DONE)
		return exit_code;
	if (argc - at != 2)
		return args_usage("bisect", "takes start, status, log or stop, "
					    "and a job's number");
	for (i = 0; i < ARRAY_SIZE(actions); i++)
		if (!strcmp(actions[i], argv[at]))
			break;
	if (i == ARRAY_SIZE(actions))
		return args_usage("bisect",
				  "no action \"%s\"; there are "
				  "start, status, log and stop",
				  argv[at]);
	if (!str_to_u64(argv[at + 1], &job))
		return args_usage("bisect", "\"%s\" is not a job's number",
				  argv[at + 1]);
	reply = client_ask(json_pack("{s:s, s:s, s:I}", "op", "bisect",
				     "action", actions[i], "job",
				     (json_int_t)job),
			   &err);
	if (!reply)
		return client_fail("bisect", &err);
	bisect = json_object_get(reply, "bisect");
	if (args_common.json)
		show_json(bisect);
	else if (i == 2)
		show_steps(bisect);
	else
		show_bisect(bisect, i == 1);
	json_decref(reply);
	return 0;
}
