// SPDX-License-Identifier: GPL-3.0-or-later
// drover submit: hand a commit pair and job files to the daemon.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/args.h"
#include "cli/cli.h"
#include "cli/client.h"
#include "cli/follow.h"
#include "cli/job_request.h"
#include "cli/show.h"

/* What the command line said; 0 in the numbers: the daemon's default. */
struct submit {
	const char *repo, *box, *tag, *in_reply_to, *key;
	struct arg_list files, cc;
	long long runs, pairs, prio;
	bool no_bisect, dry_run, wait, exit_code;
	char *base, *head;
	json_t *request[ARG_LIST_MAX]; /* one for each file */
	long long job[ARG_LIST_MAX];   /* what became of it; 0: nothing yet */
};

static json_t *list_to_json(const struct arg_list *list)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < list->nr; i++)
		json_array_append_new(array, json_string(list->v[i]));
	return array;
}

static json_t *options_to_json(const struct submit *s)
{
	json_t *o = json_object();

	if (s->pairs)
		json_object_set_new(o, "pairs", json_integer(s->pairs));
	if (s->runs)
		json_object_set_new(o, "runs", json_integer(s->runs));
	if (s->in_reply_to)
		json_object_set_new(o, "in_reply_to",
				    json_string(s->in_reply_to));
	json_object_set_new(o, "prio", json_integer(s->prio));
	json_object_set_new(o, "cc", list_to_json(&s->cc));
	json_object_set_new(o, "bisect",
			    json_string(s->no_bisect ? "never" : "auto"));
	json_object_set_new(o, "dry_run", json_boolean(s->dry_run));
	return o;
}

static void set_text(json_t *o, const char *key, const char *text)
{
	if (text)
		json_object_set_new(o, key, json_string(text));
}

static json_t *make_request(const struct submit *s, const char *file,
			    struct err *err)
{
	json_t *r = job_request(file, err);

	if (!r)
		return NULL;
	set_text(r, "base", s->base);
	set_text(r, "head", s->head);
	set_text(r, "repo", s->repo);
	set_text(r, "box", s->box);
	set_text(r, "tag", s->tag);
	set_text(r, "client_key", s->key);
	json_object_set_new(r, "options", options_to_json(s));
	return r;
}

static void say_submitted(const struct submit *s, const json_t *reply,
			  const char *file)
{
	const char *note = json_opt_str(reply, "note", "");
	size_t nr = json_array_size(json_object_get(reply, "comparisons"));

	if (args_common.json) {
		show_json(reply);
		return;
	}
	if (s->dry_run)
		printf("%s: would be %zu comparison%s\n", file, nr,
		       nr == 1 ? "" : "s");
	else
		printf("job %lld: %s, %zu comparison%s\n",
		       json_opt_int(reply, "job", 0), file, nr,
		       nr == 1 ? "" : "s");
	if (*note && !args_common.quiet) {
		struct str safe = STR_INIT;

		str_add_term(&safe, note, false);
		fprintf(stderr, "note: %s\n", safe.p);
		str_release(&safe);
	}
	show_warnings(json_object_get(reply, "warnings"));
	fflush(stdout);
}

static int wait_for(const struct submit *s, long long job)
{
	struct follow_end end;
	struct err err = { 0 };

	if (follow_job(job, true, &end, &err))
		return client_fail("submit", &err);
	follow_say_end(job, &end);
	if (strcmp(end.state, "done") != 0)
		return 5;
	return s->exit_code && !strcmp(end.verdict, "regression");
}

static int submit_file(struct submit *s, size_t i)
{
	struct err err = { 0 };
	json_t *reply = client_ask(s->request[i], &err);

	s->request[i] = NULL; /* taken */
	if (!reply)
		return client_fail("submit", &err);
	say_submitted(s, reply, s->files.v[i]);
	s->job[i] = json_opt_int(reply, "job", 0);
	json_decref(reply);
	return 0;
}

/*
 * Every file is read before the first is submitted, and all are submitted
 * before the first is waited for: a mistake in one leaves nothing half done.
 */
static int submit_all(struct submit *s)
{
	struct err err = { 0 };
	int exit_code = 0;
	size_t i;

	for (i = 0; i < s->files.nr; i++) {
		s->request[i] = make_request(s, s->files.v[i], &err);
		if (!s->request[i])
			return client_fail("submit", &err);
	}
	for (i = 0; i < s->files.nr && !exit_code; i++)
		exit_code = submit_file(s, i);
	for (i = 0; i < s->files.nr && s->wait && !s->dry_run; i++) {
		int rc = s->job[i] ? wait_for(s, s->job[i]) : 0;

		exit_code = rc > exit_code ? rc : exit_code;
	}
	return exit_code;
}

static void release(struct submit *s)
{
	size_t i;

	for (i = 0; i < s->files.nr; i++)
		json_decref(s->request[i]);
	free(s->base);
	free(s->head);
}

static int check_numbers(const struct submit *s)
{
	if (s->runs < 0 || s->runs > 1000)
		return args_usage("submit", "--runs is 1 to 1000 per boot");
	if (s->pairs < 0 || s->pairs > 200)
		return args_usage("submit", "--pairs is 1 to 200");
	if (!s->files.nr)
		return args_usage("submit", "which job file? (-j FILE)");
	if (s->key && s->files.nr > 1)
		return args_usage("submit", "--key stands for one job: give "
					    "one -j FILE with it");
	return 0;
}

int cmd_submit(int argc, char **argv)
{
	struct submit s = { 0 };
	const struct arg_spec spec[] = {
		{ "job", 'j', "FILE", "job file (LKP YAML); may be repeated",
		  ARG_LIST, &s.files },
		{ "repo", 0, "NAME", "repository, when there are several",
		  ARG_TEXT, &s.repo },
		{ "box", 'b', "NAME", "run on this box", ARG_TEXT, &s.box },
		{ "tag", 't', "TAG", "run on boxes with this tag", ARG_TEXT,
		  &s.tag },
		{ "runs", 'n', "N", "runs of the benchmark in each boot",
		  ARG_INT, &s.runs },
		{ "pairs", 0, "N", "boots of each side to begin with", ARG_INT,
		  &s.pairs },
		{ "prio", 0, "N", "higher goes first (default 0)", ARG_INT,
		  &s.prio },
		{ "cc", 0, "ADDRESS", "also mail the report there; repeatable",
		  ARG_LIST, &s.cc },
		{ "in-reply-to", 0, "ID", "mail the report into this thread",
		  ARG_TEXT, &s.in_reply_to },
		{ "key", 0, "KEY", "the same key again returns the same job",
		  ARG_TEXT, &s.key },
		{ "no-bisect", 0, NULL, "only compare", ARG_FLAG,
		  &s.no_bisect },
		{ "dry-run", 0, NULL, "check everything, queue nothing",
		  ARG_FLAG, &s.dry_run },
		{ "wait", 'w', NULL, "follow it to the end", ARG_FLAG,
		  &s.wait },
		{ "exit-code", 0, NULL, "with --wait: exit 1 on a regression",
		  ARG_FLAG, &s.exit_code },
	};
	int exit_code;
	int at = args_parse(argc, argv, spec, ARRAY_SIZE(spec), &exit_code);

	if (at == ARGS_DONE)
		return exit_code;
	if (argc - at != 1)
		return args_usage("submit", "which commits? (BASE..HEAD)");
	exit_code = check_numbers(&s);
	if (!exit_code)
		exit_code = args_range("submit", argv[at], &s.base, &s.head);
	if (!exit_code)
		exit_code = submit_all(&s);
	release(&s);
	return exit_code;
}
