// SPDX-License-Identifier: GPL-3.0-or-later
#include "web-static/comparison_headline.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/metric_info.h"
#include "base/mem.h"
#include "web-static/html.h"
#include "web-static/layout.h"
#include "web-static/page.h"
#include "web-static/svg.h"

#define MAX_SAMPLE_ROWS 200

/* The runs of one side as the strip plot wants them; arrays to be freed. */
static void strip_side(const struct comparison_data *d, int s,
		       struct svg_side *out, double **value, int **boot)
{
	const struct matrix_metric *row =
		comparison_row(d, d->headline->name, s);
	const struct compare_side *side = &d->headline->side[s];

	*value = xcalloc(d->nr_runs + 1, sizeof(double));
	*boot = xcalloc(d->nr_runs + 1, sizeof(int));
	out->nr = 0;
	for (size_t i = 0; row && i < d->nr_runs; i++) {
		const struct comparison_run *run = &d->run[i];

		if (run->side != s || run->column >= row->nr ||
		    !isfinite(row->value[run->column]))
			continue;
		(*value)[out->nr] = row->value[run->column];
		(*boot)[out->nr++] = run->boot;
	}
	out->value = *value;
	out->boot = *boot;
	out->mean = side->n ? side->avg : NAN;
	out->median = side->median;
	out->ci_low = NAN;
	out->ci_high = NAN;
}

static void strip_label(struct str *out, const char *name,
			const struct comparison_data *d, int s)
{
	const struct compare_side *side = &d->headline->side[s];

	str_addf(
		out, "%s %.12s · n %zu · median ", name,
		page_text(json_object_get(d->info, s ? "head" : "base"), "sha"),
		side->n);
	svg_number(out, side->median);
}

static void add_strip(struct str *out, const struct comparison_data *d)
{
	struct svg_side side[2];
	struct str label[2] = { STR_INIT, STR_INIT };
	struct str title = STR_INIT;
	double *value[2];
	int *boot[2];

	str_addf(&title, "%s: ", d->headline->name);
	for (int s = 0; s < 2; s++) {
		strip_side(d, s, &side[s], &value[s], &boot[s]);
		strip_label(&label[s], s ? "head" : "base", d, s);
		side[s].label = label[s].p;
		str_addf(&title, "%s%s", s ? "; " : "", label[s].p);
	}
	if (isfinite(layout_num(d->info, "ci_low_pct")))
		str_addf(&title,
			 "; change %+.1f%%, 95%% interval %+.1f%% to "
			 "%+.1f%%",
			 layout_num(d->info, "change_pct"),
			 layout_num(d->info, "ci_low_pct"),
			 layout_num(d->info, "ci_high_pct"));
	html_lit(out, "<figure>\n");
	svg_strip(out, side, 2, title.p);
	html_lit(out, "<figcaption>Each dot is one run, dots of one boot lie "
		      "on one level, the tick is the mean.</figcaption>\n"
		      "</figure>\n");
	for (int s = 0; s < 2; s++) {
		free(value[s]);
		free(boot[s]);
		str_release(&label[s]);
	}
	str_release(&title);
}

static void sample_row(struct str *out, const struct comparison_data *d,
		       const json_t *row, const struct comparison_run *run)
{
	const struct matrix_metric *m =
		comparison_row(d, d->headline->name, run->side);
	bool has = m && run->column < m->nr && isfinite(m->value[run->column]);

	str_addf(out,
		 "<tr><td>%s</td><td class=\"n\">%d</td><td class=\"n\">%lld"
		 "</td>",
		 run->side ? "head" : "base", run->boot + 1,
		 page_int(row, "seq"));
	page_cell(out, "nowrap", page_text(row, "box"));
	html_lit(out, "<td class=\"nowrap\">");
	html_time(out, page_int(row, "started_s"));
	html_lit(out, "</td><td class=\"n\">");
	html_duration(out, layout_num(row, "seconds"));
	html_lit(out, "</td><td class=\"n\">");
	if (has)
		str_addf(out, "%.10g", m->value[run->column]);
	html_lit(out, "</td><td class=\"text\">");
	html_txt(out, page_text(row, "state"));
	if (*page_text(row, "why")) {
		html_lit(out, ": ");
		html_txt(out, page_text(row, "why"));
	}
	html_lit(out, "</td></tr>\n");
}

static void add_samples(struct str *out, const struct comparison_data *d)
{
	size_t i;
	json_t *row;

	html_lit(out, "<details><summary>All runs of the headline, in the "
		      "order they were made</summary>\n");
	layout_table(out, d->headline->name,
		     "Side|#Boot|#Run|Box|Started|#Length|#Value|State");
	json_array_foreach(d->runs, i, row)
	{
		const struct comparison_run *run =
			comparison_find_run(d, page_int(row, "id"));

		if (i < MAX_SAMPLE_ROWS && run)
			sample_row(out, d, row, run);
	}
	layout_table_end(out);
	html_lit(out, "</details>\n");
}

void comparison_add_headline(struct str *out, const struct comparison_data *d)
{
	const struct metric_info *info = metric_info_find(d->headline->name);

	layout_section(out, "headline", d->headline->name, -1);
	if (info) {
		html_lit(out, "<p>");
		html_txt(out, info->text);
		if (*info->unit)
			html_txtf(out, ", in %s", info->unit);
		html_lit(out, info->direction > 0   ? ". More is better.</p>\n"
			      : info->direction < 0 ? ". Less is better.</p>\n"
						    : ".</p>\n");
	}
	add_strip(out, d);
	add_samples(out, d);
	layout_section_end(out);
}
