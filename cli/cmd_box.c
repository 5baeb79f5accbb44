// SPDX-License-Identifier: GPL-3.0-or-later
// drover box, drover repo: what the lab consists of.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "cli/args.h"
#include "cli/cli.h"
#include "cli/client.h"
#include "cli/show.h"
#include "configs/lab.h"

static const struct show_column box_columns[] = {
	{ "BOX", "name", SHOW_TEXT, false, 14 },
	{ "GROUP", "tbox_group", SHOW_TEXT, false, 14 },
	{ "TAGS", "tags", SHOW_TEXT, false, 14 },
	{ "STATE", "state", SHOW_TEXT, false, 12 },
	{ "WHY", "why", SHOW_TEXT, false, 20 },
};

static const struct show_column repo_columns[] = {
	{ "REPO", "name", SHOW_TEXT, false, 14 },
	{ "BRANCH", "branch", SHOW_TEXT, false, 14 },
	{ "PATH", "path", SHOW_TEXT, false, 46 },
};

/* Ask, and print the member @list of the reply as a table. */
static int ask_list(const char *command, json_t *request, const char *list,
		    const struct show_column *columns, size_t nr)
{
	struct err err = { 0 };
	json_t *reply = client_ask(request, &err);

	if (!reply)
		return client_fail(command, &err);
	if (args_common.json)
		show_json(json_object_get(reply, list));
	else
		show_table(json_object_get(reply, list), columns, nr,
			   "none yet");
	json_decref(reply);
	return 0;
}

static void show_line(const char *key, const char *text)
{
	if (!*text)
		return;
	printf("  %-9s", key);
	show_sentence(stdout, text, 11);
}

/* "ssh root@192.0.2.11 port 22, boots by kexec"; owned by the caller. */
static char *reached_by(const json_t *spec)
{
	const json_t *boot = json_object_get(spec, "boot");
	const char *method = json_opt_str(boot, "method", "none");

	if (strcmp(json_opt_str(spec, "backend", "ssh"), "ssh") != 0)
		return xasprintf(
			"not at all: its results are scripted (backend "
			"%s)",
			json_opt_str(spec, "backend", ""));
	if (!strcmp(method, "qemu"))
		return xasprintf("QEMU: %lld nodes, %lld CPUs, %lld MiB a node",
				 json_opt_int(boot, "nodes", 0),
				 json_opt_int(boot, "cpus", 0),
				 json_opt_int(boot, "memory_mib", 0));
	return xasprintf("SSH: %s@%s port %lld, boots by %s",
			 json_opt_str(spec, "user", ""),
			 json_opt_str(spec, "address", ""),
			 json_opt_int(spec, "port", 22), method);
}

/* "2 nodes, 96 CPUs, 512 GiB, MODEL", "" when no run has told yet. */
static char *hardware(const json_t *hw)
{
	if (!json_object_size(hw))
		return xstrdup("not known before its first run");
	return xasprintf("%lld nodes, %lld CPUs, %.1f GiB, %s",
			 json_opt_int(hw, "nodes", 0),
			 json_opt_int(hw, "nr_cpus", 0),
			 (double)json_opt_int(hw, "memory_kib", 0) / 1048576,
			 json_opt_str(hw, "model", ""));
}

/* "stress-ng/pipe: ok, 3 days old, one run ±1.02%" */
static void show_calibrations(const json_t *rows)
{
	const json_t *row;
	size_t i;

	if (!json_array_size(rows))
		show_line("noise", "not calibrated (drover calibrate)");
	json_array_foreach(rows, i, row)
	{
		const char *state = json_opt_str(row, "state", "");
		long long age_s = clock_wall_s() - json_opt_int(row, "at_s", 0);
		struct str line = STR_INIT;

		str_addf(&line, "%s: calibration %s",
			 json_opt_str(row, "path", ""), state);
		if (json_is_integer(json_object_get(row, "at_s"))) {
			str_add(&line, ", ");
			show_add_duration(&line, age_s < 0 ? 0 : age_s);
			str_add(&line, " old");
		}
		if (*json_opt_str(row, "why", ""))
			str_addf(&line, "; %s", json_opt_str(row, "why", ""));
		show_line("noise", line.p);
		str_release(&line);
	}
}

static void show_box(const json_t *box)
{
	const json_t *spec = json_object_get(box, "spec");
	char *reached = reached_by(spec);
	char *hw = hardware(json_object_get(box, "hw"));
	char *work = xasprintf("%lld boots queued, %lld failures of the lab in "
			       "a row",
			       json_opt_int(box, "queued", 0),
			       json_opt_int(box, "infra_failures", 0));

	show_line("what", json_opt_str(spec, "description", ""));
	show_line("group", json_opt_str(box, "tbox_group", ""));
	show_line("tags", json_opt_str(box, "tags", ""));
	show_line("reached", reached);
	show_line("hardware", hw);
	show_line("work", work);
	show_calibrations(json_object_get(box, "calibrations"));
	free(reached);
	free(hw);
	free(work);
}

/* Ask about or change one box; @whole: all that is known of it. */
static int ask_one(const char *op, const char *name, bool whole)
{
	struct err err = { 0 };
	json_t *reply = client_ask(
		json_pack("{s:s, s:s}", "op", op, "box", name), &err);
	const json_t *box = json_object_get(reply, "box");

	if (!reply)
		return client_fail("box", &err);
	if (args_common.json) {
		show_json(box);
	} else {
		printf("box %s: %s\n", name, json_opt_str(box, "state", "?"));
		show_line("why", json_opt_str(box, "why", ""));
		if (whole)
			show_box(box);
	}
	json_decref(reply);
	return 0;
}

static int add_boxes(const char *file, bool replace)
{
	struct err err = { 0 };
	struct lab lab;
	size_t i;
	int rc = lab_read(file, &lab, &err);

	for (i = 0; i < lab.nr && !rc; i++) {
		json_t *reply = client_ask(
			json_pack("{s:s, s:o, s:b}", "op", "box_add", "spec",
				  lab_box_to_json(&lab.boxes[i]), "replace",
				  replace),
			&err);

		if (reply && args_common.json)
			show_json(json_object_get(reply, "box"));
		else if (reply && !args_common.quiet)
			printf("box %s added\n", lab.boxes[i].name);
		rc = reply ? 0 : err.code;
		json_decref(reply);
	}
	lab_release(&lab);
	return rc ? client_fail("box", &err) : 0;
}

int cmd_box(int argc, char **argv)
{
	bool replace = false;
	const struct arg_spec spec[] = {
		{ "replace", 0, NULL, "add: replace boxes that are there",
		  ARG_FLAG, &replace },
	};
	static const char *const by_name[] = { "show", "drain", "resume",
					       "undrain" };
	static const char *const ops[] = { "box_show", "box_drain",
					   "box_undrain", "box_undrain" };
	int exit_code;
	size_t i;
	int at = args_parse(argc, argv, spec, ARRAY_SIZE(spec), &exit_code);

	if (at == ARGS_DONE)
		return exit_code;
	if (argc - at == 1 && !strcmp(argv[at], "list"))
		return ask_list("box", json_pack("{s:s}", "op", "box_list"),
				"boxes", box_columns, ARRAY_SIZE(box_columns));
	if (argc - at == 2 && !strcmp(argv[at], "add"))
		return add_boxes(argv[at + 1], replace);
	for (i = 0; i < ARRAY_SIZE(by_name) && argc - at == 2; i++)
		if (!strcmp(argv[at], by_name[i]))
			return ask_one(ops[i], argv[at + 1], i == 0);
	return args_usage("box", "takes list, add FILE, show NAME, drain NAME "
				 "or resume NAME");
}

/* Repositories are opened by the daemon, in another working folder. */
static json_t *absolute(const char *path)
{
	char full[PATH_MAX];

	return json_string(realpath(path, full) ? full : path);
}

int cmd_repo(int argc, char **argv)
{
	const char *url = "";
	const char *branch = "";
	struct arg_list kconfig = { .nr = 0 };
	const struct arg_spec spec[] = {
		{ "url", 0, "URL", "what readers of reports are told", ARG_TEXT,
		  &url },
		{ "branch", 0, "NAME", "its branch, for reports", ARG_TEXT,
		  &branch },
		{ "kconfig", 0, "FILE",
		  "kconfig fragment; repeatable, later ones win", ARG_LIST,
		  &kconfig },
	};
	json_t *files = json_array();
	json_t *request;
	int exit_code;
	size_t i;
	int at = args_parse(argc, argv, spec, ARRAY_SIZE(spec), &exit_code);

	for (i = 0; i < kconfig.nr; i++)
		json_array_append_new(files, absolute(kconfig.v[i]));
	if (at != ARGS_DONE && argc - at == 3 && !strcmp(argv[at], "add"))
		request = json_pack("{s:s, s:s, s:o, s:s, s:s, s:O}", "op",
				    "repo_add", "name", argv[at + 1], "path",
				    absolute(argv[at + 2]), "url", url,
				    "branch", branch, "kconfig", files);
	else if (at != ARGS_DONE && argc - at == 1 && !strcmp(argv[at], "list"))
		request = json_pack("{s:s}", "op", "repo_list");
	else
		request = NULL;
	json_decref(files);
	if (at == ARGS_DONE)
		return exit_code;
	if (!request)
		return args_usage("repo", "takes list, or add NAME PATH");
	return ask_list("repo", request, "repos", repo_columns,
			ARRAY_SIZE(repo_columns));
}
