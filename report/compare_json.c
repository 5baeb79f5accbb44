// SPDX-License-Identifier: GPL-3.0-or-later
// JSON and CSV of a comparison; the header documents both.
#include "report/compare_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/kpi.h"

static json_t *text(const char *s)
{
	return json_text(s, strlen(s));
}

static json_t *side_to_json(const struct compare_metric *m, size_t s)
{
	const struct compare_side *side = &m->side[s];
	json_t *obj = json_object();

	if (m->failure) {
		json_object_set_new(obj, "fails",
				    json_integer((json_int_t)side->fails));
		json_object_set_new(obj, "runs",
				    json_integer((json_int_t)side->runs));
	} else {
		json_object_set_new(obj, "n",
				    json_integer((json_int_t)side->n));
		json_object_set_new(obj, "avg",
				    side->n ? json_real_or_null(side->avg)
					    : json_null());
		json_object_set_new(obj, "stddev",
				    json_real_or_null(side->stddev));
		json_object_set_new(obj, "stddev_pct",
				    json_real_or_null(side->stddev_pct));
		json_object_set_new(obj, "median",
				    json_real_or_null(side->median));
		json_object_set_new(obj, "min", json_real_or_null(side->min));
		json_object_set_new(obj, "max", json_real_or_null(side->max));
	}
	if (s) {
		json_object_set_new(obj, "change",
				    json_real_or_null(side->change));
		json_object_set_new(obj, "changed",
				    json_boolean(side->changed));
		json_object_set_new(obj, "p", json_real_or_null(side->p));
	}
	return obj;
}

static json_t *metric_to_json(const struct compare_metric *m, size_t nr_sides)
{
	json_t *obj = json_object();
	json_t *sides = json_array();

	for (size_t s = 0; s < nr_sides; s++)
		json_array_append_new(sides, side_to_json(m, s));
	json_object_set_new(obj, "name", text(m->name));
	json_object_set_new(obj, "family", text(m->family));
	json_object_set_new(obj, "failure", json_boolean(m->failure));
	json_object_set_new(obj, "absolute", json_boolean(m->absolute));
	json_object_set_new(obj, "own", json_boolean(m->own));
	json_object_set_new(obj, "changed", json_boolean(m->changed));
	json_object_set_new(obj, "direction",
			    json_integer(kpi_direction(m->name)));
	json_object_set_new(obj, "sides", sides);
	return obj;
}

static json_t *headline_to_json(const struct comparison *c)
{
	size_t s = c->nr_sides - 1;
	const struct compare_metric *m = kpi_headline(c, s);
	json_t *obj;

	if (!m)
		return json_null();
	obj = json_object();
	json_object_set_new(obj, "metric", text(m->name));
	json_object_set_new(obj, "change",
			    json_real_or_null(m->side[s].change));
	json_object_set_new(obj, "absolute", json_boolean(m->absolute));
	json_object_set_new(obj, "direction",
			    json_integer(kpi_direction(m->name)));
	json_object_set_new(obj, "word",
			    json_string(kpi_word(kpi_direction(m->name),
						 m->side[s].change)));
	return obj;
}

static json_t *commits_to_json(const struct axes *axes)
{
	json_t *list = json_array();

	for (size_t i = 0; i < axes->nr_commits; i++) {
		json_t *obj = json_object();

		json_object_set_new(obj, "id", text(axes->commit[i].id));
		json_object_set_new(obj, "abbrev",
				    text(axes->commit[i].abbrev));
		json_object_set_new(obj, "subject",
				    text(axes->commit[i].subject));
		json_array_append_new(list, obj);
	}
	return list;
}

json_t *compare_to_json(const struct axes *axes, const struct comparison *c,
			enum compare_show show)
{
	json_t *obj = json_object();
	json_t *list = json_object();
	size_t *row;
	size_t nr;

	for (size_t i = 0; i < axes->nr; i++)
		json_object_set_new(list, axes->axis[i].key,
				    text(axes->axis[i].value));
	json_object_set_new(obj, "axes", list);
	json_object_set_new(obj, "commits", commits_to_json(axes));
	json_object_set_new(obj, "testcase", text(c->testcase));
	json_object_set_new(obj, "metrics_total",
			    json_integer((json_int_t)c->nr));
	json_object_set_new(obj, "metrics_changed",
			    json_integer((json_int_t)c->nr_changed));
	json_object_set_new(obj, "headline", headline_to_json(c));
	list = json_array();
	nr = compare_order(c, show, &row);
	for (size_t i = 0; i < nr; i++)
		json_array_append_new(
			list, metric_to_json(&c->metric[row[i]], c->nr_sides));
	free(row);
	json_object_set_new(obj, "metrics", list);
	return obj;
}

static void add_csv_number(struct str *out, double v)
{
	str_addch(out, ',');
	if (isfinite(v))
		str_addf(out, "%.17g", v);
}

static void add_csv_text(struct str *out, const char *s)
{
	str_addch(out, '"');
	for (; *s; s++) {
		if (*s == '"')
			str_addch(out, '"');
		str_addch(out, *s);
	}
	str_addch(out, '"');
}

static void add_csv_row(struct str *out, const struct compare_metric *m,
			size_t nr_sides)
{
	add_csv_text(out, m->name);
	str_addf(out, ",%s,%d,%d", m->failure ? "failure" : "number",
		 m->absolute, kpi_direction(m->name));
	for (size_t s = 0; s < nr_sides; s++) {
		const struct compare_side *side = &m->side[s];

		str_addf(out, ",%zu", side->n);
		if (m->failure)
			add_csv_number(out, (double)side->fails);
		else
			add_csv_number(out, side->n ? side->avg : NAN);
		add_csv_number(out, side->stddev_pct);
		if (!s)
			continue;
		add_csv_number(out, side->change);
		str_addf(out, ",%d", side->changed);
		add_csv_number(out, side->p);
	}
	str_add(out, "\r\n");
}

void compare_add_csv(struct str *out, const struct comparison *c,
		     enum compare_show show)
{
	size_t *row;
	size_t nr = compare_order(c, show, &row);

	str_add(out, "metric,kind,absolute,direction,n_0,avg_0,stddev_pct_0");
	for (size_t s = 1; s < c->nr_sides; s++)
		str_addf(out,
			 ",n_%zu,avg_%zu,stddev_pct_%zu,change_%zu,"
			 "changed_%zu,p_%zu",
			 s, s, s, s, s, s);
	str_add(out, "\r\n");
	for (size_t i = 0; i < nr; i++)
		add_csv_row(out, &c->metric[row[i]], c->nr_sides);
	free(row);
}
