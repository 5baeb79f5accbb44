/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From what a run left behind to its metrics: the one entry that the run
 * worker calls. Pure: named bytes in, metrics out.
 */
#ifndef JOBS_COLLECT_H
#define JOBS_COLLECT_H

#include <stddef.h>

#include "base/err.h"
#include "jobs/job.h"
#include "jobs/metric.h"

/*
 * One file of the run's spool folder: "stdout", "stderr", "workload.yaml"
 * (WORKLOAD_FILE), "time", "dmesg", "mon-<monitor>". Others are ignored.
 * Borrowed.
 */
struct collect_file {
	const char *name;
	const char *data;
	size_t len;
};

/* @exit_status of the benchmark: 0..255, 128+n after signal n. */
struct collect_input {
	const struct job *job;
	const struct collect_file *files;
	size_t nr_files;
	int exit_status;
};

/*
 * All metrics and failures of a run, sorted by name, into @out (initialised
 * here, metric_set_release). A monitor that can't be read is a failure row
 * "last_state.monitor_failed.<name>", not an error.
 * Returns 0; ERR_BENCH when the benchmark failed or printed no result:
 * @out then still has the failure rows and the monitors' metrics.
 */
int collect_run(const struct collect_input *in, struct metric_set *out,
		struct err *err);

#endif
