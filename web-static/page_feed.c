// SPDX-License-Identifier: GPL-3.0-or-later
#include "web-static/page_feed.h"

#include "base/clock.h"
#include "db/view_index.h"
#include "web-static/html.h"
#include "web-static/page.h"
#include "web-static/page_comparison.h"

#define NR_ENTRIES 50

static void add_time(struct str *out, const char *tag, long long wall_s)
{
	char iso[CLOCK_ISO_BYTES];

	clock_to_iso(wall_s > 0 ? wall_s : 0, iso);
	str_addf(out, "<%s>%s</%s>\n", tag, iso, tag);
}

static void add_entry(struct str *out, const json_t *row, const char *base_url)
{
	struct str title = STR_INIT;

	page_comparison_say(&title, row);
	str_addf(&title, " on %s", page_text(row, "tbox_group"));
	html_lit(out, "<entry>\n<title>");
	html_txt(out, title.p);
	str_addf(out, "</title>\n<id>urn:drover:comparison:%lld</id>\n",
		 page_int(row, "id"));
	html_lit(out, "<link href=\"");
	html_txt(out, base_url);
	html_url(out, page_text(row, "page"));
	html_lit(out, "index.html\"/>\n");
	add_time(out, "updated", page_int(row, "ended_s"));
	html_lit(out, "<summary>");
	html_txt(out, page_text(row, "why"));
	html_txtf(out, "\nHead %.12s (\"%s\"), test %s.",
		  page_text(row, "head_sha"), page_text(row, "head_subject"),
		  page_text(row, "path"));
	html_lit(out, "</summary>\n</entry>\n");
	str_release(&title);
}

void page_feed_atom(struct str *out, const json_t *rows, const char *base_url,
		    long long updated_s)
{
	size_t i;
	json_t *row;

	html_lit(out, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
		      "<feed xmlns=\"http://www.w3.org/2005/Atom\">\n"
		      "<title>drover: kernel performance reports</title>\n"
		      "<id>urn:drover:reports</id>\n"
		      "<author><name>drover</name></author>\n");
	if (*base_url) {
		html_lit(out, "<link rel=\"self\" href=\"");
		html_txt(out, base_url);
		html_lit(out, "feed.atom\"/>\n");
	}
	add_time(out, "updated", updated_s);
	json_array_foreach(rows, i, row) add_entry(out, row, base_url);
	html_lit(out, "</feed>\n");
}

int page_feed_make(struct site *site, struct err *err)
{
	json_t *rows = view_reports(site->db, NR_ENTRIES, err);
	struct str out = STR_INIT;
	int rc = rows ? 0 : err->code;
	long long newest = page_int(json_array_get(rows, 0), "ended_s");

	if (!rc) {
		page_add_comparison_paths(site, rows, "id");
		page_feed_atom(&out, rows, site->base_url, newest);
		rc = site_put(site, "feed.atom", &out, err);
	}
	str_release(&out);
	json_decref(rows);
	return rc;
}
