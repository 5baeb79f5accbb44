/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The one remote quoting function: everything that becomes part of a command
 * line on a box goes through it.
 */
#ifndef RUNNERS_QUOTE_H
#define RUNNERS_QUOTE_H

#include "base/str.h"

/*
 * Append @word so that any POSIX shell reads it back as exactly one word with
 * the same bytes, whatever they are. @word ends at its NUL. Words of plain
 * characters stay as they are, so that logs are readable.
 */
void quote_add(struct str *out, const char *word);

/* Append the NULL-terminated @argv, each word quoted, blanks between. */
void quote_add_argv(struct str *out, const char *const *argv);

#endif
