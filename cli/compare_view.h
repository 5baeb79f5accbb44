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
#include "report/verdict_table.h"

/*
 * The options of drover compare. @matrix, @axes, @runs_per_boot (0: not given):
 * files in place of the daemon. The others say what to show; @format NULL:
 * text, or json with --json. @min_effect_pct and @aa_pct are texts, from which
 * compare_options_check() makes @min_effect (0: not given) and @aa_rate (NaN:
 * not given), ratios.
 */
struct compare_options {
	struct arg_list matrix;
	const char *axes;
	long long runs_per_boot;
	long long comparison; /* of the daemon; 0: not given */
	const char *format;
	bool all;
	bool changed;
	bool verdict;
	bool ascii;
	bool exit_code;
	const char *min_effect_pct, *aa_pct;
	double min_effect, aa_rate;
};

/* Rows for a table of struct arg_spec; @o is a struct compare_options *. */
#define COMPARE_OPTION_ROWS(o)                                                  \
	{ "matrix", 'm',                                                        \
	  "FILE",   "matrix.json of a commit, base first: not of the daemon",   \
	  ARG_LIST, &(o)->matrix },                                             \
		{ "axes",                                                       \
		  0,                                                            \
		  "FILE",                                                       \
		  "--matrix: axes.json, shared parameters and commits",         \
		  ARG_TEXT,                                                     \
		  &(o)->axes },                                                 \
		{ "runs-per-boot",                                              \
		  0,                                                            \
		  "N",                                                          \
		  "--matrix, --verdict: so many runs share a boot (1)",         \
		  ARG_INT,                                                      \
		  &(o)->runs_per_boot },                                        \
		{ "comparison", 0,                                              \
		  "ID",		"this one, as drover status lists them",        \
		  ARG_INT,	&(o)->comparison },                             \
		{ "all", 'a', NULL, "show every metric", ARG_FLAG, &(o)->all }, \
		{ "changed", 0,                                                 \
		  NULL,	     "show what LKP's rule marks (default)",            \
		  ARG_FLAG,  &(o)->changed },                                   \
		{ "verdict", 'v',                                               \
		  NULL,	     "show what calibrated tests believe",              \
		  ARG_FLAG,  &(o)->verdict },                                   \
		{ "min-effect",                                                 \
		  0,                                                            \
		  "PCT",                                                        \
		  "--verdict: the smallest change that counts (1)",             \
		  ARG_TEXT,                                                     \
		  &(o)->min_effect_pct },                                       \
		{ "aa-rate",                                                    \
		  0,                                                            \
		  "PCT",                                                        \
		  "--verdict: the lab's own false alarms, to be told",          \
		  ARG_TEXT,                                                     \
		  &(o)->aa_pct },                                               \
		{ "format", 0,		 "FORMAT", "text, json or csv",         \
		  ARG_TEXT, &(o)->format },                                     \
		{ "ascii",  0,                                                  \
		  NULL,	    "+- instead of the plus-minus sign",                \
		  ARG_FLAG, &(o)->ascii },                                      \
	{                                                                       \
		"exit-code", 0, NULL, "exit 1 when there is a regression",      \
			ARG_FLAG, &(o)->exit_code                               \
	}

/* Which boot and which pair each run of a matrix belongs to; owned, NULL: not
 * known. */
struct compare_runs {
	int *boot, *pair;
	size_t nr;
};

/*
 * Everything a comparison needs; owned, compare_view_release frees. What only
 * the daemon knows: @lab, @said (its verdict), @planned pairs, @min_effect (0:
 * unknown), @calibration (its names belong to @reply).
 */
struct compare_view {
	struct matrix matrix[COMPARE_MAX_SIDES];
	struct compare_runs runs[COMPARE_MAX_SIDES];
	size_t nr;
	struct axes axes;
	struct comparison comparison;
	json_t *reply;
	struct verdict_lab lab;
	const char *said;
	int planned;
	double min_effect;
	struct evidence_calibration *calibration;
	size_t nr_calibrations;
};

void compare_view_release(struct compare_view *v);

/*
 * Fill the empty @v from droverd's answer to "compare" (docs/protocol.md) and
 * compute it. Takes @reply, also after an error. ERR_DATA, ERR_LIMIT.
 */
int compare_view_from_reply(struct compare_view *v, json_t *reply,
			    struct err *err);

/* 0, or the exit code after an error that was printed. Sets the format. */
int compare_options_check(struct compare_options *o);

/* Compute the comparison out of the matrices and axes. */
int compare_view_compute(struct compare_view *v, struct err *err);

/*
 * Say that the runs of matrix @i belong to boots, @runs_per_boot to each, in
 * their order.
 */
void compare_view_set_boots(struct compare_view *v, size_t i,
			    size_t runs_per_boot);

/*
 * Append the verdicts on all commits, to @out as text or, where it is given, to
 * the array @list as JSON. Returns whether anything got worse.
 */
bool compare_view_verdict(const struct compare_view *v,
			  const struct compare_options *o, struct str *out,
			  json_t *list);

/* Print it; returns the exit code. */
int compare_view_print(const struct compare_view *v,
		       const struct compare_options *o);

#endif
