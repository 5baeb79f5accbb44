// SPDX-License-Identifier: GPL-3.0-or-later
// task.json of a run as a struct, with everything checked that comes later.
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "jobs/monitor.h"
#include "runners/run.h"

static int parse_monitors(const json_t *json, struct run_spec *out,
			  struct err *err)
{
	const struct monitor *m;
	const char *name;
	json_t *list;
	json_t *item;
	size_t i;
	int ret;

	if (!json_object_get(json, "monitors"))
		return 0;
	ret = json_need_array(json, "monitors", &list, err);
	if (ret)
		return ret;
	if (json_array_size(list) > RUN_MAX_MONITORS)
		return err_set(err, ERR_LIMIT, "more than %d monitors",
			       RUN_MAX_MONITORS);
	json_array_foreach(list, i, item)
	{
		name = json_string_value(item);
		m = name ? monitor_find(name) : NULL;
		if (!m)
			return err_set(err, ERR_DATA, "no monitor '%s'",
				       name ? name : "?");
		out->monitors[i] = m->name;
	}
	return 0;
}

static bool is_hex(const char *s, size_t min, size_t max)
{
	size_t len = strlen(s);

	return len >= min && len <= max && !s[strspn(s, "0123456789abcdef")];
}

/* Identity of the attempt: number, token, commit; kernel when booting one. */
static int parse_ids(const json_t *json, struct run_spec *out, struct err *err)
{
	const char *token;
	const char *commit;
	int ret = json_need_int(json, "attempt", &out->attempt, err);

	if (!ret)
		ret = json_need_str(json, "token", &token, err);
	if (!ret)
		ret = json_need_str(json, "commit", &commit, err);
	if (ret)
		return ret;
	if (out->attempt < 0 || !is_hex(token, 8, 64))
		return err_set(err, ERR_DATA,
			       "attempt and token must be a number and 8..64 "
			       "hex digits");
	if (!is_hex(commit, 7, 64))
		return err_set(err, ERR_DATA, "commit is no hex sha");
	out->token = xstrdup(token);
	out->commit = xstrdup(commit);
	out->kernel = xstrdup(json_opt_str(json, "kernel", ""));
	out->build_id = xstrdup(json_opt_str(json, "build_id", ""));
	return 0;
}

static int parse_times(const json_t *json, struct run_spec *out,
		       struct err *err)
{
	long long runs = json_opt_int(json, "runs", 1);

	out->timeout_s = json_opt_num(
		json, "timeout_s",
		out->job.timeout_s > 0 ? (double)out->job.timeout_s : 600);
	out->boot_timeout_s = json_opt_num(json, "boot_timeout_s", 300);
	out->connect_timeout_s = json_opt_num(json, "connect_timeout_s", 30);
	out->lease_s = json_opt_num(json, "lease_s", 30);
	if (runs < 1 || runs > RUN_MAX_RUNS)
		return err_set(err, ERR_RANGE, "runs is %lld, expected 1..%d",
			       runs, RUN_MAX_RUNS);
	if (!(out->timeout_s >= 1) || !(out->boot_timeout_s >= 1) ||
	    !(out->connect_timeout_s >= 0.1) || !(out->lease_s >= 2) ||
	    out->timeout_s > 1e6 || out->boot_timeout_s > 1e6 ||
	    out->connect_timeout_s > 1e6 || out->lease_s > 1e6)
		return err_set(err, ERR_RANGE,
			       "a time limit is out of range (timeout_s, "
			       "boot_timeout_s ≥ 1, lease_s ≥ 2)");
	out->runs = (int)runs;
	return 0;
}

int run_spec_parse(const json_t *json, struct run_spec *out, struct err *err)
{
	json_t *box;
	json_t *job;
	int ret;

	memset(out, 0, sizeof(*out));
	lab_box_init(&out->box);
	job_init(&out->job);
	ret = json_need_object(json, "box", &box, err);
	if (!ret)
		ret = json_need_object(json, "job", &job, err);
	if (!ret) {
		lab_box_release(&out->box);
		ret = lab_box_from_json(box, &out->box, err);
	}
	if (!ret) {
		job_release(&out->job);
		ret = job_from_json(job, &out->job, err);
	}
	if (!ret)
		ret = parse_ids(json, out, err);
	if (!ret)
		ret = parse_monitors(json, out, err);
	if (!ret)
		ret = parse_times(json, out, err);
	return ret;
}

void run_spec_release(struct run_spec *spec)
{
	lab_box_release(&spec->box);
	job_release(&spec->job);
	free(spec->kernel);
	free(spec->build_id);
	free(spec->commit);
	free(spec->token);
	memset(spec, 0, sizeof(*spec));
}
