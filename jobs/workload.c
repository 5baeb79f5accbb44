// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The table of benchmarks, and what all of their command lines share: thread
 * counts, binding to NUMA nodes and CPUs, which options are understood.
 */
#include "jobs/workload.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "jobs/programs.h"

static const struct workload *const table[] = {
	&workload_stress_ng,	   &workload_sysbench_cpu,
	&workload_sysbench_memory, &workload_sysbench_threads,
	&workload_sysbench_mutex,
};

const struct workload *workload_at(size_t i)
{
	return i < ARRAY_SIZE(table) ? table[i] : NULL;
}

const struct workload *workload_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (!strcmp(table[i]->name, name))
			return table[i];
	return NULL;
}

void workload_argv_add(struct workload_argv *argv, const char *fmt, ...)
{
	struct str s = STR_INIT;
	va_list ap;

	va_start(ap, fmt);
	str_vaddf(&s, fmt, ap);
	va_end(ap);
	if (argv->nr + 2 > argv->alloc) {
		argv->alloc = argv->alloc * 2 + 16;
		argv->v = xreallocarray(argv->v, argv->alloc, sizeof(char *));
	}
	argv->v[argv->nr++] = str_detach(&s);
	argv->v[argv->nr] = NULL;
}

void workload_argv_release(struct workload_argv *argv)
{
	for (size_t i = 0; i < argv->nr; i++)
		free(argv->v[i]);
	free(argv->v);
	memset(argv, 0, sizeof(*argv));
}

bool workload_count(const char *text, unsigned nr_cpus, unsigned *out)
{
	size_t len = strlen(text);
	bool percent = len > 1 && text[len - 1] == '%';
	unsigned long long n;
	char digits[16];

	len -= percent;
	if (!len || len >= sizeof(digits))
		return false;
	memcpy(digits, text, len);
	digits[len] = '\0';
	if (!str_to_u64(digits, &n) || n > 1000000)
		return false;
	if (percent)
		n = n * nr_cpus / 100;
	*out = n ? (unsigned)n : 1;
	return true;
}

/* --- binding ---------------------------------------------------------------
 */

/* numactl's and taskset's options in job files, and the words for them. */
static const struct {
	const char *param;
	const char *word;
	bool flag;
} numactl_options[] = {
	{ "membind", "--membind", false },
	{ "cpunodebind", "--cpunodebind", false },
	{ "interleave", "--interleave", false },
	{ "preferred", "--preferred", false },
	{ "physcpubind", "--physcpubind", false },
	{ "localalloc", "--localalloc", true },
	{ "all", "--all", true },
};

/* Node and CPU lists: "0", "0-3,8", "all", "!0", "+1". */
static bool list_ok(const char *s)
{
	size_t len = strlen(s);

	return len && len < 200 && *s != '-' &&
	       (strspn(s, "0123456789,-+!") == len || !strcmp(s, "all"));
}

/*
 * `affinity` is ours: unbound, nodeN (its CPUs and its memory) or a list of
 * CPUs; the axis of the sweep tables.
 */
static bool affinity_ok(const char *s)
{
	unsigned long long n;

	if (!strcmp(s, "unbound"))
		return true;
	if (str_starts(s, "node"))
		return str_to_u64(s + 4, &n) && n < 1024;
	return list_ok(s);
}

static bool bind_param(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(numactl_options); i++)
		if (!strcmp(numactl_options[i].param, name))
			return true;
	return !strcmp(name, "affinity") || !strcmp(name, "test_cpulist");
}

static bool bind_value_ok(const char *name, const char *value)
{
	if (!strcmp(name, "affinity"))
		return affinity_ok(value);
	if (!strcmp(name, "all") || !strcmp(name, "localalloc"))
		return true;
	return list_ok(value);
}

static void add_affinity(const char *s, struct workload_argv *out)
{
	if (str_starts(s, "node")) {
		workload_argv_add(out, "numactl");
		workload_argv_add(out, "--cpunodebind=%s", s + 4);
		workload_argv_add(out, "--membind=%s", s + 4);
	} else if (strcmp(s, "unbound") != 0) {
		workload_argv_add(out, "taskset");
		workload_argv_add(out, "-c");
		workload_argv_add(out, "%s", s);
	}
}

static void add_binding(const struct job *job, struct workload_argv *out)
{
	const char *affinity = job_param(job, "affinity");
	const char *cpus = job_param(job, "test_cpulist");
	bool numactl = false;

	for (size_t i = 0; i < ARRAY_SIZE(numactl_options); i++) {
		const char *v = job_param(job, numactl_options[i].param);

		if (!v)
			continue;
		if (!numactl)
			workload_argv_add(out, "numactl");
		numactl = true;
		if (numactl_options[i].flag)
			workload_argv_add(out, "%s", numactl_options[i].word);
		else
			workload_argv_add(out, "%s=%s", numactl_options[i].word,
					  v);
	}
	if (affinity)
		add_affinity(affinity, out);
	if (cpus) {
		workload_argv_add(out, "taskset");
		workload_argv_add(out, "-c");
		workload_argv_add(out, "%s", cpus);
	}
}

/* --- whole commands --------------------------------------------------------
 */

/* Path options that Drover acts on: the benchmark's own and bindings. */
static int check_params(const struct job *job, const struct workload *w,
			struct err *err)
{
	const struct program *p = program_find(w->name);

	for (size_t i = 0; i < job->nr_params; i++) {
		const struct job_param *o = &job->params[i];

		if (!o->in_path)
			continue;
		if (bind_param(o->name)) {
			if (!bind_value_ok(o->name, o->value))
				return err_set(err, ERR_CONFIG,
					       "%s: %s: \"%s\" is no list of "
					       "nodes or CPUs",
					       job->path, o->name, o->value);
			continue;
		}
		if (!program_has_option(p, o->name))
			return err_set(err, ERR_CONFIG,
				       "%s: Drover doesn't set up \"%s\", so "
				       "it can't run this job",
				       job->path, o->name);
		if (*o->value == '-')
			return err_set(err, ERR_CONFIG,
				       "%s: %s: \"%s\" looks like a flag",
				       job->path, o->name, o->value);
	}
	return 0;
}

static int fail_unknown(const struct job *job, struct err *err)
{
	struct str names = STR_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		str_addf(&names, "%s%s", i ? ", " : "", table[i]->name);
	err_set(err, ERR_CONFIG,
		"%s: Drover can read this job but has no workload to run it "
		"(it has %s)",
		job->path, names.p);
	str_release(&names);
	return ERR_CONFIG;
}

int workload_check(const struct job *job, struct err *err)
{
	const struct workload *w = workload_find(job->workload);
	int rc;

	if (!w)
		return fail_unknown(job, err);
	rc = check_params(job, w, err);
	return rc ? rc : w->check(job, err);
}

int workload_command(const struct job *job, const struct workload_box *box,
		     struct workload_argv *out, struct err *err)
{
	int rc = workload_check(job, err);

	memset(out, 0, sizeof(*out));
	if (rc)
		return rc;
	add_binding(job, out);
	workload_find(job->workload)->argv(job, box, out);
	return 0;
}

void workload_needs(const struct job *job, const char *out[4])
{
	const struct workload *w = workload_find(job->workload);
	const char *affinity = job_param(job, "affinity");
	bool taskset = job_param(job, "test_cpulist");
	bool numactl = false;
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(numactl_options); i++)
		if (job_param(job, numactl_options[i].param))
			numactl = true;
	if (affinity && str_starts(affinity, "node"))
		numactl = true;
	else if (affinity && strcmp(affinity, "unbound") != 0)
		taskset = true;
	if (w)
		out[n++] = w->binary;
	if (numactl)
		out[n++] = "numactl";
	if (taskset)
		out[n++] = "taskset";
	out[n] = NULL;
}

int workload_check_count(const struct job *job, const char *param,
			 struct err *err)
{
	const char *text = job_param(job, param);
	unsigned n;

	if (text && !workload_count(text, 1, &n))
		return err_set(err, ERR_CONFIG,
			       "%s: %s: \"%s\" is neither a number nor a "
			       "percentage of the CPUs",
			       job->path, param, text);
	return 0;
}

unsigned workload_threads(const struct job *job, const struct workload_box *box)
{
	const char *text = job_param(job, "nr_threads");
	unsigned n = box->nr_cpus ? box->nr_cpus : 1;

	if (text)
		workload_count(text, n, &n);
	return n;
}
