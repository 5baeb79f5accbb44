/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tree of pages while it is made: where it lies, which address each thing
 * has, and the one way to put a file there. The only file of this room besides
 * the program that touches the disk.
 */
#ifndef WEB_STATIC_SITE_H
#define WEB_STATIC_SITE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json.h"
#include "base/str.h"
#include "db/db.h"

/*
 * @path of a comparison's folder: "c/BASE12..HEAD12/JOB/BOX/", stable once it
 * was given. @id is the row id.
 */
struct site_comparison {
	long long id;
	char *path;
	char *stamp;
	/* for finding equal paths */
	char *plain;
};

/*
 * @out_dir, @base_url: borrowed; @base_url is "" or ends in '/'.
 * @stamps: what each page was made from last time, by its path; @new_stamps
 * this time. @all: make every page, whatever the stamps say.
 * @metric_names: by row id.
 */
struct site {
	struct db *db;
	const char *out_dir;
	const char *base_url;
	bool all;
	long long newest_s;
	struct site_comparison *comparison;
	size_t nr_comparisons;
	char **metric_names;
	size_t nr_metric_names;
	json_t *stamps;
	json_t *new_stamps;
	size_t nr_made;
	size_t nr_written;
	int lock; /* descriptor of @out_dir, 0: none */
};

/*
 * Load what all pages need, once nobody else makes pages in @out_dir (ERR_BUSY
 * after a minute). @site holds @db, @out_dir, @base_url and @all;
 * the rest is zero. Release it in any case.
 */
int site_open(struct site *site, struct err *err);
void site_release(struct site *site);

/* The folder of a comparison, "" when there is no such. Borrowed. */
const char *site_comparison_path(const struct site *site, long long id);

/*
 * Whether the page called @path must be made: its @stamp differs from the last
 * one, or it isn't there. Remembers the stamp for next time.
 */
bool site_wants(struct site *site, const char *path, const char *stamp);

/* Write "@path" (below the site's root) unless it already has this content. */
int site_put(struct site *site, const char *path, const struct str *content,
	     struct err *err);

/*
 * Put index.html, index.json (of @json) and, when @csv isn't NULL, index.csv
 * into the folder @path ("" or ending in '/').
 */
int site_put_page(struct site *site, const char *path, const struct str *html,
		  const json_t *json, const struct str *csv, struct err *err);

/* Put the style sheet and its like, sync, and then the stamps. */
int site_finish(struct site *site, struct err *err);

/*
 * @text as a folder name: what isn't a letter, digit, '.', '_' or '-' becomes
 * '-', not two in a row, none at the ends, at most @max characters, never empty
 * and never starting with a dot.
 */
void site_slug(struct str *out, const char *text, size_t max);

#endif
