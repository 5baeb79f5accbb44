// SPDX-License-Identifier: GPL-3.0-or-later
// Parses a job's number off the command line.
#include "cli/job_arg.h"

#include <string.h>

#include "base/str.h"

int job_arg_parse(int argc, char **argv, const struct arg_spec *spec, size_t nr,
		  long long *out_job)
{
	unsigned long long n;
	int exit_code;
	int at;

	*out_job = -1;
	at = args_parse(argc, argv, spec, nr, &exit_code);
	if (at == ARGS_DONE)
		return exit_code;
	if (argc - at == 2 && !strcmp(argv[at], "job"))
		at++;
	if (argc - at > 1)
		return args_end(argc, argv, at + 1);
	if (argc - at != 1)
		return args_usage(argv[0], "which job? (`drover queue --all` "
					   "lists them)");
	if (!str_to_u64(argv[at], &n) || !n || n > 1ULL << 53)
		return args_usage(argv[0], "\"%s\" is not a job's number",
				  argv[at]);
	*out_job = (long long)n;
	return 0;
}

int job_arg_only(int argc, char **argv, long long *out_job)
{
	return job_arg_parse(argc, argv, NULL, 0, out_job);
}
