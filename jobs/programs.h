/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the blocks of a job file are: benchmarks, setups, daemons, monitors,
 * and which options each declares. Decides what expands, what is part of a
 * job's path, and what is a typing mistake.
 */
#ifndef JOBS_PROGRAMS_H
#define JOBS_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>

enum program_kind {
	PROGRAM_RUN,	/* a benchmark */
	PROGRAM_SETUP,	/* prepares the box */
	PROGRAM_DAEMON, /* runs beside the benchmark */
	PROGRAM_MONITOR /* measures; never part of a path */
};

/* @options: declared names in order, separated by blanks; "" for none. */
struct program {
	const char *name;
	enum program_kind kind;
	const char *options;
};

/* All programs, sorted by name, then by kind. */
extern const struct program *const programs;
extern const size_t programs_nr;

/*
 * The program called @name, or NULL; where a name is used twice, the
 * benchmark comes first.
 */
const struct program *program_find(const char *name);

/*
 * Whether @key is an option of @p. Control groups and sysctl take the names
 * of the kernel's files: any "controller.file" and any "sc_…".
 */
bool program_has_option(const struct program *p, const char *key);

/* Options that every job may have: cluster, nr_instances. */
bool program_common_option(const char *key);

/* Keys that describe the job or its box, not the benchmark (need_…, suite). */
bool program_header_key(const char *key);

/* Kernel, compiler, root file system: lists of these expand too. */
bool program_axis_key(const char *key);

/*
 * The known name nearest to @key among @nr programs' options and the general
 * keys, into @out, or "". For "did you mean …?".
 */
void program_suggest(const struct program *const *used, size_t nr,
		     const char *key, char out[64]);

#endif
