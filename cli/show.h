/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How commands print: terminal-safe text, aligned tables within 80 columns,
 * durations and times as people read them, JSON replies as they are.
 */
#ifndef CLI_SHOW_H
#define CLI_SHOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/json.h"
#include "base/str.h"

#define SHOW_MAX_COLUMNS 12

/*
 * One column: @title; @key: member of each row's object ("" is the row's own
 * number); @right: align to the right; @max_width: cut with "…", 0 none.
 * @kind: how the member is put into words.
 */
enum show_kind {
	SHOW_TEXT,
	SHOW_INT,
	SHOW_SHA,
	SHOW_DURATION,
	SHOW_TIME,
	SHOW_PROBABILITY
};

struct show_column {
	const char *title;
	const char *key;
	enum show_kind kind;
	bool right;
	size_t max_width;
};

/* Print @rows (array of objects) as a table; "nothing" when it is empty. */
void show_table(const json_t *rows, const struct show_column *columns,
		size_t nr, const char *nothing);

/* Print @value as JSON on one line. */
void show_json(const json_t *value);

/*
 * Print a sentence from the daemon, which may be long: on a terminal broken
 * between words to its width, later lines indented by @indent columns (where
 * the first begins, too; the caller has printed so much already); elsewhere
 * one line, so that it can be searched for. Control characters don't pass.
 */
void show_sentence(FILE *out, const char *text, size_t indent);

/* Print sentences (an array of texts) to standard error, each behind
 * "warning: "; nothing with --quiet. */
void show_warnings(const json_t *sentences);

/* Append @text, broken between words to @width columns, as above; 0: whole. */
void show_add_wrapped(struct str *out, const char *text, size_t indent,
		      size_t width);

/* Print text from the daemon: lines stay, control characters don't. */
void show_text(const char *text);

/* "3 s", "2 min 05 s", "1 h 20 min"; "-" for a negative one. */
void show_add_duration(struct str *out, long long seconds);

/* Cut to so many columns, the last of which is "…" then; 0: leave it. */
void show_cut(struct str *s, size_t max_width);

/* The columns of the terminal that @out is; 0 when it is none. */
size_t show_columns(FILE *out);

/* Whether standard error is a terminal that takes control sequences. */
bool show_is_terminal(void);

#endif
