// SPDX-License-Identifier: GPL-3.0-or-later
// drover bisect: start, look at and stop the search for a culprit.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/args.h"
#include "cli/cli.h"
#include "cli/client.h"
#include "cli/show.h"

#define MAX_SHOWN 20

enum action { START, STATUS, LOG, STOP, NR_ACTIONS };
static const char *const actions[NR_ACTIONS] = { "start", "status", "log",
						 "stop" };

static const struct show_column candidate_columns[] = {
	{ "COMMIT", "sha", SHOW_SHA, false, 0 },
	{ "PRIOR", "prior", SHOW_PROBABILITY, true, 0 },
	{ "POSTERIOR", "posterior", SHOW_PROBABILITY, true, 0 },
	{ "SUBJECT", "subject", SHOW_TEXT, false, 46 },
};

/* --- every step --- */

/* "     ab12cd34ef56 on vm0, layout 1: 1034.2 1036.9" */
static void show_boot(const json_t *ask, const json_t *result)
{
	const json_t *values = json_object_get(result, "values");
	const char *status = json_opt_str(result, "status", "under way");
	long long layout = json_opt_int(ask, "layout", 0);
	struct str line = STR_INIT;
	const json_t *v;
	size_t i;

	str_addf(&line, "     %.12s on ", json_opt_str(ask, "commit", ""));
	/* another box took it where the one asked for was away */
	str_add_term(&line,
		     json_opt_str(result, "box", json_opt_str(ask, "box", "")),
		     false);
	if (layout)
		str_addf(&line, ", layout %lld", layout);
	str_add(&line, ":");
	json_array_foreach(values, i, v)
		str_addf(&line, " %.6g", json_number_value(v));
	if (strcmp(status, "ok") != 0) {
		str_addch(&line, ' ');
		str_add_term(&line, status, false);
		if (*json_opt_str(result, "why", "")) {
			str_add(&line, ": ");
			str_add_term(&line, json_opt_str(result, "why", ""),
				     false);
		}
	}
	show_sentence(stdout, line.p, 5);
	str_release(&line);
}

static void show_step(const json_t *step)
{
	const json_t *ask = json_object_get(step, "ask");
	const json_t *results = json_object_get(step, "result");
	const json_t *boot;
	size_t i;

	printf("%3lld  ", json_opt_int(step, "seq", 0));
	if (json_is_array(results))
		show_sentence(stdout, json_opt_str(step, "note", ""), 5);
	else
		printf("%s: %zu boots asked for\n",
		       json_opt_str(ask, "phase", "?"),
		       json_array_size(json_object_get(ask, "boots")));
	json_array_foreach(json_object_get(ask, "boots"), i, boot)
		show_boot(boot, json_array_get(results, i));
}

/* What head was like without the commit that is accused. */
static void show_revert(const json_t *bisect)
{
	const json_t *revert =
		json_object_get(json_object_get(bisect, "evidence"), "revert");
	const char *say = json_opt_str(revert, "say", "");

	if (!*say)
		return;
	printf("revert on head: ");
	show_sentence(stdout, say, 2);
}

static void show_log(const json_t *bisect)
{
	const json_t *step;
	size_t i;

	json_array_foreach(json_object_get(bisect, "steps"), i, step)
		show_step(step);
	if (*json_opt_str(bisect, "why", "")) {
		show_revert(bisect);
		printf("end  ");
		show_sentence(stdout, json_opt_str(bisect, "why", ""), 5);
	}
}

/* --- where it stands --- */

/* The likely ones; the daemon sends the most likely first. */
static void show_candidates(const json_t *all)
{
	json_t *shown = json_array();
	size_t nr = json_array_size(all);
	const json_t *row;
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
	json_array_foreach(all, i, row)
	{
		const char *hot = json_opt_str(row, "hot", "");

		if (!*hot || i >= MAX_SHOWN)
			continue;
		printf("%.12s has three times the prior: ",
		       json_opt_str(row, "sha", ""));
		show_sentence(stdout, hot, 0);
	}
}

/* How many of the range's commits are out, and why. */
static void show_range(const json_t *range)
{
	static const struct {
		const char *key, *words;
	} reasons[] = {
		{ "files", "touch no file that the kernel is built from" },
		{ "merge", "are merges that change no such file" },
		{ "side", "came in through such merges only" },
		{ "same", "were built into the bits of another commit" },
	};
	const json_t *excluded = json_object_get(range, "excluded");
	long long nr = json_opt_int(range, "commits", 0);
	size_t i;

	if (!nr)
		return;
	printf("range: %lld commit%s, %lld of them candidates\n", nr,
	       nr == 1 ? "" : "s", json_opt_int(range, "left", 0));
	for (i = 0; i < ARRAY_SIZE(reasons); i++) {
		long long n = json_opt_int(excluded, reasons[i].key, 0);

		if (n)
			printf("  excluded: %lld that %s\n", n,
			       reasons[i].words);
	}
}

static void show_cost(const json_t *cost)
{
	long long unused = json_opt_int(cost, "unused", 0);

	if (!cost)
		return;
	printf("cost: %lld boots, %lld runs, %lld kernels",
	       json_opt_int(cost, "boots", 0), json_opt_int(cost, "runs", 0),
	       json_opt_int(cost, "builds", 0));
	if (unused)
		printf("; %lld more built ahead and never asked for", unused);
	putchar('\n');
}

static void show_bisect(const json_t *bisect, bool whole)
{
	const char *verdict = json_opt_str(bisect, "verdict", "");

	printf("bisect %lld: ", json_opt_int(bisect, "id", 0));
	show_text(*verdict ? verdict : json_opt_str(bisect, "state", "?"));
	show_sentence(stdout, json_opt_str(bisect, "why", ""), 0);
	show_revert(bisect);
	show_range(json_object_get(bisect, "range"));
	if (!whole)
		return;
	show_cost(json_object_get(bisect, "cost"));
	show_candidates(json_object_get(bisect, "candidates"));
}

/* --- the command --- */

/* NR_ACTIONS: there is no such action. */
static int find_action(const char *word)
{
	int i;

	for (i = 0; i < NR_ACTIONS; i++)
		if (!strcmp(actions[i], word))
			break;
	return i;
}

static json_t *make_request(int action, const char *metric, const char *repo)
{
	json_t *r = json_pack("{s:s, s:s}", "op", "bisect", "action",
			      actions[action]);

	if (metric)
		json_object_set_new(r, "metric",
				    json_text(metric, strlen(metric)));
	if (repo)
		json_object_set_new(r, "repo", json_text(repo, strlen(repo)));
	return r;
}

/* What it is about: a job's number, or two commits; 2 after an error. */
static int add_subject(json_t *r, const char *word)
{
	unsigned long long job;
	char *base, *head;

	if (str_to_u64(word, &job)) {
		json_object_set_new(r, "job", json_integer((json_int_t)job));
		return 0;
	}
	if (!strstr(word, ".."))
		return args_usage("bisect",
				  "\"%s\" is neither a job's number nor "
				  "BASE..HEAD",
				  word);
	if (args_range("bisect", word, &base, &head))
		return 2;
	json_object_set_new(r, "base", json_text(base, strlen(base)));
	json_object_set_new(r, "head", json_text(head, strlen(head)));
	free(base);
	free(head);
	return 0;
}

static int ask(json_t *request, int action)
{
	struct err err = { 0 };
	json_t *reply = client_ask(request, &err);
	const json_t *bisect = json_object_get(reply, "bisect");

	if (!reply)
		return client_fail("bisect", &err);
	if (args_common.json)
		show_json(bisect);
	else if (action == LOG)
		show_log(bisect);
	else
		show_bisect(bisect, action == STATUS);
	json_decref(reply);
	return 0;
}

int cmd_bisect(int argc, char **argv)
{
	const char *metric = NULL;
	const char *repo = NULL;
	const struct arg_spec spec[] = {
		{ "metric", 'm', "NAME",
		  "start: this one, instead of the comparison's headline",
		  ARG_TEXT, &metric },
		{ "repo", 0, "NAME", "repository, when there are several",
		  ARG_TEXT, &repo },
	};
	json_t *request;
	int exit_code;
	int action;
	int at = args_parse(argc, argv, spec, ARRAY_SIZE(spec), &exit_code);

	if (at == ARGS_DONE)
		return exit_code;
	if (argc - at != 2)
		return args_usage("bisect",
				  "takes start, status, log or stop, and a "
				  "job's number or BASE..HEAD");
	action = find_action(argv[at]);
	if (action == NR_ACTIONS)
		return args_usage("bisect",
				  "no action \"%s\"; there are start, status, "
				  "log and stop",
				  argv[at]);
	if (metric && action != START)
		return args_usage("bisect", "--metric is for start");
	request = make_request(action, metric, repo);
	if (add_subject(request, argv[at + 1])) {
		json_decref(request);
		return 2;
	}
	return ask(request, action);
}
