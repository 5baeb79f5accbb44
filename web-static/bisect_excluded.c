// SPDX-License-Identifier: GPL-3.0-or-later
#include "web-static/bisect_excluded.h"

#include <string.h>

#include "base/mem.h"
#include "web-static/html.h"
#include "web-static/layout.h"
#include "web-static/page.h"

#define MAX_ROWS 100

/* What bisect.start_json says in "why", and in how many words each takes it. */
static const struct {
	const char *key;
	const char *words; /* of one commit */
	const char *many;  /* "900 of them …" */
} reasons[] = {
	{ "files", "touches no file that the kernel is built from",
	  "touch no file that the kernel is built from" },
	{ "merge", "a merge that changes no such file",
	  "are merges that change no such file" },
	{ "side", "came in through such merges only",
	  "came in through such merges only" },
	{ "same", "built into the bits of another commit",
	  "were built into the bits of another commit" },
};

/* The shas that the engine still has as candidates. */
static json_t *candidate_set(const json_t *b)
{
	const json_t *list =
		json_object_get(json_object_get(b, "told"), "candidates");
	json_t *set = json_object();
	const json_t *row;
	size_t i;

	json_array_foreach(list, i, row)
		json_object_set_new(set, page_text(row, "sha"), json_true());
	return set;
}

/* Place in the table of reasons of a commit of the start, -1 for a candidate.
 * Commits that went during the search are no candidates any more. */
static int reason_of(const json_t *commit, const json_t *set)
{
	const char *key = "same";
	size_t i;

	if (!*page_text(commit, "sha"))
		return -1;
	if (json_opt_bool(commit, "idle", false))
		key = json_opt_str(commit, "why", "files");
	else if (json_object_get(set, page_text(commit, "sha")))
		return -1;
	for (i = 0; i < ARRAY_SIZE(reasons); i++)
		if (!strcmp(reasons[i].key, key))
			return (int)i;
	return 0;
}

static void excluded_row(struct str *out, const json_t *commit, int reason)
{
	html_lit(out, "<tr><td class=\"text\"><span class=\"sha\">");
	html_txtf(out, "%.12s", page_text(commit, "sha"));
	html_lit(out, "</span> ");
	html_txt(out, page_text(commit, "subject"));
	html_lit(out, "</td><td class=\"text\">");
	html_lit(out, reasons[reason].words);
	html_lit(out, "</td></tr>\n");
}

/* "900 touch no file …; 3 were …". */
static void add_counts(struct str *out, const long long *nr)
{
	const char *sep = "";
	size_t i;

	html_lit(out, "<p>");
	for (i = 0; i < ARRAY_SIZE(reasons); i++) {
		if (!nr[i])
			continue;
		html_lit(out, sep);
		html_count(out, nr[i]);
		html_lit(out, " ");
		html_lit(out, reasons[i].many);
		sep = "; ";
	}
	html_lit(out, ".</p>\n");
}

static void add_table(struct str *out, const json_t *commits, const json_t *set)
{
	size_t shown = 0;
	size_t all = 0;
	const json_t *c;
	size_t i;

	layout_table(out, "Commits that can't matter, oldest first",
		     "Commit|Why not");
	/* the good commit is first; the others are newest first */
	for (i = json_array_size(commits); i-- > 1;) {
		int reason;

		c = json_array_get(commits, i);
		reason = reason_of(c, set);
		if (reason < 0)
			continue;
		if (all++ < MAX_ROWS) {
			excluded_row(out, c, reason);
			shown++;
		}
	}
	layout_table_end(out);
	if (shown < all)
		str_addf(out,
			 "<p class=\"note\">%zu more are in the JSON.</p>\n",
			 all - shown);
}

void bisect_add_excluded(struct str *out, const json_t *b)
{
	const json_t *commits =
		json_object_get(json_object_get(b, "start"), "commits");
	long long nr[ARRAY_SIZE(reasons)] = { 0 };
	json_t *set = candidate_set(b);
	long long all = 0;
	const json_t *c;
	size_t i;

	/* without the engine's record nobody knows */
	if (!json_object_size(set))
		goto out;
	json_array_foreach(commits, i, c)
	{
		int reason = i ? reason_of(c, set) : -1;

		if (reason >= 0) {
			nr[reason]++;
			all++;
		}
	}
	if (!all)
		goto out;
	layout_section(out, "excluded", "Commits that can't matter", all);
	add_counts(out, nr);
	add_table(out, commits, set);
	layout_section_end(out);
out:
	json_decref(set);
}

void bisect_add_raised(struct str *out, const json_t *b)
{
	const json_t *commits =
		json_object_get(json_object_get(b, "start"), "commits");
	size_t shown = 0;
	const json_t *c;
	size_t i;

	json_array_foreach(commits, i, c)
	{
		const char *hot = page_text(c, "hot");

		if (!*hot || shown++ >= MAX_ROWS)
			continue;
		if (shown == 1)
			html_lit(out,
				 "<p>Three times the prior, since they touch a "
				 "file with a function whose share of the "
				 "profile moved:</p>\n<ul>\n");
		html_lit(out, "<li><span class=\"sha\">");
		html_txtf(out, "%.12s", page_text(c, "sha"));
		html_lit(out, "</span> ");
		html_txt(out, hot);
		html_lit(out, "</li>\n");
	}
	if (shown)
		html_lit(out, "</ul>\n");
}
