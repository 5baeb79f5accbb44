// SPDX-License-Identifier: GPL-3.0-or-later
#include "web-static/layout.h"

#include <math.h>
#include <string.h>

#include "web-static/html.h"

#define NARROW_COLUMNS 8

#define CSP                                                         \
	"default-src 'none'; style-src 'self'; script-src 'self'; " \
	"img-src 'self' data:; base-uri 'none'; form-action 'none'"

const char *layout_up(const char *path)
{
	static const char ups[] = "../../../../../../../../";
	size_t depth = 0;

	for (; *path; path++)
		depth += *path == '/';
	return depth < 8 ? ups + 3 * (8 - depth) : ups;
}

static void add_nav(struct str *out, const char *up)
{
	html_lit(out, "<a class=\"skip\" href=\"#main\">Skip to content</a>\n"
		      "<header class=\"top\"><a class=\"mark\"");
	html_href(out, up, "index.html");
	html_lit(out, ">drover</a><nav aria-label=\"Site\"><ul><li><a");
	html_href(out, up, "index.html");
	html_lit(out, ">Overview</a></li><li><a");
	html_href(out, up, "r/index.html");
	html_lit(out, ">Regressions</a></li><li><a");
	html_href(out, up, "help/index.html");
	html_lit(out, ">Help</a></li><li><a");
	html_href(out, up, "feed.atom");
	html_lit(out, ">Feed</a></li></ul></nav></header>\n");
}

void layout_start(struct str *out, const struct layout *page)
{
	const char *up = layout_up(page->path);

	html_lit(out,
		 "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
		 "<meta charset=\"utf-8\">\n"
		 "<meta http-equiv=\"Content-Security-Policy\" content=\"" CSP
		 "\">\n<meta name=\"viewport\" "
		 "content=\"width=device-width, initial-scale=1\">\n"
		 "<meta name=\"color-scheme\" content=\"light dark\">\n"
		 "<meta name=\"referrer\" content=\"no-referrer\">\n<title>");
	html_txt(out, page->title);
	html_lit(out, " · drover</title>\n<link rel=\"stylesheet\"");
	html_href(out, up, "assets/style.css");
	html_lit(out, ">\n<link rel=\"icon\"");
	html_href(out, up, "assets/icon.svg");
	html_lit(out, ">\n<link rel=\"alternate\" "
		      "type=\"application/json\" href=\"index.json\">\n"
		      "<link rel=\"alternate\" type=\"application/atom+xml\"");
	html_href(out, up, "feed.atom");
	html_lit(out, ">\n<script defer");
	str_addf(out, " src=\"%sassets/table.js\"></script>\n</head>\n<body>\n",
		 up);
	add_nav(out, up);
	html_lit(out, "<main id=\"main\">\n");
	if (page->kicker) {
		html_lit(out, "<p class=\"kicker\">");
		html_txt(out, page->kicker);
		html_lit(out, "</p>\n");
	}
	html_lit(out, "<h1>");
	html_txt(out, page->title);
	html_lit(out, "</h1>\n");
}

void layout_end(struct str *out, const struct layout *page)
{
	html_lit(out, "</main>\n<footer><p>This page as "
		      "<a href=\"index.json\">JSON</a>");
	if (page->has_csv)
		html_lit(out, " and <a href=\"index.csv\">CSV</a>");
	html_lit(out, ".");
	if (page->as_of_s > 0) {
		html_lit(out, " Data up to ");
		html_time(out, page->as_of_s);
		html_lit(out, ".");
	}
	html_lit(out, " Made by drover, a machine; every number can be "
		      "recomputed from its database.</p></footer>\n"
		      "</body>\n</html>\n");
}

void layout_section(struct str *out, const char *id, const char *title,
		    long long nr)
{
	html_lit(out, "<div class=\"part\">\n<h2");
	html_attr(out, "id", id);
	html_lit(out, ">");
	html_txt(out, title);
	if (nr >= 0) {
		html_lit(out, " <span class=\"count\">");
		html_count(out, nr);
		html_lit(out, "</span>");
	}
	html_lit(out, "</h2>\n");
}

void layout_section_end(struct str *out)
{
	html_lit(out, "</div>\n");
}

/* Tables of few columns fit a wide screen: those need no box that scrolls. */
static bool is_narrow(const char *columns)
{
	int nr = 1;

	for (; *columns; columns++)
		nr += *columns == '|';
	return nr <= NARROW_COLUMNS;
}

void layout_table(struct str *out, const char *caption, const char *columns)
{
	html_lit(out, is_narrow(columns) ? "<section class=\"scroll fit\""
					 : "<section class=\"scroll\"");
	html_lit(out, " tabindex=\"0\"");
	html_attr(out, "aria-label", caption);
	html_lit(out, "><table><caption>");
	html_txt(out, caption);
	html_lit(out, "</caption>\n<thead><tr>");
	while (*columns) {
		size_t len = strcspn(columns, "|");
		bool is_number = *columns == '#';

		html_lit(out, is_number ? "<th scope=\"col\" class=\"n\">"
					: "<th scope=\"col\">");
		html_txtn(out, columns + is_number, len - is_number);
		html_lit(out, "</th>");
		columns += len + (columns[len] == '|');
	}
	html_lit(out, "</tr></thead>\n<tbody>\n");
}

void layout_table_end(struct str *out)
{
	html_lit(out, "</tbody></table></section>\n");
}

void layout_fact(struct str *out, const char *name, const char *text)
{
	if (!text || !*text)
		return;
	html_lit(out, "<li><span class=\"name\">");
	html_txt(out, name);
	html_lit(out, "</span> <span class=\"value\">");
	html_txt(out, text);
	html_lit(out, "</span></li>\n");
}

void layout_commit(struct str *out, const char *up, const char *sha,
		   const char *subject)
{
	struct str path = STR_INIT;

	if (!sha || !*sha) {
		html_lit(out, "–");
		return;
	}
	str_addf(&path, "commit/%s/index.html", sha);
	html_lit(out, "<a class=\"sha\"");
	html_href(out, up, path.p);
	html_lit(out, ">");
	html_txtf(out, "%.12s", sha);
	html_lit(out, "</a>");
	if (subject && *subject) {
		html_lit(out, " <span class=\"subject\">");
		html_txt(out, subject);
		html_lit(out, "</span>");
	}
	str_release(&path);
}

void layout_change(struct str *out, double pct, const char *direction)
{
	bool is_up = pct > 0;
	const char *class = "";

	if (!isfinite(pct)) {
		html_lit(out, "–");
		return;
	}
	if (direction && pct != 0)
		class = is_up == !strcmp(direction, "higher") ? " better"
							      : " worse";
	str_addf(out, "<span class=\"change%s\">%s %+.1f%%</span>", class,
		 pct == 0 ? "="
		 : is_up  ? "▲"
			  : "▼",
		 pct);
}

/* Words that are not plain: their class and the glyph before them. */
static const struct {
	const char *word;
	const char *class;
	const char *glyph;
} badges[] = {
	{ "regression", "bad", "▼" },	 { "open", "bad", "●" },
	{ "confirmed", "bad", "●" },	 { "failed", "bad", "✕" },
	{ "quarantined", "bad", "✕" },	 { "lost", "bad", "✕" },
	{ "culprit", "bad", "▼" },	 { "bad", "bad", "▼" },
	{ "improvement", "good", "▲" },	 { "ready", "good", "✓" },
	{ "fixed", "good", "✓" },	 { "done", "good", "✓" },
	{ "good", "good", "✓" },	 { "sent", "good", "✓" },
	{ "running", "busy", "▶" },	 { "bisecting", "busy", "▶" },
	{ "building", "busy", "▶" },	 { "leased", "busy", "▶" },
	{ "infra", "warn", "!" },	 { "undecided", "warn", "?" },
	{ "inconclusive", "warn", "?" }, { "drained", "warn", "‖" },
	{ "skipped", "warn", "↷" },
};

void layout_badge(struct str *out, const char *word)
{
	const char *class = "plain";
	const char *glyph = "○";

	for (size_t i = 0; i < sizeof(badges) / sizeof(badges[0]); i++) {
		if (strcmp(badges[i].word, word) != 0)
			continue;
		class = badges[i].class;
		glyph = badges[i].glyph;
	}
	str_addf(out, "<span class=\"badge %s\"><span aria-hidden=\"true\">",
		 class);
	html_lit(out, glyph);
	html_lit(out, "</span> ");
	html_txt(out, word);
	html_lit(out, "</span>");
}

double layout_num(const json_t *obj, const char *key)
{
	return json_opt_num(obj, key, NAN);
}
