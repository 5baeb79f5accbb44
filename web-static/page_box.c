// SPDX-License-Identifier: GPL-3.0-or-later
// A box's page: its hardware, its health, how noisy it is, what waits for it.
#include "web-static/page_box.h"

#include <math.h>
#include <string.h>

#include "db/view_index.h"
#include "db/view_job.h"
#include "web-static/html.h"
#include "web-static/layout.h"
#include "web-static/page.h"

#define UP "../../"

/* What was probed, whatever it is called: scalars only. */
static void add_hardware(struct str *out, const json_t *hw)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)hw, key, value)
	{
		struct str name = STR_INIT;
		struct str text = STR_INIT;

		for (const char *p = key; *p; p++)
			str_addn(&name, *p == '_' ? " " : p, 1);
		if (json_is_string(value))
			str_add(&text, json_string_value(value));
		else if (!json_is_object(value) && !json_is_array(value))
			json_add_text(&text, value);
		layout_fact(out, name.p, text.p);
		str_release(&name);
		str_release(&text);
	}
}

static void add_facts(struct str *out, const json_t *box)
{
	const json_t *spec = json_object_get(box, "spec");

	html_lit(out, "<ul class=\"facts\">\n");
	layout_fact(out, "Group", page_text(box, "tbox_group"));
	layout_fact(out, "Tags", page_text(box, "tags"));
	add_hardware(out, json_object_get(box, "hw"));
	layout_fact(out, "Description", page_text(spec, "description"));
	layout_fact(out, "Backend", page_text(spec, "backend"));
	layout_fact(out, "Boot method",
		    page_text(json_object_get(spec, "boot"), "method"));
	layout_fact(out, "Pinned host key", page_text(spec, "host_key"));
	page_fact_start(out, "Infrastructure failures in a row");
	str_addf(out, "%lld", page_int(box, "infra_failures"));
	page_fact_end(out);
	html_lit(out, "</ul>\n");
}

static void ratio_cell(struct str *out, const json_t *row, const char *key)
{
	double v = layout_num(row, key);

	html_lit(out, "<td class=\"n\">");
	if (isfinite(v))
		str_addf(out, "%.2f%%", 100 * v);
	html_lit(out, "</td>");
}

static void calibration_row(struct str *out, const json_t *row)
{
	html_lit(out, "<tr><td>");
	layout_badge(out, page_text(row, "verdict"));
	html_lit(out, "</td><td class=\"key\">");
	html_txt(out, page_text(row, "metric"));
	html_lit(out, "</td>");
	page_cell(out, "text", page_text(row, "path"));
	ratio_cell(out, row, "sd_ratio");
	ratio_cell(out, row, "boot_share");
	ratio_cell(out, row, "layout_sd_ratio");
	ratio_cell(out, row, "drift_ratio");
	ratio_cell(out, row, "offset_ratio");
	str_addf(out,
		 "<td class=\"n\">%.1f</td><td class=\"n\">%lld/%lld</td>"
		 "<td class=\"nowrap\">",
		 layout_num(row, "dof"), page_int(row, "aa_alarms"),
		 page_int(row, "aa_trials"));
	html_time(out, page_int(row, "at_s"));
	html_lit(out, "</td></tr>\n");
}

static void job_cell(struct str *out, const json_t *row)
{
	struct str path = STR_INIT;
	struct str text = STR_INIT;

	str_addf(&path, "job/%lld/index.html", page_int(row, "job"));
	str_addf(&text, "job %lld", page_int(row, "job"));
	html_lit(out, "<td class=\"nowrap\">");
	html_link(out, UP, path.p, text.p);
	html_lit(out, "</td><td class=\"nowrap\">");
	layout_commit(out, UP, page_text(row, "sha"), NULL);
	html_lit(out, "</td>");
	str_release(&path);
	str_release(&text);
}

static void queue_row(struct str *out, const json_t *row)
{
	html_lit(out, "<tr><td>");
	layout_badge(out, page_text(row, "state"));
	html_lit(out, "</td>");
	job_cell(out, row);
	str_addf(out,
		 "<td class=\"n\">%lld</td><td class=\"n\">%lld</td></tr>\n",
		 page_int(row, "runs"), page_int(row, "tries"));
}

static void boot_row(struct str *out, const json_t *row)
{
	html_lit(out, "<tr><td class=\"nowrap\">");
	html_time(out, page_int(row, "booted_s"));
	html_lit(out, "</td>");
	job_cell(out, row);
	str_addf(out, "<td class=\"n\">%lld</td><td class=\"n\">",
		 page_int(row, "runs"));
	html_duration(out, layout_num(row, "boot_seconds"));
	html_lit(out, "</td>");
	page_cell(out, "hex", page_text(row, "build_id"));
	html_lit(out, "</tr>\n");
}

static void add_noise(struct str *out, const json_t *box)
{
	const json_t *rows = json_object_get(box, "calibrations");

	layout_section(out, "noise", "Noise, by A/A boots of one kernel",
		       (long long)json_array_size(rows));
	html_lit(
		out,
		"<p class=\"muted\">Noise: deviation of one run in a fresh "
		"boot, of the mean, and how much of its variance is between "
		"boots. Layouts: deviation between code layouts. Drift: of the "
		"level, per boot. Offset: against the group's other boxes. "
		"Alarms: splits of the boots that were called a change.</p>\n");
	page_rows(out, "Newest first",
		  "Verdict|Metric|Test|#Noise|#Between boots|#Layouts|#Drift|"
		  "#Offset|#Freedom|#Alarms|Measured",
		  rows, calibration_row);
	layout_section_end(out);
}

static void rejected_row(struct str *out, const json_t *row)
{
	html_lit(out, "<tr><td class=\"nowrap\">");
	html_time(out, page_int(row, "at_s"));
	html_lit(out, "</td>");
	job_cell(out, row);
	page_cell(out, "text", page_text(row, "why"));
	html_lit(out, "</tr>\n");
}

static void add_rejected(struct str *out, const json_t *box)
{
	const json_t *rows = json_object_get(box, "rejected");

	if (!json_array_size(rows))
		return;
	layout_section(out, "rejected", "Boots that didn't count",
		       (long long)json_array_size(rows));
	page_rows(out, "Void before anyone looked at what they measured",
		  "When|Job|Commit|Why", rows, rejected_row);
	layout_section_end(out);
}

void page_box_html(struct str *out, const json_t *box)
{
	const json_t *queue = json_object_get(box, "queue");
	const json_t *boots = json_object_get(box, "boots");
	struct str path = STR_INIT;
	struct layout page = { .kicker = "Test box" };

	str_add(&path, "box/");
	site_slug(&path, page_text(box, "name"), 80);
	str_addch(&path, '/');
	page.path = path.p;
	page.title = page_text(box, "name");
	layout_start(out, &page);
	html_lit(out, "<p>");
	layout_badge(out, page_text(box, "state"));
	html_lit(out, " ");
	html_txt(out, page_text(box, "why"));
	html_lit(out, "</p>\n");
	add_facts(out, box);
	add_noise(out, box);
	layout_section(out, "queue", "Waiting for this box",
		       (long long)json_array_size(queue));
	page_rows(out, "Boots in the order in which they come",
		  "State|Job|Commit|#Runs|#Tries", queue, queue_row);
	layout_section_end(out);
	layout_section(out, "boots", "Last boots",
		       (long long)json_array_size(boots));
	page_rows(out, "Verified boots, newest first",
		  "Booted|Job|Commit|#Runs|#Boot time|Build-id", boots,
		  boot_row);
	layout_section_end(out);
	add_rejected(out, box);
	layout_end(out, &page);
	str_release(&path);
}

/*
 * The box as readers may see it: hooks, addresses and key files of its lab
 * entry are nobody's business.
 */
static void hide_private(json_t *box)
{
	const json_t *spec = json_object_get(box, "spec");
	json_t *shown = json_object();

	for (size_t i = 0; i < 3; i++) {
		static const char *const keys[] = { "description", "backend",
						    "host_key" };
		json_t *value = json_object_get(spec, keys[i]);

		if (value)
			json_object_set(shown, keys[i], value);
	}
	json_object_set_new(
		shown, "boot",
		json_pack("{s:s}", "method",
			  page_text(json_object_get(spec, "boot"), "method")));
	json_object_set_new(box, "spec", shown);
}

static int put_box(struct site *site, const char *name, struct err *err)
{
	struct str html = STR_INIT;
	struct str path = STR_INIT;
	json_t *box = view_box(site->db, name, err);
	int rc = box ? 0 : err->code;

	if (box) {
		hide_private(box);
		str_add(&path, "box/");
		site_slug(&path, name, 80);
		str_addch(&path, '/');
		page_box_html(&html, box);
		rc = site_put_page(site, path.p, &html, box, NULL, err);
	}
	json_decref(box);
	str_release(&html);
	str_release(&path);
	return rc;
}

int page_box_make(struct site *site, struct err *err)
{
	json_t *list = view_boxes(site->db, err);
	int rc = list ? 0 : err->code;
	size_t i;
	json_t *row;

	json_array_foreach(list, i, row) if (!rc) rc =
		put_box(site, page_text(row, "name"), err);
	json_decref(list);
	return rc;
}
