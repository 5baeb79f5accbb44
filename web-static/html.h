/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * HTML emitters whose names say what they escape. Whatever a page prints comes
 * out of one of these, so that a hostile commit subject stays text.
 *
 * The idea that the name shows the escaping is cgit's (html_txt, html_attr).
 * Escaped text is also well-formed XML 1.0, so the Atom feed uses the same.
 */
#ifndef WEB_STATIC_HTML_H
#define WEB_STATIC_HTML_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/* Markup of our own source, as it is. Never pass data. */
void html_lit(struct str *out, const char *markup);

/*
 * Text between tags. & < > " ' become entities; bad UTF-8, control characters
 * (newline and TAB stay), bidirectional overrides and what XML forbids become
 * U+FFFD. NULL prints nothing.
 */
void html_txt(struct str *out, const char *text);
void html_txtn(struct str *out, const char *text, size_t len);
/* A printf format, then escaped like html_txt. At most 4 KiB. */
void html_txtf(struct str *out, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * ' name="value"' with the value escaped; newline and TAB become blanks.
 * @name is of our own source. NULL as a value prints nothing at all.
 */
void html_attr(struct str *out, const char *name, const char *value);
/* The value from a printf format. */
void html_attrf(struct str *out, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * A relative path, percent-encoded byte by byte but for unreserved characters
 * and '/'. Safe inside an attribute; "javascript:" can't survive it, since ':'
 * is encoded.
 */
void html_url(struct str *out, const char *path);

/* ' href="UP PATH"': @up is "" or "../../" of our own; @path through html_url.
 */
void html_href(struct str *out, const char *up, const char *path);

/* <a href="UP PATH">text</a>, the text escaped. */
void html_link(struct str *out, const char *up, const char *path,
	       const char *text);

/*
 * A link to an address that came from outside: only http:// and https://
 * become links, anything else is printed as text.
 */
void html_outlink(struct str *out, const char *address, const char *text);

/* <time datetime="ISO">ISO without T and Z, "UTC"</time>; "–" for 0. */
void html_time(struct str *out, long long wall_s);

/* The same with seconds, for lists of events. */
void html_time_s(struct str *out, long long wall_s);

/* Whole seconds as "45 s", "12 min 5 s", "3 h 20 min", "2 d 4 h". */
void html_duration(struct str *out, double seconds);

/* 4812 as "4,812". */
void html_count(struct str *out, long long nr);

#endif
