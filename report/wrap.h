/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prose for mails: words wrapped at a width, in columns, not bytes. */
#ifndef REPORT_WRAP_H
#define REPORT_WRAP_H

#include "base/str.h"

#define WRAP_COLUMNS 75

/*
 * Append @text in lines of at most @columns, the first behind @first, the rest
 * behind @rest (both are counted), and end with a newline. Any run of blanks is
 * one; a word wider than the line stands alone. Control characters become '?'.
 */
void wrap_add(struct str *out, const char *text, const char *first,
	      const char *rest, size_t columns);

/* wrap_add without indentation at WRAP_COLUMNS. */
void wrap_add_prose(struct str *out, const char *text);

/* Columns of UTF-8 text: its code points. */
size_t wrap_columns(const char *text, size_t len);

#endif
