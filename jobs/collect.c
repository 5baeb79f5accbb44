// SPDX-License-Identifier: GPL-3.0-or-later
/* Hands each spooled file to the parser it belongs to. */
#include "jobs/collect.h"

#include <string.h>

#include "jobs/monitor.h"
#include "jobs/workload.h"

static const struct collect_file *find_file(const struct collect_input *in,
					    const char *name)
{
	for (size_t i = 0; i < in->nr_files; i++)
		if (!strcmp(in->files[i].name, name))
			return &in->files[i];
	return NULL;
}

static double elapsed(const struct metric_set *set, const char *benchmark)
{
	struct metric_set name;
	double s = 0;

	metric_set_init(&name);
	metric_add(&name, 0, "%s.time.elapsed_time", benchmark);
	if (name.nr && !metric_find(set, name.v[0].name, &s))
		s = 0;
	metric_set_release(&name);
	return s;
}

static int run_workload(const struct collect_input *in, struct metric_set *out,
			struct err *err)
{
	const struct workload *w = workload_find(in->job->workload);
	const struct collect_file *text = find_file(in, "stdout");
	const struct collect_file *errors = find_file(in, "stderr");
	const struct collect_file *file = find_file(in, WORKLOAD_FILE);
	struct workload_output output = { 0 };
	int rc;

	if (!w)
		return err_set(err, ERR_BENCH, "%s: no workload \"%s\"",
			       in->job->path, in->job->workload);
	if (text) {
		output.out = text->data;
		output.out_len = text->len;
	}
	if (errors) {
		output.err = errors->data;
		output.err_len = errors->len;
	}
	if (file) {
		output.file = file->data;
		output.file_len = file->len;
	}
	output.elapsed_s = elapsed(out, w->name);
	rc = w->parse(in->job, &output, out, err);
	if (in->exit_status) {
		metric_fail(out, "last_state.test.%s.exit_code.%d", w->name,
			    in->exit_status);
		rc = err_set(err, ERR_BENCH, "%s: %s ended with status %d",
			     in->job->path, w->binary, in->exit_status);
	}
	if (rc)
		metric_fail(out, "last_state.is_incomplete_run");
	return rc;
}

/* "mon-NAME", or a name of its own for time and dmesg. */
static const struct monitor *monitor_of(const char *file)
{
	const struct monitor *m;

	if (!strncmp(file, "mon-", 4))
		return monitor_find(file + 4);
	m = monitor_find(file);
	return m && !m->sources[0] ? m : NULL;
}

/* Files of the monitor time, or of all others. */
static void run_monitors(const struct collect_input *in, bool time,
			 struct metric_set *out)
{
	for (size_t i = 0; i < in->nr_files; i++) {
		const struct collect_file *f = &in->files[i];
		const struct monitor *m = monitor_of(f->name);
		struct monitor_input mi = { f->data, f->len,
					    in->job->workload };
		struct err why = { 0 };

		if (m && (m == &monitor_time) == time &&
		    m->parse(&mi, out, &why))
			metric_fail(out, "last_state.monitor_failed.%s",
				    m->name);
	}
}

int collect_run(const struct collect_input *in, struct metric_set *out,
		struct err *err)
{
	int rc;

	metric_set_init(out);
	/* the benchmark asks how long it took */
	run_monitors(in, true, out);
	/* before the monitors of many CPUs, which may fill the set */
	rc = run_workload(in, out, err);
	run_monitors(in, false, out);
	metric_set_sort(out);
	return rc ? ERR_BENCH : 0;
}
