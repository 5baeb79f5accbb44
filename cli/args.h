/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Options of a command as a table: parsing, --help and error messages with a
 * suggestion all come from it. Every command also takes the common options
 * --help, --json, --quiet, --color and --socket.
 */
#ifndef CLI_ARGS_H
#define CLI_ARGS_H

#include <stdbool.h>
#include <stddef.h>

enum arg_type {
	ARG_FLAG, /* @target: bool * */
	ARG_TEXT, /* @target: const char **; borrowed from argv */
	ARG_INT,  /* @target: long long * */
	ARG_LIST, /* @target: struct arg_list *; may be given more than once */
};

#define ARG_LIST_MAX 64

struct arg_list {
	const char *v[ARG_LIST_MAX]; /* borrowed from argv */
	size_t nr;
};

/* One option. @value_name: how --help calls the value; NULL for flags. */
struct arg_spec {
	const char *name; /* without the leading -- */
	char letter;	  /* 0: none */
	const char *value_name;
	const char *help;
	enum arg_type type;
	void *target;
};

/* What the common options said. */
struct arg_common {
	bool json;
	bool quiet;
	const char *color;  /* auto, always, never */
	const char *socket; /* NULL: from the configuration */
};

extern struct arg_common args_common;

#define ARGS_DONE (-1)

/*
 * Parse @argv of the command @name (a row of cli_commands). Returns the index
 * of the first positional argument (options may stand anywhere before `--`;
 * @argv is permuted), or ARGS_DONE after --help or an error, which it has
 * printed; *@out_exit is the exit code then.
 */
int args_parse(int argc, char **argv, const struct arg_spec *spec, size_t nr,
	       int *out_exit);

/* Print "drover CMD: <sentence>" and a hint at --help; returns 2. */
int args_usage(const char *command, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* For a command that takes no more words than those before @at: 0, or 2 after
 * printing which one is too much. */
int args_end(int argc, char **argv, int at);

/*
 * Split BASE..HEAD into two texts, owned by the caller. 0, or 2 after printing
 * what is wrong with it.
 */
int args_range(const char *command, const char *range, char **out_base,
	       char **out_head);

#endif
