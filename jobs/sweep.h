/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sweep of a job: a list under a known option is a dimension, and the job
 * stands for each combination of its values. Pure: trees in, jobs out.
 */
#ifndef JOBS_SWEEP_H
#define JOBS_SWEEP_H

#include "base/err.h"
#include "configs/yaml.h"
#include "jobs/job.h"

#define SWEEP_MAX_DIMENSIONS 32

/*
 * Expand one document, a map whose includes are resolved, and append its jobs
 * to @out: depth first in file order, the first dimension changing slowest.
 * @doc is changed on the way and restored.
 * ERR_CONFIG with file:line:col (an unknown option of a benchmark that Drover
 * can run, a list inside a list, a template); ERR_LIMIT past JOB_MAX_JOBS.
 */
int sweep_expand(struct yaml_node *doc, struct job_list *out, struct err *err);

/*
 * A document over another: each of @over's keys replaces that of @base or
 * comes behind it. A new tree, owned by the caller.
 */
struct yaml_node *sweep_overlay(const struct yaml_node *base,
				const struct yaml_node *over);

#endif
