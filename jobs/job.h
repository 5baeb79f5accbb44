/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A job: one benchmark with one value for each of its options. Job files are
 * LKP's own YAML; a file expands to the jobs of its sweep (sweep.h). As JSON a
 * job travels through the socket, the database and task.json.
 */
#ifndef JOBS_JOB_H
#define JOBS_JOB_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/json.h"

#define JOB_MAX_PARAMS 256
#define JOB_MAX_JOBS   10000

/*
 * One option and its value. @in_path: part of the job's identity (a benchmark
 * or setup option); else a setting beside it (need_memory, kernel_cmdline,
 * "perf-profile.delay").
 */
struct job_param {
	char *name;
	char *value;
	bool in_path;
};

/*
 * @params sorted by name. @path is "<testcase>/<values>", unique for the
 * options. @workload names a row of workload.h, "" when Drover knows the file
 * but not how to run its benchmark. @runtime_s: how long the benchmark runs by
 * its own options, 0 unknown. @timeout_s: when to give up, 0: the default.
 */
struct job {
	char *suite;
	char *testcase;
	char *path;
	char *workload;
	struct job_param *params;
	size_t nr_params;
	size_t alloc_params;
	double runtime_s;
	long long timeout_s;
};

struct job_list {
	struct job *v;
	size_t nr;
	size_t alloc;
};

void job_init(struct job *job);
void job_release(struct job *job);
void job_list_release(struct job_list *list);

/*
 * Read a job file, resolve its includes (by base name: beside it, in sibling
 * folders, upward) and expand its sweep into @out (zero-initialised by the
 * caller, job_list_release; unchanged on error).
 * ERR_CONFIG with file:line:col; ERR_LIMIT; ERR_NOTFOUND, ERR_IO.
 */
int job_file_expand(const char *path, struct job_list *out, struct err *err);

/* The value of an option (the last of its name), borrowed, or NULL. */
const char *job_param(const struct job *job, const char *name);

/* Add an option or replace its value; keeps the order by name. */
void job_set_param(struct job *job, const char *name, const char *value,
		   bool in_path);

/* Add an option behind others of the same name (a path shows each). */
void job_add_param(struct job *job, const char *name, const char *value,
		   bool in_path);

/* Remove an option; none of that name is fine. */
void job_drop_param(struct job *job, const char *name);

/* Append to a list; takes what @job owns, @job is then uninitialised. */
void job_list_add(struct job_list *list, struct job *job);

/* Compute @path, @runtime_s and @timeout_s from testcase and parameters. */
void job_finish(struct job *job);

/* Whether Drover can run it: 0, or ERR_CONFIG saying what it can't do. */
int job_check_runnable(const struct job *job, struct err *err);

/*
 * {"suite", "testcase", "path", "workload", "runtime_s", "timeout_s",
 *  "params": {in_path options}, "settings": {the others}}; new reference.
 */
json_t *job_to_json(const struct job *job);
/* And back; @out is initialised here. "params" and "testcase" are required. */
int job_from_json(const json_t *json, struct job *out, struct err *err);

/*
 * "60", "60s", "2m", "1h", "1d" (fractions allowed) as seconds; false on
 * anything else.
 */
bool job_duration(const char *text, double *out_s);

#endif
