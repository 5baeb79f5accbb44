/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What every page has around its content: head, navigation, footer. And the few
 * pieces that many pages share: a commit, a change with its sign, a state.
 */
#ifndef WEB_STATIC_LAYOUT_H
#define WEB_STATIC_LAYOUT_H

#include "base/json.h"
#include "base/str.h"

/*
 * @path    of the page's folder below the site's root, "" for the front page,
 *          else ending in '/'; decides how many "../" lead up
 * @title   text of the title and of the heading; hostile bytes are fine
 * @kicker  what kind of page, above the heading ("Comparison"); NULL none
 * @has_csv whether index.csv lies beside the page
 * @as_of_s newest time that the page knows of; 0 leaves the line out
 */
struct layout {
	const char *path;
	const char *title;
	const char *kicker;
	bool has_csv;
	long long as_of_s;
};

/* "../" as often as @path has folders; borrowed, static, 8 at most. */
const char *layout_up(const char *path);

/* Everything up to and including the <h1>. */
void layout_start(struct str *out, const struct layout *page);
void layout_end(struct str *out, const struct layout *page);

/* A section with a heading; @id is the anchor, @nr (-1: none) a count. */
void layout_section(struct str *out, const char *id, const char *title,
		    long long nr);
void layout_section_end(struct str *out);

/*
 * The start of a table in a box that scrolls sideways: caption and a header
 * row. @columns: "Metric|#base|…", a '#' marks a column of numbers.
 */
void layout_table(struct str *out, const char *caption, const char *columns);
void layout_table_end(struct str *out);

/* An item of a list of facts: name and text. Nothing for "" and NULL. */
void layout_fact(struct str *out, const char *name, const char *text);

/* <code>sha12</code> as a link to the commit's page, and the subject. */
void layout_commit(struct str *out, const char *up, const char *sha,
		   const char *subject);

/*
 * A change in percent with its sign and a glyph: ▲ up, ▼ down; class "worse" or
 * "better" by @direction ("higher" or "lower" is better), neither when
 * @direction is NULL. NaN prints "–".
 */
void layout_change(struct str *out, double pct, const char *direction);

/* A state or verdict word as a badge with its own glyph. */
void layout_badge(struct str *out, const char *word);

/* The number under @key, NaN when it is missing. */
double layout_num(const json_t *obj, const char *key);

#endif
