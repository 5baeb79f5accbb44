/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What `drover compare` shows, wherever the samples came from: files or the
 * daemon. Same options, same output.
 */
#ifndef CLI_COMPARE_VIEW_H
#define CLI_COMPARE_VIEW_H

#include <stdbool.h>

#include "analysis/compare.h"
#include "base/err.h"
#include "cli/args.h"
#include "report/axes.h"

/* The options that say what to show; @format NULL: text, or json with --json */
struct compare_options {
	const char *format;
	bool all;
	bool changed;
	bool ascii;
	bool exit_code;
};

/* Rows for a table of struct arg_spec; @o is a struct compare_options *. */
#define COMPARE_OPTION_ROWS(o)                                             \
	{ "all", 'a', NULL, "show every metric", ARG_FLAG, &(o)->all },    \
		{ "changed", 0,                                            \
		  NULL,	     "show what changed (default)",                \
		  ARG_FLAG,  &(o)->changed },                              \
		{ "format", 0,		 "FORMAT", "text, json or csv",    \
		  ARG_TEXT, &(o)->format },                                \
		{ "ascii",  0,                                             \
		  NULL,	    "+- instead of the plus-minus sign",           \
		  ARG_FLAG, &(o)->ascii },                                 \
	{                                                                  \
		"exit-code", 0, NULL, "exit 1 when there is a regression", \
			ARG_FLAG, &(o)->exit_code                          \
	}

/* Everything a comparison needs; owned, compare_view_release frees. */
struct compare_view {
	struct matrix matrix[COMPARE_MAX_SIDES];
	size_t nr;
	struct axes axes;
	struct comparison comparison;
};

void compare_view_release(struct compare_view *v);

/* 0, or the exit code after an error that was printed. Sets the format. */
int compare_options_check(struct compare_options *o);

/* Compute the comparison out of the matrices and axes. */
int compare_view_compute(struct compare_view *v, struct err *err);

/* Print it; returns the exit code. */
int compare_view_print(const struct compare_view *v,
		       const struct compare_options *o);

#endif
