/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One boot of one kernel on one box, and the runs of a job in it: what
 * drover-run does with its task. docs/protocol.md has the JSON.
 */
#ifndef RUNNERS_RUN_H
#define RUNNERS_RUN_H

#include <stdbool.h>

#include "base/err.h"
#include "base/json.h"
#include "configs/lab.h"
#include "jobs/job.h"
#include "jobs/metric.h"
#include "runners/task.h"

#define RUN_MAX_RUNS	 1000
#define RUN_MAX_MONITORS 48

/*
 * task.json as a struct. @kernel, @build_id "" for boot method none; @monitors
 * names of jobs/monitor.h, NULL-terminated. Times in seconds: one run, from
 * starting the machine to its SSH, to connect, how long a run lives on the box
 * without us.
 */
struct run_spec {
	struct lab_box box;
	struct job job;
	char *kernel;
	char *build_id;
	char *commit;
	char *token;
	long long attempt;
	int runs;
	const char *monitors[RUN_MAX_MONITORS + 1];
	double timeout_s;
	double boot_timeout_s;
	double connect_timeout_s;
	double lease_s;
};

/*
 * The box as it booted. @invariants: what must not differ between boots, as
 * reported by the box; owned. @uptime_s when it was asked.
 */
struct run_facts {
	char boot_id[40];
	char build_id[64];
	char model[128];
	char kernel[96];
	long long booted_s; /* wall clock */
	double boot_seconds;
	double uptime_s;
	unsigned nr_cpus;
	unsigned nr_nodes;
	long long memory_kib;
	json_t *invariants;
};

/*
 * One run. @failed: the benchmark failed, @why says how; @set has the metrics
 * and failure rows; @last: the box can't go on (its kernel crashed).
 */
struct run_sample {
	bool failed;
	bool last;
	char why[1024];
	long long started_s;
	double seconds;
	struct metric_set set;
};

/* @task may be NULL in tests; @priv is the backend's own. */
struct run {
	const struct run_spec *spec;
	struct task *task;
	void *priv;
};

/*
 * Read task.json's object. @out is initialised here (run_spec_release), also on
 * error. ERR_DATA, ERR_RANGE name the key.
 */
int run_spec_parse(const json_t *json, struct run_spec *out, struct err *err);
void run_spec_release(struct run_spec *spec);

/*
 * Do the task of @task; a task_run_fn. *@payload is the result's object.
 * ERR_BOOT, ERR_BENCH (no run succeeded): facts about the commit; ERR_INFRA,
 * ERR_TIMEOUT, ERR_IO: not.
 */
int run_task(struct task *task, json_t **payload, struct err *err);

/* Progress and log of the task, when there is one. */
void run_progress(struct run *run, const char *stage, const char *text);

#endif
