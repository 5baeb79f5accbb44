// SPDX-License-Identifier: GPL-3.0-or-later
#include "web-static/comparison_table.h"

#include <math.h>
#include <string.h>

#include "analysis/kpi.h"
#include "report/lkp_table.h"
#include "web-static/html.h"
#include "web-static/layout.h"
#include "web-static/svg.h"

/* Enough digits that the number comes back as it was. */
static void add_number(struct str *out, double v)
{
	char text[40];
	double back = NAN;

	snprintf(text, sizeof(text), "%.15g", v);
	if (!str_to_double(text, &back) || back != v)
		snprintf(text, sizeof(text), "%.17g", v);
	str_add(out, text);
}

/* ' data-v="…"': the exact number behind what is printed, for sorting. */
static void add_exact(struct str *out, double v)
{
	if (!isfinite(v))
		return;
	str_add(out, " data-v=\"");
	add_number(out, v);
	str_add(out, "\"");
}

/* A field of the LKP table without the blanks that align it there. */
static void add_trimmed(struct str *out, const struct str *field)
{
	const char *p = field->p + strspn(field->p, " ");
	size_t len = strlen(p);

	while (len && p[len - 1] == ' ')
		len--;
	html_txtn(out, p, len);
}

static void value_cell(struct str *out, const struct compare_side *side)
{
	struct str field = STR_INIT;

	html_lit(out, "<td class=\"n\"");
	if (side->n)
		add_exact(out, side->avg);
	html_lit(out, ">");
	lkp_add_value(&field, side, false);
	add_trimmed(out, &field);
	html_lit(out, "</td>");
	str_release(&field);
}

static const char *change_class(const char *name, double change)
{
	int direction = kpi_direction(name);

	if (!direction || change == 0 || !isfinite(change))
		return "change";
	return (change > 0) == (direction > 0) ? "change better"
					       : "change worse";
}

static void change_cell(struct str *out, const struct compare_metric *m)
{
	double change = m->side[1].change;
	struct str field = STR_INIT;

	html_lit(out, "<td class=\"n\"");
	add_exact(out, change);
	str_addf(out, "><span class=\"%s\">%s ", change_class(m->name, change),
		 change > 0   ? "▲"
		 : change < 0 ? "▼"
			      : "=");
	lkp_add_change(&field, m, 1);
	add_trimmed(out, &field);
	html_lit(out, "</span></td>");
	str_release(&field);
}

static void doubt_cells(struct str *out, const struct compare_metric *m,
			const struct comparison_doubt *doubt)
{
	bool huge = fabs(doubt->lo) >= 1e5 || fabs(doubt->hi) >= 1e5;

	html_lit(out, "<td class=\"n\">");
	if (isfinite(doubt->lo) && isfinite(doubt->hi))
		str_addf(out, huge ? "%+.2g … %+.2g%s" : "%+.1f … %+.1f%s",
			 doubt->lo, doubt->hi, m->absolute ? "" : "%");
	html_lit(out, "</td><td class=\"n\"");
	add_exact(out, doubt->q);
	html_lit(out, ">");
	if (isfinite(doubt->q))
		str_addf(out, doubt->q < 0.0001 ? "&lt; 0.0001" : "%.4f",
			 doubt->q);
	html_lit(out, "</td>");
}

static void fill_side(const struct comparison_data *d,
		      const struct compare_metric *m, int side,
		      struct svg_side *out)
{
	const struct matrix_metric *row = comparison_row(d, m->name, side);

	*out = (struct svg_side){
		.value = row ? row->value : NULL,
		.nr = row ? row->nr : 0,
		.median = m->side[side].median,
		.ci_low = NAN,
		.ci_high = NAN,
	};
}

static void metric_row(struct str *out, const struct comparison_data *d,
		       size_t index)
{
	const struct compare_metric *m = &d->cmp.metric[index];
	struct svg_side base;
	struct svg_side head;

	html_lit(out, "<tr><th scope=\"row\" class=\"key\">");
	html_txt(out, m->name);
	html_lit(out, "</th>");
	value_cell(out, &m->side[0]);
	change_cell(out, m);
	value_cell(out, &m->side[1]);
	doubt_cells(out, m, &d->doubt[index]);
	str_addf(out, "<td class=\"n\">%zu/%zu</td><td>", m->side[0].n,
		 m->side[1].n);
	fill_side(d, m, 0, &base);
	fill_side(d, m, 1, &head);
	svg_row(out, &base, &head, NULL);
	html_lit(out, "</td></tr>\n");
}

/* A family may have both failures and numbers, in two tables. */
static void add_anchor(struct str *out, const struct compare_metric *m)
{
	str_add(out, m->failure ? "x-" : "f-");
	site_slug(out, m->family, 80);
}

static void group_row(struct str *out, const struct compare_metric *m,
		      int columns)
{
	str_addf(out,
		 "<tr class=\"group\"><th scope=\"rowgroup\" colspan=\"%d\" "
		 "id=\"",
		 columns);
	add_anchor(out, m);
	html_lit(out, "\">");
	html_txt(out, m->family);
	html_lit(out, "</th></tr>\n");
}

void comparison_add_rows(struct str *out, const struct comparison_data *d,
			 const size_t *row, size_t nr, bool groups)
{
	const char *family = "";

	layout_table(out,
		     "Mean of all runs ± standard deviation; the dots are the "
		     "runs, base above head",
		     "Metric|#Base|#Change|#Head|#95% interval|#q|#Runs|Runs, "
		     "base above head");
	for (size_t i = 0; i < nr; i++) {
		const struct compare_metric *m = &d->cmp.metric[row[i]];

		if (m->failure)
			continue;
		if (groups && strcmp(family, m->family) != 0)
			group_row(out, m, 8);
		family = m->family;
		metric_row(out, d, row[i]);
	}
	layout_table_end(out);
}

static void fail_cell(struct str *out, const struct compare_side *side)
{
	str_addf(out, "<td class=\"n\">%zu of %zu</td>", side->fails,
		 side->runs);
}

void comparison_add_failures(struct str *out, const struct comparison_data *d,
			     const size_t *row, size_t nr, bool groups)
{
	const char *family = "";
	bool any = false;

	for (size_t i = 0; i < nr; i++) {
		const struct compare_metric *m = &d->cmp.metric[row[i]];

		if (!m->failure)
			continue;
		if (!any)
			layout_table(out,
				     "Failures: in how many runs each was "
				     "seen",
				     "Failure|#Base|#Reproduction|#Head");
		any = true;
		if (groups && strcmp(family, m->family) != 0)
			group_row(out, m, 4);
		family = m->family;
		html_lit(out, "<tr><th scope=\"row\" class=\"key\">");
		html_txt(out, m->name);
		html_lit(out, "</th>");
		fail_cell(out, &m->side[0]);
		str_addf(out, "<td class=\"n\">%+.0f points</td>",
			 m->side[1].change);
		fail_cell(out, &m->side[1]);
		html_lit(out, "</tr>\n");
	}
	if (any)
		layout_table_end(out);
}

void comparison_all_path(struct str *out, size_t page)
{
	str_add(out, "all/");
	if (page)
		str_addf(out, "%zu/", page + 1);
}

static void family_row(struct str *out, const struct compare_metric *m,
		       size_t first, const size_t counts[2])
{
	struct str path = STR_INIT;

	comparison_all_path(&path, first / COMPARISON_PAGE_ROWS);
	html_lit(out, "<tr><th scope=\"row\" class=\"key\"><a href=\"");
	html_url(out, path.p);
	html_lit(out, "index.html#");
	add_anchor(out, m);
	html_lit(out, "\">");
	html_txt(out, m->family);
	html_lit(out, m->failure ? " (failures)" : "");
	str_addf(out,
		 "</a></th><td class=\"n\">%zu</td><td class=\"n\">%zu</td>"
		 "</tr>\n",
		 counts[1], counts[0]);
	str_release(&path);
}

static bool same_group(const struct compare_metric *a,
		       const struct compare_metric *b)
{
	return a->failure == b->failure && !strcmp(a->family, b->family);
}

void comparison_add_families(struct str *out, const struct comparison_data *d,
			     const size_t *all, size_t nr)
{
	size_t i = 0;

	layout_table(out, "Metric families, each linked to all its rows",
		     "Family|#Shown|#Tested");
	while (i < nr) {
		const struct compare_metric *m = &d->cmp.metric[all[i]];
		size_t counts[2] = { 0, 0 };
		size_t first = i;

		for (; i < nr && same_group(m, &d->cmp.metric[all[i]]); i++) {
			counts[0]++;
			counts[1] += d->cmp.metric[all[i]].changed;
		}
		family_row(out, m, first, counts);
	}
	layout_table_end(out);
}

static json_t *side_json(const struct compare_metric *m, int s)
{
	const struct compare_side *side = &m->side[s];

	if (m->failure)
		return json_pack("{s:I,s:I}", "fails", (json_int_t)side->fails,
				 "runs", (json_int_t)side->runs);
	return json_pack("{s:I,s:o,s:o,s:o,s:o,s:o}", "n", (json_int_t)side->n,
			 "avg",
			 side->n ? json_real_or_null(side->avg) : json_null(),
			 "stddev_pct", json_real_or_null(side->stddev_pct),
			 "median", json_real_or_null(side->median), "min",
			 json_real_or_null(side->min), "max",
			 json_real_or_null(side->max));
}

json_t *comparison_rows_json(const struct comparison_data *d, const size_t *row,
			     size_t nr)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < nr; i++) {
		const struct compare_metric *m = &d->cmp.metric[row[i]];
		const struct comparison_doubt *doubt = &d->doubt[row[i]];
		json_t *obj = json_object();

		json_object_set_new(obj, "name",
				    json_text(m->name, strlen(m->name)));
		json_object_set_new(obj, "failure", json_boolean(m->failure));
		json_object_set_new(obj, "absolute", json_boolean(m->absolute));
		json_object_set_new(obj, "changed", json_boolean(m->changed));
		json_object_set_new(obj, "base", side_json(m, 0));
		json_object_set_new(obj, "head", side_json(m, 1));
		json_object_set_new(obj, "change",
				    json_real_or_null(m->side[1].change));
		if (!m->failure) {
			json_object_set_new(obj, "lo",
					    json_real_or_null(doubt->lo));
			json_object_set_new(obj, "hi",
					    json_real_or_null(doubt->hi));
			json_object_set_new(obj, "p",
					    json_real_or_null(doubt->p));
			json_object_set_new(obj, "q",
					    json_real_or_null(doubt->q));
		}
		json_array_append_new(rows, obj);
	}
	return rows;
}

void comparison_csv_field(struct str *out, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		str_add(out, text);
		return;
	}
	str_addch(out, '"');
	for (; *text; text++) {
		if (*text == '"')
			str_addch(out, '"');
		str_addch(out, *text);
	}
	str_addch(out, '"');
}

static void csv_number(struct str *out, double v)
{
	str_addch(out, ',');
	if (isfinite(v))
		add_number(out, v);
}

void comparison_add_csv(struct str *out, const struct comparison_data *d,
			const size_t *row, size_t nr)
{
	str_add(out, "metric,kind,absolute,n_0,avg_0,stddev_pct_0,n_1,avg_1,"
		     "stddev_pct_1,change,lo,hi,p,q,changed\r\n");
	for (size_t i = 0; i < nr; i++) {
		const struct compare_metric *m = &d->cmp.metric[row[i]];
		const struct comparison_doubt *doubt = &d->doubt[row[i]];

		comparison_csv_field(out, m->name);
		str_addf(out, ",%s,%d", m->failure ? "failure" : "number",
			 m->absolute);
		for (int s = 0; s < 2; s++) {
			const struct compare_side *side = &m->side[s];

			str_addf(out, ",%zu",
				 m->failure ? side->runs : side->n);
			csv_number(out, m->failure ? (double)side->fails
					: side->n  ? side->avg
						   : NAN);
			csv_number(out, m->failure ? NAN : side->stddev_pct);
		}
		csv_number(out, m->side[1].change);
		csv_number(out, doubt->lo);
		csv_number(out, doubt->hi);
		csv_number(out, doubt->p);
		csv_number(out, doubt->q);
		str_addf(out, ",%d\r\n", m->changed);
	}
}
