// SPDX-License-Identifier: GPL-3.0-or-later
// The straight line of one boot: task → box → runs → result.
#include "runners/run.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "runners/backend.h"
#include "runners/probe.h"
#include "runners/ssh.h"

void run_progress(struct run *run, const char *stage, const char *text)
{
	if (!run->task)
		return;
	task_progress(run->task, stage, "%s", text);
	task_log(run->task, "%s %s", stage, text);
}

static json_t *metrics_to_json(const struct metric_set *set)
{
	json_t *all = json_object();
	size_t i;

	for (i = 0; i < set->nr; i++)
		json_object_set_new(all, set->v[i].name,
				    json_real(set->v[i].value));
	return all;
}

static json_t *failures_to_json(const struct metric_set *set)
{
	json_t *all = json_array();
	size_t i;

	for (i = 0; i < set->nr_failures; i++)
		json_array_append_new(all, json_string(set->failures[i]));
	return all;
}

static json_t *sample_to_json(int seq, const struct run_sample *s)
{
	json_t *j = json_object();

	json_object_set_new(j, "seq", json_integer(seq));
	json_object_set_new(j, "status",
			    json_string(s->failed ? "failed" : "done"));
	json_object_set_new(j, "why", json_text(s->why, strlen(s->why)));
	json_object_set_new(j, "started_s", json_integer(s->started_s));
	json_object_set_new(j, "seconds", json_real(s->seconds));
	json_object_set_new(j, "metrics", metrics_to_json(&s->set));
	json_object_set_new(j, "failures", failures_to_json(&s->set));
	return j;
}

static void add_text(json_t *to, const char *key, const char *text)
{
	json_object_set_new(to, key, json_text(text, strlen(text)));
}

static void add_facts(json_t *payload, const struct run_facts *f)
{
	json_t *boot = json_object();
	json_t *hw = json_object();

	add_text(boot, "boot_id", f->boot_id);
	add_text(boot, "build_id", f->build_id);
	json_object_set_new(boot, "booted_s", json_integer(f->booted_s));
	json_object_set_new(boot, "boot_seconds", json_real(f->boot_seconds));
	json_object_set(boot, "invariants", f->invariants);
	add_text(hw, "model", f->model);
	json_object_set_new(hw, "nr_cpus", json_integer(f->nr_cpus));
	json_object_set_new(hw, "nodes", json_integer(f->nr_nodes));
	json_object_set_new(hw, "memory_kib", json_integer(f->memory_kib));
	add_text(hw, "kernel", f->kernel);
	json_object_set_new(payload, "boot", boot);
	json_object_set_new(payload, "hw", hw);
}

/* Counts of one boot: how many runs gave numbers, and why the last didn't. */
struct outcome {
	int done;
	char why[1024];
};

static int one_run(struct run *run, const struct backend *backend, int seq,
		   struct outcome *outcome, json_t *runs)
{
	struct run_sample sample = { 0 };
	struct err err = { 0 };
	int ret;

	metric_set_init(&sample.set);
	ret = backend->exec(run, seq, &sample, &err);
	if (ret) {
		memcpy(outcome->why, err.text, sizeof(outcome->why));
		metric_set_release(&sample.set);
		return ret;
	}
	if (sample.failed)
		memcpy(outcome->why, sample.why, sizeof(outcome->why));
	else
		outcome->done++;
	json_array_append_new(runs, sample_to_json(seq, &sample));
	ret = sample.last;
	metric_set_release(&sample.set);
	return ret;
}

/* All runs of the boot. An error of the box ends it; a crash does quietly. */
static int all_runs(struct run *run, const struct backend *backend,
		    json_t *payload, struct err *err)
{
	struct outcome outcome = { 0 };
	json_t *runs = json_array();
	int ret = 0;
	int seq;

	json_object_set_new(payload, "runs", runs);
	for (seq = 0; seq < run->spec->runs && !ret; seq++) {
		if (task_stopped())
			return err_set(err, ERR_INFRA, "stopped before run %d",
				       seq);
		if (run->task)
			task_progress(run->task, "running", "run %d of %d: %s",
				      seq + 1, run->spec->runs,
				      run->spec->job.path);
		ret = one_run(run, backend, seq, &outcome, runs);
	}
	if (ret < 0)
		return err_set(err, ret, "%s", outcome.why);
	if (!outcome.done)
		return err_set(err, ERR_BENCH, "%s", outcome.why);
	return 0;
}

static int whole_boot(struct run *run, json_t *payload, struct err *err)
{
	const struct backend *backend = backend_find(run->spec->box.backend);
	struct run_facts facts = { 0 };
	int ret;

	ret = backend->open(run, &facts, err);
	if (!ret) {
		add_facts(payload, &facts);
		ret = all_runs(run, backend, payload, err);
	}
	/* the payload shares the invariants */
	if (!ret && backend->again)
		ret = backend->again(run, &facts, err);
	backend->close(run);
	run_facts_release(&facts);
	return ret;
}

int run_task(struct task *task, json_t **payload, struct err *err)
{
	struct run_spec spec;
	struct run run = { .spec = &spec, .task = task };
	int ret;

	*payload = json_object();
	task_log(task, "drover-run %s, %s", DROVER_VERSION, ssh_library());
	ret = run_spec_parse(task->spec, &spec, err);
	if (ret)
		err_wrap(err, "%s/task.json", task->dir);
	else
		ret = whole_boot(&run, *payload, err);
	run_spec_release(&spec);
	return ret;
}
