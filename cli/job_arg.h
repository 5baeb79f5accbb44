/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The one positional argument that many commands take: a job's number. */
#ifndef CLI_JOB_ARG_H
#define CLI_JOB_ARG_H

#include "cli/args.h"

/*
 * Parse options and the job number ("7" or "job 7" as printed). *@out_job is
 * −1 when the command is over already (help, error); the result is its exit
 * code then.
 */
int job_arg_parse(int argc, char **argv, const struct arg_spec *spec, size_t nr,
		  long long *out_job);

/* The same for commands without options of their own. */
int job_arg_only(int argc, char **argv, long long *out_job);

#endif
