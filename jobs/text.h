/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Walking through bytes that a box printed, which may be neither terminated
 * nor text: lines, words, numbers. All spans are borrowed.
 */
#ifndef JOBS_TEXT_H
#define JOBS_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* @len bytes at @p, not terminated. */
struct text {
	const char *p;
	size_t len;
};

/* printf arguments for "%.*s" of a span, at most 200 bytes of it. */
#define TEXT_ARG(t) (int)((t).len < 200 ? (t).len : 200), (t).p

/*
 * Take the next line (without its newline) or the next word (of blanks and
 * TABs) off the front of *@rest. False at the end.
 */
bool text_line(struct text *rest, struct text *out);
bool text_word(struct text *rest, struct text *out);

/* Take what stands before @c off the front, and @c; false when there is none.
 */
bool text_until(struct text *rest, char c, struct text *out);

struct text text_trim(struct text t);
bool text_is(struct text t, const char *word);
bool text_starts(struct text t, const char *prefix);
bool text_has(struct text t, const char *part);
/* @t without its first @n bytes (none left when it is shorter). */
struct text text_skip(struct text t, size_t n);

/*
 * The whole span as a decimal number, sign and fraction allowed; false on
 * anything else, on more than 40 bytes, on NaN and infinity.
 */
bool text_number(struct text t, double *out);

/* The number that the span begins with; the rest is ignored. */
bool text_leading_number(struct text t, double *out);

#endif
