// SPDX-License-Identifier: GPL-3.0-or-later
#include "web-static/bisect_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "web-static/html.h"
#include "web-static/layout.h"
#include "web-static/page.h"
#include "web-static/svg.h"

#define UP	       "../../"
#define MAX_STEPS      500
#define MAX_CANDIDATES 200
#define SHOW_POSTERIOR 0.001

const char *bisect_first_commit(const json_t *b)
{
	const json_t *commits = json_object_get(b, "commits");
	const char *sha = json_string_value(json_array_get(commits, 0));

	return sha ? sha : "";
}

void bisect_add_bars(struct str *out, const json_t *b, const json_t *list)
{
	size_t nr = json_array_size(list);
	double *before = xcalloc(nr + 1, sizeof(double));
	double *after = xcalloc(nr + 1, sizeof(double));
	struct str title = STR_INIT;
	long peak = -1;
	size_t i;
	json_t *row;

	json_array_foreach(list, i, row)
	{
		before[i] = json_opt_num(row, "prior", 0);
		after[i] = json_opt_num(row, "posterior", 0);
		if (peak < 0 || after[i] > after[peak])
			peak = (long)i;
	}
	row = json_array_get(list, peak < 0 ? 0 : (size_t)peak);
	str_addf(&title, "%zu commit%s; ", nr, nr == 1 ? "" : "s");
	if (json_is_number(json_object_get(row, "posterior"))) {
		str_addf(&title, "the likeliest is %.12s with ",
			 page_text(row, "sha"));
		str_add_probability(&title, json_opt_num(row, "posterior", 0));
	} else {
		str_add(&title, "none was weighed");
	}
	html_lit(out, "<figure>\n");
	svg_bars(out, before, after, nr, peak, title.p);
	html_lit(out, "<div class=\"ends\"><span>good ");
	html_txtf(out, "%.12s", page_text(b, "base_sha"));
	html_lit(out, "</span><span>bad ");
	html_txtf(out, "%.12s", page_text(b, "head_sha"));
	html_lit(out, "</span></div>\n<figcaption>One bar per commit: the "
		      "dashed line is the probability of being the first bad "
		      "one before any test, the bar the one now. ");
	html_txt(out, title.p);
	html_lit(out, ".</figcaption>\n</figure>\n");
	free(before);
	free(after);
	str_release(&title);
}

static void meter_cell(struct str *out, double p)
{
	html_lit(out, "<td class=\"n\">");
	page_percent(out, p);
	html_lit(out, "</td><td><svg class=\"meter\" aria-hidden=\"true\">");
	if (p > 0)
		str_addf(out, "<rect width=\"%.1f%%\" height=\"100%%\"/>",
			 100 * fmin(p, 1));
	html_lit(out, "</svg></td>");
}

static void candidate_row(struct str *out, const json_t *row, size_t pos,
			  const char *peak)
{
	str_addf(out, "<tr%s><td class=\"n\">%zu</td><td class=\"text\">",
		 !strcmp(page_text(row, "sha"), peak) ? " class=\"peak\"" : "",
		 pos);
	/* only commits that Drover tested have a page */
	if (page_int(row, "boots")) {
		layout_commit(out, UP, page_text(row, "sha"),
			      page_text(row, "subject"));
	} else {
		html_lit(out, "<span class=\"sha\">");
		html_txtf(out, "%.12s", page_text(row, "sha"));
		html_lit(out, "</span> ");
		html_txt(out, page_text(row, "subject"));
	}
	html_lit(out, "</td><td class=\"n\">");
	page_percent(out, layout_num(row, "prior"));
	html_lit(out, "</td>");
	meter_cell(out, layout_num(row, "posterior"));
	html_lit(out, "<td class=\"n\">");
	page_percent(out, layout_num(row, "bad"));
	str_addf(out, "</td><td class=\"n\">%lld</td>", page_int(row, "runs"));
	page_cell(out, "nowrap",
		  *page_text(row, "status") ? page_text(row, "status")
					    : "not tested");
	html_lit(out, "</tr>\n");
}

static bool worth_a_row(const json_t *row, size_t nr)
{
	return nr <= 40 || page_int(row, "boots") > 0 ||
	       *page_text(row, "status") ||
	       json_opt_num(row, "posterior", 0) >= SHOW_POSTERIOR;
}

void bisect_add_candidates(struct str *out, const json_t *b, const json_t *list)
{
	size_t nr = json_array_size(list);
	size_t shown = 0;
	double rest = 0;
	size_t i;
	json_t *row;

	layout_table(
		out, "Commits, oldest first",
		"#No.|Commit|#Before|#Now|Probability|#Shows the change|#Runs|Tested");
	json_array_foreach(list, i, row)
	{
		if (worth_a_row(row, nr) && shown < MAX_CANDIDATES) {
			candidate_row(out, row, i + 1, bisect_first_commit(b));
			shown++;
		} else {
			rest += json_opt_num(row, "posterior", 0);
		}
	}
	layout_table_end(out);
	if (shown < nr) {
		str_addf(out, "<p class=\"note\">The other %zu commits have ",
			 nr - shown);
		page_percent(out, rest);
		html_lit(out, " together; all are in the JSON and CSV.</p>\n");
	}
}

/* The numbers of a JSON array; owned by the caller. */
static double *numbers_of(const json_t *array, size_t *out_nr)
{
	double *v = xcalloc(json_array_size(array) + 1, sizeof(double));
	size_t i;
	json_t *item;

	*out_nr = 0;
	json_array_foreach(array, i, item) if (json_is_number(item))
		v[(*out_nr)++] = json_number_value(item);
	return v;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median_of(const double *v, size_t nr)
{
	double *copy = xcalloc(nr + 1, sizeof(double));
	double median;

	memcpy(copy, v, nr * sizeof(double));
	qsort(copy, nr, sizeof(double), by_value);
	median = nr ? copy[nr / 2] : NAN;
	free(copy);
	return median;
}

/* What the log's strip plots share: the good end's values, one scale. */
struct log_scale {
	double *good;
	size_t nr_good;
	double range[2];
};

static void samples_cell(struct str *out, const json_t *row,
			 const struct log_scale *scale)
{
	size_t nr;
	double *v = numbers_of(json_object_get(row, "values"), &nr);
	struct svg_side good = {
		.label = "good end",
		.value = scale->good,
		.nr = scale->nr_good,
		.median = median_of(scale->good, scale->nr_good),
	};
	struct svg_side here = { .label = "this commit",
				 .value = v,
				 .nr = nr,
				 .median = median_of(v, nr) };

	html_lit(out, "<td>");
	if (nr)
		svg_row(out, &good, &here, scale->range);
	html_lit(out, "</td>");
	free(v);
}

static void log_row(struct str *out, const json_t *row,
		    const struct log_scale *scale)
{
	const char *status = page_text(row, "status");
	bool skipped = strcmp(status, "ok") != 0;

	str_addf(out, "<tr><td class=\"n\">%lld</td>", page_int(row, "round"));
	page_cell(out, "nowrap", page_text(row, "phase"));
	html_lit(out, "<td class=\"text\">");
	layout_commit(out, UP, page_text(row, "sha"),
		      page_text(row, "subject"));
	str_addf(out, "</td><td class=\"n\">%lld in %lld</td>",
		 page_int(row, "runs"), page_int(row, "boots"));
	samples_cell(out, row, scale);
	html_lit(out, "<td class=\"n\">");
	layout_change(out, layout_num(row, "effect_pct"), NULL);
	html_lit(out, "</td><td class=\"n\">");
	page_percent(out, layout_num(row, "bad"));
	str_addf(out, "</td><td class=\"n\">%lld</td><td class=\"nowrap\">",
		 page_int(row, "candidates_left"));
	if (skipped) {
		html_lit(out, "skipped: ");
		html_txt(out, status);
	}
	html_lit(out, "</td></tr>\n");
}

static void scale_of(const json_t *told, struct log_scale *scale)
{
	const json_t *log = json_object_get(told, "log");
	size_t i;
	json_t *row;

	scale->good = numbers_of(json_object_get(told, "good_values"),
				 &scale->nr_good);
	scale->range[0] = NAN;
	scale->range[1] = NAN;
	json_array_foreach(log, i, row)
	{
		size_t nr;
		double *v = numbers_of(json_object_get(row, "values"), &nr);

		for (size_t k = 0; k < nr; k++) {
			scale->range[0] = fmin(scale->range[0], v[k]);
			scale->range[1] = fmax(scale->range[1], v[k]);
		}
		free(v);
	}
}

void bisect_add_log_table(struct str *out, const json_t *told,
			  const char *phase, const char *caption)
{
	const json_t *log = json_object_get(told, "log");
	struct log_scale scale;
	size_t shown = 0;
	size_t i;
	json_t *row;

	scale_of(told, &scale);
	layout_table(out, caption,
		     "#Round|Phase|Commit|#Runs in boots|Samples, good end "
		     "above|#Effect|#P(bad)|#Left|Skipped");
	json_array_foreach(log, i, row)
	{
		if (phase && strcmp(page_text(row, "phase"), phase) != 0)
			continue;
		if (shown++ < MAX_STEPS)
			log_row(out, row, &scale);
	}
	layout_table_end(out);
	free(scale.good);
}
