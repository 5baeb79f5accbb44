// SPDX-License-Identifier: GPL-3.0-or-later
// drover calibrate: how a box measures, by boots of one kernel.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "cli/args.h"
#include "cli/cli.h"
#include "cli/client.h"
#include "cli/follow.h"
#include "cli/job_request.h"
#include "cli/show.h"

#define DAY_S	  86400LL
#define MIN_BOOTS 8

/* @boots 0, @layouts -1, @runs 0: as the daemon is set up. */
struct calibrate {
	const char *repo;
	const char *commit;
	const char *key;
	long long boots;
	long long layouts;
	long long runs;
	long long prio;
	bool wait;
	bool list;
	long long show;
};

static const struct show_column list_columns[] = {
	{ "ID", "id", SHOW_INT, true, 0 },
	{ "BOX", "box", SHOW_TEXT, false, 12 },
	{ "STATE", "state", SHOW_TEXT, false, 10 },
	{ "AGE", "age", SHOW_TEXT, false, 10 },
	{ "BOOTS", "nr_boots", SHOW_INT, true, 0 },
	{ "RUN SD", "sd", SHOW_TEXT, true, 8 },
	{ "JOB", "path", SHOW_TEXT, false, 28 },
};

static const struct show_column metric_columns[] = {
	{ "METRIC", "metric", SHOW_TEXT, false, 34 },
	{ "MEAN", "mean_text", SHOW_TEXT, true, 11 },
	{ "RUN SD", "sd", SHOW_TEXT, true, 8 },
	{ "BOOT SD", "boot_sd", SHOW_TEXT, true, 8 },
	{ "DRIFT", "drift", SHOW_TEXT, true, 7 },
	{ "ALARMS", "alarms", SHOW_TEXT, true, 8 },
};

/* Set @key of @row to "1.02%", "-" where the number is missing. */
static void set_pct(json_t *row, const char *key, const char *from)
{
	double ratio = json_opt_num(row, from, NAN);
	char text[32] = "-";

	if (isfinite(ratio))
		snprintf(text, sizeof(text), "%.2f%%", 100 * ratio);
	json_object_set_new(row, key, json_string(text));
}

static void set_age(json_t *row)
{
	long long age_s = clock_wall_s() - json_opt_int(row, "at_s", 0);
	struct str text = STR_INIT;

	if (!json_is_integer(json_object_get(row, "at_s")))
		str_add(&text, "-");
	else if (age_s >= 2 * DAY_S)
		str_addf(&text, "%lld days", age_s / DAY_S);
	else
		show_add_duration(&text, age_s < 0 ? 0 : age_s);
	json_object_set_new(row, "age", json_string(text.p));
	str_release(&text);
}

/* Say behind the table why those that aren't in use aren't. */
static void show_whys(const json_t *rows)
{
	const json_t *row;
	size_t i;

	json_array_foreach(rows, i, row)
	{
		const char *state = json_opt_str(row, "state", "");
		const char *why = json_opt_str(row, "why", "");

		if (!strcmp(state, "ok") || !*why)
			continue;
		printf("%lld: ", json_opt_int(row, "id", 0));
		show_sentence(stdout, why, 3);
	}
}

static int list(const char *box)
{
	struct err err = { 0 };
	json_t *request = json_pack("{s:s}", "op", "calibrations");
	json_t *reply, *rows, *row;
	size_t i;

	if (box)
		json_object_set_new(request, "box", json_string(box));
	reply = client_ask(request, &err);
	if (!reply)
		return client_fail("calibrate", &err);
	rows = json_object_get(reply, "calibrations");
	if (args_common.json) {
		show_json(rows);
	} else {
		json_array_foreach(rows, i, row)
		{
			set_age(row);
			set_pct(row, "sd", "sd_ratio");
		}
		show_table(rows, list_columns, ARRAY_SIZE(list_columns),
			   "no box has been calibrated");
		show_whys(rows);
	}
	json_decref(reply);
	return 0;
}

static void show_metrics(json_t *metrics)
{
	json_t *row;
	size_t i;

	json_array_foreach(metrics, i, row)
	{
		char text[48];

		set_pct(row, "sd", "sd_ratio");
		set_pct(row, "boot_sd", "sd_boot_ratio");
		set_pct(row, "drift", "drift_ratio");
		snprintf(text, sizeof(text), "%.6g",
			 json_opt_num(row, "mean", NAN));
		json_object_set_new(row, "mean_text", json_string(text));
		snprintf(text, sizeof(text), "%lld/%lld",
			 json_opt_int(row, "aa_alarms", 0),
			 json_opt_int(row, "aa_trials", 0));
		json_object_set_new(row, "alarms", json_string(text));
	}
	show_table(metrics, metric_columns, ARRAY_SIZE(metric_columns),
		   "nothing was measured");
}

static void show_offset(const json_t *c)
{
	double offset = json_opt_num(c, "offset_ratio", NAN);
	double layout = json_opt_num(c, "layout_sd_ratio", NAN);

	if (isfinite(offset))
		printf("  against the group's other boxes: %+.2f%%\n",
		       100 * offset);
	if (isfinite(layout))
		printf("  between code layouts: %.2f%%\n", 100 * layout);
}

static int show(long long id)
{
	struct err err = { 0 };
	json_t *reply = client_ask(json_pack("{s:s, s:I}", "op", "calibrations",
					     "id", (json_int_t)id),
				   &err);
	json_t *c = json_object_get(reply, "calibration");

	if (!reply)
		return client_fail("calibrate", &err);
	if (args_common.json) {
		show_json(c);
	} else {
		set_age(c);
		printf("calibration %lld of box %s: %s, %s old\n", id,
		       json_opt_str(c, "box", ""), json_opt_str(c, "state", ""),
		       json_opt_str(c, "age", ""));
		printf("  ");
		show_sentence(stdout, json_opt_str(c, "why", ""), 2);
		show_offset(c);
		show_metrics(json_object_get(c, "metrics"));
	}
	json_decref(reply);
	return 0;
}

/* --- doing it --- */

static json_t *options_to_json(const struct calibrate *c)
{
	json_t *o = json_pack("{s:o, s:s}", "calibrate",
			      c->boots ? json_integer(c->boots) : json_true(),
			      "bisect", "never");

	if (c->runs)
		json_object_set_new(o, "runs", json_integer(c->runs));
	if (c->layouts >= 0)
		json_object_set_new(o, "layouts", json_integer(c->layouts));
	if (c->prio)
		json_object_set_new(o, "prio", json_integer(c->prio));
	return o;
}

static json_t *make_request(const struct calibrate *c, const char *box,
			    const char *file, struct err *err)
{
	json_t *r = job_request(file, err);

	if (!r)
		return NULL;
	json_object_set_new(r, "base", json_string(c->commit));
	json_object_set_new(r, "head", json_string(c->commit));
	json_object_set_new(r, "box", json_string(box));
	if (c->repo)
		json_object_set_new(r, "repo", json_string(c->repo));
	if (c->key)
		json_object_set_new(r, "client_key", json_string(c->key));
	json_object_set_new(r, "options", options_to_json(c));
	return r;
}

/* 5 when one of the job's calibrations says that the box is not to be used. */
static int outcome(long long job, const char *box)
{
	struct err err = { 0 };
	json_t *reply = client_ask(
		json_pack("{s:s, s:s}", "op", "calibrations", "box", box),
		&err);
	int exit_code = 0;
	const json_t *row;
	size_t i;

	if (!reply)
		return client_fail("calibrate", &err);
	json_array_foreach(json_object_get(reply, "calibrations"), i, row)
	{
		const char *state = json_opt_str(row, "state", "");

		if (json_opt_int(row, "job_id", 0) != job)
			continue;
		if (strcmp(state, "ok") != 0)
			exit_code = 5;
		if (args_common.json)
			show_json(row);
		else
			show_sentence(stdout, json_opt_str(row, "why", ""), 0);
	}
	json_decref(reply);
	return exit_code;
}

static int wait_for(long long job, const char *box)
{
	struct follow_end end;
	struct err err = { 0 };

	if (follow_job(job, true, &end, &err))
		return client_fail("calibrate", &err);
	follow_say_end(job, &end);
	return strcmp(end.state, "done") != 0 ? 5 : outcome(job, box);
}

static int calibrate(const struct calibrate *c, const char *box,
		     const char *file)
{
	struct err err = { 0 };
	json_t *request = make_request(c, box, file, &err);
	json_t *reply = request ? client_ask(request, &err) : NULL;
	long long job;

	if (!reply)
		return client_fail("calibrate", &err);
	job = json_opt_int(reply, "job", 0);
	if (args_common.json)
		show_json(reply);
	else
		printf("job %lld: box %s is calibrated for %s\n", job, box,
		       file);
	fflush(stdout);
	show_warnings(json_object_get(reply, "warnings"));
	json_decref(reply);
	return c->wait ? wait_for(job, box) : 0;
}

static int check_numbers(const struct calibrate *c)
{
	if (c->boots && (c->boots < MIN_BOOTS || c->boots > 1000))
		return args_usage("calibrate", "--boots is %d to 1000",
				  MIN_BOOTS);
	if (c->runs < 0 || c->runs > 1000)
		return args_usage("calibrate", "--runs is 1 to 1000 per boot");
	if (c->layouts < -1 || c->layouts > 4)
		return args_usage("calibrate", "--layouts is 0 to 4");
	return 0;
}

int cmd_calibrate(int argc, char **argv)
{
	struct calibrate c = { .commit = "HEAD", .layouts = -1 };
	const struct arg_spec spec[] = {
		{ "boots", 0, "N",
		  "boots of the kernel (default: calibrate.boots)", ARG_INT,
		  &c.boots },
		{ "runs", 'n', "N", "runs of the benchmark in each boot",
		  ARG_INT, &c.runs },
		{ "layouts", 0, "N",
		  "more code layouts of a kernel to build (default 2)", ARG_INT,
		  &c.layouts },
		{ "repo", 0, "NAME", "repository, when there are several",
		  ARG_TEXT, &c.repo },
		{ "commit", 0, "REV", "which kernel (default HEAD)", ARG_TEXT,
		  &c.commit },
		{ "prio", 0, "N", "higher goes first (default 0)", ARG_INT,
		  &c.prio },
		{ "key", 0, "KEY", "the same key again returns the same job",
		  ARG_TEXT, &c.key },
		{ "wait", 'w', NULL, "follow it to the end", ARG_FLAG,
		  &c.wait },
		{ "list", 0, NULL, "what is known of the boxes, or of BOX",
		  ARG_FLAG, &c.list },
		{ "show", 0, "ID", "one calibration with all its metrics",
		  ARG_INT, &c.show },
	};
	int exit_code;
	int at = args_parse(argc, argv, spec, ARRAY_SIZE(spec), &exit_code);

	if (at == ARGS_DONE)
		return exit_code;
	if (c.show && at == argc)
		return show(c.show);
	if (c.list && argc - at <= 1)
		return list(argc - at == 1 ? argv[at] : NULL);
	if (c.list || c.show || argc - at != 2)
		return args_usage("calibrate",
				  "takes a box and a job file, or --list");
	exit_code = check_numbers(&c);
	return exit_code ? exit_code : calibrate(&c, argv[at], argv[at + 1]);
}
