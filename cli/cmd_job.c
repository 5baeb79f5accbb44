// SPDX-License-Identifier: GPL-3.0-or-later
// drover job check, drover job expand: what a job file means.
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "cli/args.h"
#include "cli/cli.h"
#include "cli/show.h"
#include "jobs/job.h"

static int fail(const struct err *err)
{
	fprintf(stderr, "drover job: %s\n", err->text);
	return err_exit_code(err->code);
}

/* One line per job: its options, or only its path. */
static void print_job(const struct job *job, bool paths)
{
	struct str s = STR_INIT;

	str_add_term(&s, job->path, false);
	for (size_t i = 0; !paths && i < job->nr_params; i++) {
		const struct job_param *p = &job->params[i];

		str_addf(&s, "%s%s=", i ? " " : "\t", p->name);
		str_add_term(&s, p->value, false);
	}
	puts(s.p);
	str_release(&s);
}

static int expand(const struct job_list *list, bool paths)
{
	json_t *all;

	if (!args_common.json) {
		for (size_t i = 0; i < list->nr; i++)
			print_job(&list->v[i], paths);
		return 0;
	}
	all = json_array();
	for (size_t i = 0; i < list->nr; i++)
		json_array_append_new(all,
				      paths ? json_text(list->v[i].path,
							strlen(list->v[i].path))
					    : job_to_json(&list->v[i]));
	show_json(all);
	json_decref(all);
	return 0;
}

/* How many of the jobs can run; the first reason why others can't. */
static int check(const char *file, const struct job_list *list)
{
	struct err why = { 0 };
	size_t runnable = 0;
	json_t *result;

	for (size_t i = 0; i < list->nr; i++) {
		struct err err = { 0 };

		if (!job_check_runnable(&list->v[i], &err))
			runnable++;
		else if (!why.code)
			why = err;
	}
	if (args_common.json) {
		result =
			json_pack("{s:I,s:I,s:o}", "jobs", (json_int_t)list->nr,
				  "runnable", (json_int_t)runnable, "why",
				  json_text(why.text, strlen(why.text)));
		show_json(result);
		json_decref(result);
	} else if (!args_common.quiet) {
		printf("%s: %zu jobs, %zu of them can run\n", file, list->nr,
		       runnable);
	}
	if (why.code)
		fprintf(stderr, "drover job: %s\n", why.text);
	return runnable == list->nr ? 0 : err_exit_code(why.code);
}

int cmd_job(int argc, char **argv)
{
	bool paths = false;
	const struct arg_spec spec[] = {
		{ "paths", 0, NULL, "print only TESTCASE/VALUES", ARG_FLAG,
		  &paths },
	};
	struct job_list list = { 0 };
	struct err err = { 0 };
	bool expanding;
	int exit_code;
	int at = args_parse(argc, argv, spec, 1, &exit_code);

	if (at == ARGS_DONE)
		return exit_code;
	if (argc - at != 2)
		return args_usage("job", "expected check or expand and a file");
	expanding = !strcmp(argv[at], "expand");
	if (!expanding && strcmp(argv[at], "check") != 0)
		return args_usage("job", "\"%s\" is neither check nor expand",
				  argv[at]);
	if (job_file_expand(argv[at + 1], &list, &err))
		return fail(&err);
	exit_code =
		expanding ? expand(&list, paths) : check(argv[at + 1], &list);
	job_list_release(&list);
	return exit_code;
}
