// SPDX-License-Identifier: GPL-3.0-or-later
#include "web-static/svg.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"
#include "web-static/html.h"

#define ROW_PX	    64
#define AXIS_PX	    30
#define LEFT_PCT    3.0
#define WIDTH_PCT   94.0
#define SPREAD_PX   16.0
#define SMALL_WIDTH 120
#define BARS_HEIGHT 100.0

/* The values' whole range; a range of nothing is opened around its value. */
struct scale {
	double lo, hi;
};

static void scale_add(struct scale *s, double v)
{
	if (!isfinite(v))
		return;
	if (!(s->lo <= v))
		s->lo = v;
	if (!(s->hi >= v))
		s->hi = v;
}

static bool scale_close(struct scale *s)
{
	double pad;

	if (isnan(s->lo))
		return false;
	pad = (s->hi - s->lo) * 0.04;
	if (pad == 0)
		pad = s->lo == 0 ? 1 : fabs(s->lo) * 0.01;
	s->lo -= pad;
	s->hi += pad;
	return isfinite(s->lo) && isfinite(s->hi) && s->hi > s->lo;
}

static double scale_at(const struct scale *s, double v)
{
	return (v - s->lo) / (s->hi - s->lo);
}

static double pct_at(const struct scale *s, double v)
{
	return LEFT_PCT + WIDTH_PCT * scale_at(s, v);
}

void svg_number(struct str *out, double value)
{
	static const struct {
		double from;
		const char *unit;
	} units[] = {
		{ 1e12, " T" }, { 1e9, " G" }, { 1e6, " M" }, { 1e4, " k" }
	};
	double size = fabs(value);

	for (size_t i = 0; i < ARRAY_SIZE(units) && size < 1e15; i++) {
		double by = units[i].from == 1e4 ? 1e3 : units[i].from;

		if (size < units[i].from)
			continue;
		str_addf(out, "%.4g%s", value / by, units[i].unit);
		return;
	}
	str_addf(out, "%.4g", value);
}

/* Distance of ticks: 1, 2 or 5 times a power of ten, about 5 of them. */
static double tick_step(const struct scale *s)
{
	double raw = (s->hi - s->lo) / 5;
	double base = pow(10, floor(log10(raw)));

	if (raw / base < 1.5)
		return base;
	if (raw / base < 3.5)
		return base * 2;
	return raw / base < 7.5 ? base * 5 : base * 10;
}

static void add_axis(struct str *out, const struct scale *s, int y)
{
	double step = tick_step(s);
	double first = ceil(s->lo / step);

	str_addf(out,
		 "<line class=\"axis\" x1=\"0\" x2=\"100%%\" y1=\"%d\" "
		 "y2=\"%d\"/>\n",
		 y, y);
	for (int i = 0; i < 10 && (first + i) * step <= s->hi; i++) {
		double v = (first + i) * step;
		double x = pct_at(s, v);

		if (fabs(v) < step * 1e-9)
			v = 0;
		str_addf(out,
			 "<line class=\"axis\" x1=\"%.2f%%\" x2=\"%.2f%%\" "
			 "y1=\"%d\" y2=\"%d\"/>"
			 "<text class=\"tick\" x=\"%.2f%%\" y=\"%d\">",
			 x, x, y, y + 5, x, y + 20);
		svg_number(out, v);
		html_lit(out, "</text>\n");
	}
}

static int nr_boots(const struct svg_side *side)
{
	int max = 0;

	for (size_t i = 0; side->boot && i < side->nr; i++)
		if (side->boot[i] > max)
			max = side->boot[i];
	return max + 1;
}

static void add_dots(struct str *out, const struct svg_side *side,
		     const struct scale *s, size_t index, int mid)
{
	int boots = nr_boots(side);

	for (size_t i = 0; i < side->nr && i < SVG_MAX_POINTS; i++) {
		double dy = 0;

		if (side->boot && boots > 1)
			dy = (side->boot[i] / (boots - 1.0) - 0.5) * SPREAD_PX;
		if (!isfinite(side->value[i]))
			continue;
		str_addf(out,
			 "<circle class=\"s%zu\" cx=\"%.2f%%\" cy=\"%.1f\" "
			 "r=\"4\"/>",
			 index, pct_at(s, side->value[i]), mid + dy);
	}
	html_lit(out, "\n");
}

static void add_side(struct str *out, const struct svg_side *side,
		     const struct scale *s, size_t index)
{
	int top = (int)index * ROW_PX;
	int mid = top + 42;

	str_addf(out, "<text class=\"label t%zu\" x=\"0\" y=\"%d\">", index,
		 top + 15);
	html_txt(out, side->label);
	html_lit(out, "</text>\n");
	if (isfinite(side->ci_low) && isfinite(side->ci_high))
		str_addf(out,
			 "<line class=\"ci s%zu\" x1=\"%.2f%%\" x2=\"%.2f%%\" "
			 "y1=\"%d\" y2=\"%d\"/>\n",
			 index, pct_at(s, side->ci_low),
			 pct_at(s, side->ci_high), mid, mid);
	add_dots(out, side, s, index, mid);
	if (isfinite(side->mean))
		str_addf(out,
			 "<line class=\"mean s%zu\" x1=\"%.2f%%\" "
			 "x2=\"%.2f%%\" y1=\"%d\" y2=\"%d\"/>\n",
			 index, pct_at(s, side->mean), pct_at(s, side->mean),
			 mid - 15, mid + 15);
}

void svg_strip(struct str *out, const struct svg_side *side, size_t nr_sides,
	       const char *title)
{
	struct scale s = { NAN, NAN };
	int height = (int)nr_sides * ROW_PX + AXIS_PX;

	for (size_t i = 0; i < nr_sides; i++) {
		for (size_t k = 0; k < side[i].nr && k < SVG_MAX_POINTS; k++)
			scale_add(&s, side[i].value[k]);
		scale_add(&s, side[i].ci_low);
		scale_add(&s, side[i].ci_high);
	}
	if (!scale_close(&s))
		return;
	str_addf(out,
		 "<svg class=\"strip\" role=\"img\" width=\"100%%\" "
		 "height=\"%d\" xmlns=\"http://www.w3.org/2000/svg\"><title>",
		 height);
	html_txt(out, title);
	html_lit(out, "</title>\n");
	for (size_t i = 0; i < nr_sides; i++)
		add_side(out, &side[i], &s, i);
	add_axis(out, &s, (int)nr_sides * ROW_PX + 4);
	html_lit(out, "</svg>\n");
}

static int compare_ints(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* Dots of one side: a line of no length per distinct pixel. */
static void add_small_dots(struct str *out, const struct svg_side *side,
			   const struct scale *s, int row)
{
	int x[SVG_MAX_POINTS];
	size_t nr = 0;

	for (size_t i = 0; i < side->nr && nr < SVG_MAX_POINTS; i++) {
		if (!isfinite(side->value[i]))
			continue;
		x[nr++] = (int)lround(2 + (SMALL_WIDTH - 4) *
						  scale_at(s, side->value[i]));
	}
	qsort(x, nr, sizeof(x[0]), compare_ints);
	str_addf(out, "<path class=\"s%d\" d=\"", row);
	for (size_t i = 0; i < nr; i++) {
		if (!i)
			str_addf(out, "M%d %dh0", x[i], row ? 14 : 6);
		else if (x[i] != x[i - 1])
			str_addf(out, "m%d 0h0", x[i] - x[i - 1]);
	}
	html_lit(out, "\"/>");
}

void svg_row(struct str *out, const struct svg_side *base,
	     const struct svg_side *head, const double range[2])
{
	static const char *const names[2] = { "base", "head" };
	const struct svg_side *side[2] = { base, head };
	struct scale s = { NAN, NAN };

	for (int i = 0; range && i < 2; i++)
		scale_add(&s, range[i]);
	for (int i = 0; i < 2; i++)
		for (size_t k = 0; k < side[i]->nr && k < SVG_MAX_POINTS; k++)
			scale_add(&s, side[i]->value[k]);
	if (!scale_close(&s))
		return;
	html_lit(out, "<svg class=\"row\" role=\"img\" viewBox=\"0 0 120 20\" "
		      "width=\"120\" height=\"20\"><title>");
	for (int i = 0; i < 2; i++) {
		html_txtf(out, "%s%s n %zu median ", i ? ", " : "",
			  side[i]->label ? side[i]->label : names[i],
			  side[i]->nr);
		svg_number(out, side[i]->median);
	}
	html_lit(out, "</title>");
	for (int i = 0; i < 2; i++)
		if (side[i]->nr)
			add_small_dots(out, side[i], &s, i);
	html_lit(out, "</svg>");
}

static double clamp01(double v)
{
	return v > 0 ? v < 1 ? v : 1 : 0;
}

/* One filled bar; what is more than nothing is at least a line. */
static void add_bar(struct str *out, size_t i, size_t nr, double p)
{
	double gap = nr > 200 ? 0 : 0.12;
	double h = BARS_HEIGHT * clamp01(p);

	if (p <= 0)
		return;
	if (h < 1.2)
		h = 1.2;
	str_addf(out, "M%.2f %.4gv%.4gh%.2fv%.4gz", (double)i + gap,
		 BARS_HEIGHT, -h, 1 - 2 * gap, h);
}

void svg_bars(struct str *out, const double *before, const double *after,
	      size_t nr, long peak, const char *title)
{
	if (!nr)
		return;
	str_addf(out,
		 "<svg class=\"bars\" role=\"img\" viewBox=\"0 0 %zu 100\" "
		 "preserveAspectRatio=\"none\" width=\"100%%\" height=\"140\" "
		 "xmlns=\"http://www.w3.org/2000/svg\"><title>",
		 nr);
	html_txt(out, title);
	html_lit(out, "</title>\n<path class=\"after\" d=\"");
	for (size_t i = 0; i < nr; i++)
		if ((long)i != peak)
			add_bar(out, i, nr, after[i]);
	html_lit(out, "\"/>\n<path class=\"peak\" d=\"");
	if (peak >= 0 && (size_t)peak < nr)
		add_bar(out, (size_t)peak, nr, after[peak]);
	html_lit(out, "\"/>\n<path class=\"before\" d=\"");
	for (size_t i = 0; i < nr; i++) {
		double y = BARS_HEIGHT * (1 - clamp01(before[i]));

		str_addf(out, i ? "V%.4gh1" : "M0 %.4gh1", y);
	}
	html_lit(out, "\"/>\n</svg>\n");
}
