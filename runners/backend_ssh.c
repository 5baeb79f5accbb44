// SPDX-License-Identifier: GPL-3.0-or-later
// Backend ssh: boot the box, make sure it is the right kernel, run the job
// under the supervisor, turn what it left behind into metrics.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "jobs/collect.h"
#include "jobs/workload.h"
#include "runners/backend.h"
#include "runners/boot.h"
#include "runners/probe.h"
#include "runners/quote.h"
#include "runners/spool.h"
#include "runners/supervise.h"

#define RUN_MAX_NODES 64
/* Less of a run's tasks than this on a node is the scheduler's looking about.
 */
#define NODE_SHARE_MIN 0.1

/* The connection to the box, the boot, and the command line of the job. */
struct ssh_box {
	struct remote remote;
	struct boot boot;
	struct workload_argv argv;
	char boot_id[40];
	bool claimed;
	bool crashed;
	bool nodes[RUN_MAX_NODES]; /* that the benchmark's tasks were on */
};

static bool box_gone(void *arg)
{
	struct ssh_box *s = arg;

	return s->boot.method->gone && s->boot.method->gone(&s->boot);
}

static int ssh_box_open(struct run *run, struct run_facts *out, struct err *err)
{
	struct ssh_box *s = xcalloc(1, sizeof(*s));
	long long start_ns = clock_mono_ns();
	struct workload_box box;
	int ret;

	run->priv = s;
	remote_init(&s->remote, &run->spec->box);
	ret = job_check_runnable(&run->spec->job, err);
	if (ret)
		return ret;
	ret = boot_start(&s->boot, run, &s->remote, err);
	if (ret)
		return ret;
	out->boot_seconds = (double)(clock_mono_ns() - start_ns) / 1e9;
	run_progress(run, "probing", run->spec->box.name);
	ret = probe_box(&s->remote, run->spec, out, err);
	if (ret)
		return ret;
	out->booted_s = clock_wall_s() - (long long)out->uptime_s;
	memcpy(s->boot_id, out->boot_id, sizeof(s->boot_id));
	ret = supervise_claim(&s->remote, run->spec, err);
	if (ret)
		return ret;
	s->claimed = true;
	box = (struct workload_box){ out->nr_cpus, out->nr_nodes };
	return workload_command(&run->spec->job, &box, &s->argv, err);
}

/* Keep what people look at first; ticks of monitors are in the metrics. */
static void keep_files(struct run *run, int seq, const struct spool *spool)
{
	char name[96];
	char *path;
	size_t i;

	for (i = 0; run->task && i < spool->nr; i++) {
		if (str_starts(spool->v[i].name, "mon-") ||
		    !spool->v[i].data.len)
			continue;
		snprintf(name, sizeof(name), "run-%d-%s", seq,
			 spool->v[i].name);
		path = task_out_path(run->task, name);
		file_write_atomic(path, spool->v[i].data.p,
				  spool->v[i].data.len, 0644, NULL);
		free(path);
	}
}

/* Text of a file of the spool, "" when it isn't there. */
static const struct str *spool_text(const struct spool *spool, const char *name)
{
	static const struct str empty = STR_INIT;
	const struct spool_file *f = spool_find(spool, name);

	return f ? &f->data : &empty;
}

/* The sentence of a failed run: exit status and last words, or no result. */
static void say_failed(struct run *run, const struct supervise_end *end,
		       const struct spool *spool, const struct err *why,
		       struct run_sample *out)
{
	const struct str *said = spool_text(spool, "stderr");
	struct str last = STR_INIT;
	struct err text = { 0 };

	out->failed = true;
	if (!said->len)
		said = spool_text(spool, "stdout");
	spool_last_line(said, &last);
	if (end->status)
		err_set(&text, ERR_BENCH,
			"box %s: %s ended with status %d; its last line: %s",
			run->spec->box.name, run->spec->job.workload,
			end->status, last.len ? last.p : "(none)");
	else
		err_set(&text, ERR_BENCH, "box %s: %s; its last line: %s",
			run->spec->box.name, why->text,
			last.len ? last.p : "(none)");
	snprintf(out->why, sizeof(out->why), "%s", text.text);
	str_release(&last);
}

/* Metrics out of the files of a run. */
static int make_metrics(struct run *run, const struct supervise_end *end,
			const struct spool *spool, struct run_sample *out,
			struct err *err)
{
	struct collect_file files[SPOOL_MAX_FILES];
	struct collect_input in = { .job = &run->spec->job,
				    .files = files,
				    .nr_files = spool->nr,
				    .exit_status = end->status };
	struct err why = { 0 };
	size_t i;
	int ret;

	for (i = 0; i < spool->nr; i++)
		files[i] = (struct collect_file){ spool->v[i].name,
						  spool->v[i].data.p,
						  spool->v[i].data.len };
	metric_set_release(&out->set);
	ret = collect_run(&in, &out->set, &why);
	if (ret == ERR_BENCH)
		say_failed(run, end, spool, &why, out);
	else if (ret)
		return err_set(err, ret, "%s", why.text);
	for (i = 0; i < spool->nr; i++)
		if (spool->v[i].cut)
			metric_fail(&out->set, "last_state.output_cut.%s",
				    spool->v[i].name);
	return 0;
}

/* Lines "NODE TASKS" of the supervisor. */
static void note_nodes(struct ssh_box *s, const struct spool *spool)
{
	const char *at = spool_text(spool, "nodes")->p;
	double tasks[RUN_MAX_NODES] = { 0 };
	double all = 0;
	size_t i;

	while (*at) {
		size_t len = strcspn(at, "\n");
		char *end;
		long node = strtol(at, &end, 10);
		long nr = end > at && *end == ' ' ? strtol(end, NULL, 10) : 0;

		if (node >= 0 && node < RUN_MAX_NODES && nr > 0) {
			tasks[node] += (double)nr;
			all += (double)nr;
		}
		at += len + (at[len] != '\0');
	}
	for (i = 0; i < RUN_MAX_NODES && all > 0; i++)
		s->nodes[i] |= tasks[i] >= NODE_SHARE_MIN * all;
}

static int take_files(struct run *run, int seq, const struct supervise_end *end,
		      struct run_sample *out, struct err *err)
{
	struct ssh_box *s = run->priv;
	struct str raw = STR_INIT;
	struct spool spool = { 0 };
	int ret;

	run_progress(run, "collecting", run->spec->job.path);
	ret = supervise_collect(&s->remote, run->spec, seq, &raw, err);
	if (!ret) {
		ret = spool_parse(raw.p, raw.len, run->spec->monitors, &spool,
				  err);
		if (ret)
			err_wrap(err, "box %s", run->spec->box.name);
	}
	str_release(&raw);
	if (!ret) {
		keep_files(run, seq, &spool);
		note_nodes(s, &spool);
		ret = make_metrics(run, end, &spool, out, err);
	}
	spool_release(&spool);
	return ret == ERR_DATA ? err_recode(err, ERR_INFRA) : ret;
}

/* The run didn't end by itself: whose fault, in one sentence. */
static int not_ended(struct run *run, int seq, const struct supervise_end *end,
		     struct err *err)
{
	const char *box = run->spec->box.name;

	if (!strcmp(end->why, "timeout"))
		return err_set(err, ERR_TIMEOUT,
			       "box %s: %s did not end within %.0f s (run %d) "
			       "and was killed; raise timeout_s if it needs "
			       "longer",
			       box, run->spec->job.workload,
			       run->spec->timeout_s, seq);
	if (!strcmp(end->why, "full"))
		return err_set(err, ERR_INFRA,
			       "box %s: no space left under %s for the output "
			       "of run %d; free some there or give the box "
			       "another workdir in the lab file",
			       box, run->spec->box.workdir, seq);
	if (!strcmp(end->why, "lease"))
		return err_set(err, ERR_INFRA,
			       "box %s: run %d was killed after %.0f s without "
			       "a word from here",
			       box, seq, run->spec->lease_s);
	if (!strcmp(end->why, "fenced"))
		return err_set(err, ERR_INFRA,
			       "box %s: run %d was ended by a newer attempt",
			       box, seq);
	return err_set(err, ERR_INFRA, "box %s: run %d was %s", box, seq,
		       end->why);
}

/* A kernel that crashes under the benchmark is a failed run, with its log. */
static bool take_crash(struct run *run, struct run_sample *out)
{
	static const struct supervise_end end = { .why = "exit",
						  .status = 128 + 9 };
	struct ssh_box *s = run->priv;
	struct spool spool = { .nr = 1 };
	bool crashed;

	snprintf(spool.v[0].name, sizeof(spool.v[0].name), "dmesg");
	str_init(&spool.v[0].data);
	crashed = boot_crashed(&s->boot, &spool.v[0].data);
	if (crashed) {
		make_metrics(run, &end, &spool, out, NULL);
		metric_fail(&out->set, "last_state.kernel_crash");
		out->failed = true;
		out->last = true;
		s->crashed = true;
		spool.v[0].data.p[strcspn(spool.v[0].data.p, "\n")] = '\0';
		snprintf(out->why, sizeof(out->why),
			 "box %s: %s crashed under the benchmark; console: "
			 "%.300s",
			 run->spec->box.name, boot_kernel_name(&s->boot),
			 spool.v[0].data.p);
	}
	spool_release(&spool);
	return crashed;
}

static int ssh_box_exec(struct run *run, int seq, struct run_sample *out,
			struct err *err)
{
	struct ssh_box *s = run->priv;
	struct supervise_run what = {
		.run = run,
		.remote = &s->remote,
		.seq = seq,
		.boot_id = s->boot_id,
		.argv = (const char *const *)s->argv.v,
		.gone = box_gone,
		.arg = s,
	};
	struct supervise_end end = { 0 };
	int ret;

	out->started_s = clock_wall_s();
	ret = supervise_run(&what, &end, err);
	if (ret)
		return ret != ERR_IO && take_crash(run, out) ? 0 : ret;
	out->seconds = end.end_s - end.start_s;
	if (strcmp(end.why, "exit") != 0)
		return not_ended(run, seq, &end, err);
	return take_files(run, seq, &end, out, err);
}

/* Where the tasks ran, over all runs: "0", "0 1", … */
static void set_task_nodes(const struct ssh_box *s, json_t *invariants)
{
	struct str text = STR_INIT;
	size_t i;

	for (i = 0; i < RUN_MAX_NODES; i++) {
		if (s->nodes[i])
			str_addf(&text, "%s%zu", text.len ? " " : "", i);
	}
	if (text.len)
		json_object_set_new(invariants, "task_nodes",
				    json_string(text.p));
	str_release(&text);
}

static int ssh_box_again(struct run *run, struct run_facts *facts,
			 struct err *err)
{
	struct ssh_box *s = run->priv;

	set_task_nodes(s, facts->invariants);
	/* a kernel that crashed has no more to say */
	return s->crashed ? 0 : probe_again(&s->remote, facts->invariants, err);
}

static void ssh_box_close(struct run *run)
{
	struct ssh_box *s = run->priv;

	if (!s)
		return;
	/* a machine that is thrown away needs no tidying */
	if (s->claimed && s->remote.ssh && !s->boot.method->stop)
		supervise_release(&s->remote, run->spec);
	remote_release(&s->remote);
	boot_stop(&s->boot);
	workload_argv_release(&s->argv);
	free(s);
	run->priv = NULL;
}

const struct backend backend_ssh = {
	.name = "ssh",
	.open = ssh_box_open,
	.exec = ssh_box_exec,
	.again = ssh_box_again,
	.close = ssh_box_close,
};
