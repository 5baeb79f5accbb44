// SPDX-License-Identifier: GPL-3.0-or-later
// drover job check, drover job expand: what a job file means.
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "cli/args.h"
#include "cli/cli.h"
#include "cli/show.h"
#include "configs/kconfig_lint.h"
#include "configs/options.h"
#include "jobs/job.h"

#define FRAGMENT_MAX_BYTES ((size_t)1 << 20)

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

static void lint_file(const char *path, json_t *warnings, struct err *err)
{
	struct str text = STR_INIT;

	if (!file_read(path, FRAGMENT_MAX_BYTES, &text, err))
		kconfig_lint(text.p, text.len, warnings);
	str_release(&text);
}

/*
 * What the kernels that the job would run on measure besides the commits: the
 * fragments given, else those of the repositories in the settings. Those are
 * not this command's business when they can't be read.
 */
static int lint(const struct arg_list *files, json_t *warnings)
{
	struct err err = { 0 };
	struct config cfg;
	size_t i;

	for (i = 0; i < files->nr && !err.code; i++)
		lint_file(files->v[i], warnings, &err);
	if (err.code)
		return fail(&err);
	if (files->nr || config_load(&cfg, NULL, 0, NULL))
		return 0;
	for (i = 0; i < cfg.nr_repos; i++) {
		if (*cfg.repos[i].kconfig)
			lint_file(cfg.repos[i].kconfig, warnings, NULL);
	}
	config_release(&cfg);
	return 0;
}

/* How many of the jobs can run; the first reason why others can't. */
static int check(const char *file, const struct job_list *list,
		 const json_t *warnings)
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
		result = json_pack("{s:I,s:I,s:o,s:O}", "jobs",
				   (json_int_t)list->nr, "runnable",
				   (json_int_t)runnable, "why",
				   json_text(why.text, strlen(why.text)),
				   "warnings", warnings);
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
	struct arg_list kconfig = { .nr = 0 };
	const struct arg_spec spec[] = {
		{ "paths", 0, NULL, "print only TESTCASE/VALUES", ARG_FLAG,
		  &paths },
		{ "kconfig", 0, "FILE",
		  "check: warn of options in this fragment; repeatable",
		  ARG_LIST, &kconfig },
	};
	json_t *warnings;
	struct job_list list = { 0 };
	struct err err = { 0 };
	bool expanding;
	int exit_code;
	int at = args_parse(argc, argv, spec, ARRAY_SIZE(spec), &exit_code);

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
	warnings = json_array();
	exit_code = expanding ? expand(&list, paths) : lint(&kconfig, warnings);
	if (!expanding && !exit_code) {
		exit_code = check(argv[at + 1], &list, warnings);
		show_warnings(warnings);
	}
	json_decref(warnings);
	job_list_release(&list);
	return exit_code;
}
