// SPDX-License-Identifier: GPL-3.0-or-later
#include "web-static/comparison_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/kpi.h"
#include "analysis/welch.h"
#include "base/mem.h"
#include "db/view_comparison.h"
#include "web-static/page.h"

static int by_run_id(const void *a, const void *b)
{
	const struct comparison_run *x = a;
	const struct comparison_run *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

const struct comparison_run *comparison_find_run(
	const struct comparison_data *d, long long id)
{
	struct comparison_run key = { .id = id };

	return bsearch(&key, d->run, d->nr_runs, sizeof(key), by_run_id);
}

/* Give each run its side, its column and its boot's number in that side. */
static void number_runs(struct comparison_data *d)
{
	size_t nr = json_array_size(d->runs);
	long long *boot_id[2];
	size_t i;
	json_t *row;

	d->run = xcalloc(nr + 1, sizeof(d->run[0]));
	boot_id[0] = xcalloc(nr + 1, sizeof(long long));
	boot_id[1] = xcalloc(nr + 1, sizeof(long long));
	json_array_foreach(d->runs, i, row)
	{
		struct comparison_run *run = &d->run[i];
		int side = page_int(row, "side") != 0;
		long long boot = page_int(row, "boot");
		size_t k = 0;

		while (k < d->boots[side] && boot_id[side][k] != boot)
			k++;
		if (k == d->boots[side])
			boot_id[side][d->boots[side]++] = boot;
		run->id = page_int(row, "id");
		run->side = side;
		run->boot = (int)k;
		run->column = d->done[side] + d->failed[side];
		if (!strcmp(page_text(row, "state"), "done"))
			d->done[side]++;
		else
			d->failed[side]++;
		d->nr_runs++;
	}
	qsort(d->run, d->nr_runs, sizeof(d->run[0]), by_run_id);
	free(boot_id[0]);
	free(boot_id[1]);
}

/*
 * Samples come run by run, in the order of row ids; a matrix wants names. So
 * they are gathered per metric id first and each name is looked up once.
 */
struct gather {
	struct comparison_data *data;
	const struct comparison_run *run; /* the last one found */
	long long run_id;
	double **value[2]; /* by metric id, NULL: no value yet */
	size_t nr;
};

static int gather_sample(void *arg, long long run, long long metric,
			 double value, struct err *err)
{
	struct gather *g = arg;
	const struct comparison_data *d = g->data;
	size_t columns;
	double **row;

	if (run != g->run_id || !g->run) {
		g->run = comparison_find_run(d, run);
		g->run_id = run;
	}
	if (!g->run || metric < 0 || (size_t)metric >= g->nr)
		return err_set(err, ERR_DATA,
			       "sample of run %lld, metric %lld: no such", run,
			       metric);
	row = &g->value[g->run->side][metric];
	columns = d->done[g->run->side] + d->failed[g->run->side];
	if (!*row) {
		*row = xcalloc(columns, sizeof(double));
		for (size_t i = 0; i < columns; i++)
			(*row)[i] = NAN;
	}
	if (isfinite(value))
		(*row)[g->run->column] = value;
	return 0;
}

static int move_to_matrix(struct gather *g, int side, char **names,
			  struct err *err)
{
	struct comparison_data *d = g->data;
	size_t columns = d->done[side] + d->failed[side];
	int rc = 0;

	for (size_t m = 0; m < g->nr; m++) {
		const double *row = g->value[side][m];

		for (size_t i = 0; row && names[m] && i < columns && !rc; i++)
			rc = matrix_set(&d->side[side], names[m], i, row[i],
					err);
	}
	d->side[side].runs = columns;
	return rc;
}

static int load_samples(struct site *site, long long id,
			struct comparison_data *d, struct err *err)
{
	struct gather g = { .data = d, .nr = site->nr_metric_names };
	int rc;

	for (int s = 0; s < 2; s++)
		g.value[s] = xcalloc(g.nr + 1, sizeof(double *));
	rc = view_comparison_samples(site->db, id, gather_sample, &g, err);
	for (int s = 0; s < 2; s++) {
		if (!rc)
			rc = move_to_matrix(&g, s, site->metric_names, err);
		for (size_t m = 0; m < g.nr; m++)
			free(g.value[s][m]);
		free(g.value[s]);
	}
	return rc;
}

/* Failed runs count in failure rows alone, so they are marked as incomplete. */
static int load_failures(struct site *site, long long id,
			 struct comparison_data *d, struct err *err)
{
	json_t *rows = view_comparison_failures(site->db, id, err);
	int rc = rows ? 0 : err->code;
	size_t i;
	json_t *row;

	json_array_foreach(rows, i, row)
	{
		const struct comparison_run *run =
			comparison_find_run(d, page_int(row, "run"));

		if (run && !rc)
			rc = matrix_set(&d->side[run->side],
					page_text(row, "name"), run->column, 1,
					err);
	}
	json_array_foreach(d->runs, i, row)
	{
		const struct comparison_run *run =
			comparison_find_run(d, page_int(row, "id"));

		if (run && !rc && strcmp(page_text(row, "state"), "done") != 0)
			rc = matrix_set(&d->side[run->side], MATRIX_INCOMPLETE,
					run->column, 1, err);
	}
	json_decref(rows);
	return rc;
}

static int axes_from_params(struct axes *axes, const json_t *params,
			    struct err *err)
{
	const char *key;
	json_t *value;
	int rc = 0;

	json_object_foreach((json_t *)params, key, value)
	{
		struct str text = STR_INIT;

		if (json_is_string(value))
			str_add(&text, json_string_value(value));
		else
			json_add_text(&text, value);
		if (!rc && !axes_get(axes, key, NULL))
			rc = axes_add(axes, key, text.p, err);
		str_release(&text);
	}
	return rc;
}

static int load_axes(struct comparison_data *d, struct err *err)
{
	static const char *const own[] = { "testcase", "tbox_group", "rootfs",
					   "kconfig", "compiler" };
	const json_t *side[2] = { json_object_get(d->info, "base"),
				  json_object_get(d->info, "head") };
	int rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(own) && !rc; i++)
		if (*page_text(d->info, own[i]))
			rc = axes_add(&d->axes, own[i],
				      page_text(d->info, own[i]), err);
	if (!rc)
		rc = axes_from_params(
			&d->axes,
			json_object_get(json_object_get(d->info, "atomic"),
					"params"),
			err);
	for (int s = 0; s < 2 && !rc; s++)
		rc = axes_add_commit(&d->axes, page_text(side[s], "sha"),
				     page_text(side[s], "subject"),
				     d->done[s] + d->failed[s], err);
	return rc;
}

/* The mean of each boot's runs; returns how many boots have one. */
static size_t boot_means(const struct comparison_data *d, const char *metric,
			 int side, double *out)
{
	const struct matrix_metric *row = matrix_find(&d->side[side], metric);
	size_t nr = d->boots[side];
	double *weight = xcalloc(nr + 1, sizeof(double));
	size_t found = 0;

	memset(out, 0, (nr + 1) * sizeof(double));
	for (size_t i = 0; row && i < d->nr_runs; i++) {
		const struct comparison_run *run = &d->run[i];

		if (run->side != side || run->column >= row->nr ||
		    !isfinite(row->value[run->column]))
			continue;
		out[run->boot] += row->value[run->column];
		weight[run->boot]++;
	}
	for (size_t b = 0; b < nr; b++)
		if (weight[b] > 0)
			out[found++] = out[b] / weight[b];
	free(weight);
	return found;
}

static void doubt_of(const struct comparison_data *d,
		     const struct compare_metric *m,
		     struct comparison_doubt *out)
{
	double *mean[2];
	size_t nr[2];
	struct welch w;

	*out = (struct comparison_doubt){ NAN, NAN, NAN, NAN };
	for (int s = 0; s < 2; s++) {
		mean[s] = xcalloc(d->boots[s] + 1, sizeof(double));
		nr[s] = boot_means(d, m->name, s, mean[s]);
	}
	if (!m->failure && nr[0] >= 2 && nr[1] >= 2 &&
	    !welch_test(mean[0], nr[0], mean[1], nr[1], &w, NULL)) {
		double by = m->absolute ? 1 : m->side[0].avg / 100;

		out->p = w.p;
		if (by != 0) {
			out->lo = (by > 0 ? w.lo : w.hi) / by;
			out->hi = (by > 0 ? w.hi : w.lo) / by;
		}
	}
	free(mean[0]);
	free(mean[1]);
}

static int by_p(const void *a, const void *b)
{
	const struct comparison_doubt *x = *(void *const *)a;
	const struct comparison_doubt *y = *(void *const *)b;

	return (x->p > y->p) - (x->p < y->p);
}

/* Benjamini and Hochberg 1995: q = min over larger p of p · tested / rank. */
static void add_q(struct comparison_doubt *doubt, size_t nr)
{
	struct comparison_doubt **order =
		xcalloc(nr + 1, sizeof(struct comparison_doubt *));
	size_t tested = 0;
	double least = 1;

	for (size_t i = 0; i < nr; i++)
		if (!isnan(doubt[i].p))
			order[tested++] = &doubt[i];
	qsort(order, tested, sizeof(struct comparison_doubt *), by_p);
	for (size_t i = tested; i-- > 0;) {
		double q = order[i]->p * (double)tested / (double)(i + 1);

		if (q < least)
			least = q;
		order[i]->q = least;
	}
	free(order);
}

static int compare_sides(struct comparison_data *d, struct err *err)
{
	const struct matrix *side[2] = { &d->side[0], &d->side[1] };
	size_t runs[2] = { d->done[0] + d->failed[0],
			   d->done[1] + d->failed[1] };
	int rc = compare_matrices(&d->cmp, side, 2, runs,
				  page_text(d->info, "testcase"), err);

	if (rc)
		return rc;
	d->doubt = xcalloc(d->cmp.nr + 1, sizeof(d->doubt[0]));
	for (size_t i = 0; i < d->cmp.nr; i++)
		doubt_of(d, &d->cmp.metric[i], &d->doubt[i]);
	add_q(d->doubt, d->cmp.nr);
	d->headline = compare_find(&d->cmp, page_text(d->info, "headline"));
	if (!d->headline)
		d->headline = kpi_headline(&d->cmp, 1);
	return 0;
}

int comparison_load(struct site *site, long long id,
		    struct comparison_data *out, struct err *err)
{
	int rc;

	memset(out, 0, sizeof(*out));
	matrix_init(&out->side[0]);
	matrix_init(&out->side[1]);
	out->path = site_comparison_path(site, id);
	out->info = view_comparison(site->db, id, err);
	if (!out->info)
		return err->code;
	out->runs = view_comparison_runs(site->db, id, err);
	if (!out->runs)
		return err->code;
	number_runs(out);
	rc = load_samples(site, id, out, err);
	if (!rc)
		rc = load_failures(site, id, out, err);
	if (!rc)
		rc = load_axes(out, err);
	if (!rc)
		rc = compare_sides(out, err);
	return rc;
}

void comparison_data_release(struct comparison_data *data)
{
	json_decref(data->info);
	json_decref(data->runs);
	free(data->run);
	free(data->doubt);
	matrix_release(&data->side[0]);
	matrix_release(&data->side[1]);
	compare_release(&data->cmp);
	axes_release(&data->axes);
}

const struct matrix_metric *comparison_row(const struct comparison_data *data,
					   const char *metric, int side)
{
	return matrix_find(&data->side[side], metric);
}

long long comparison_newest_s(const struct comparison_data *d)
{
	long long newest = page_int(d->info, "created_s");
	size_t i;
	json_t *row;

	if (page_int(d->info, "ended_s") > newest)
		newest = page_int(d->info, "ended_s");
	json_array_foreach(d->runs, i, row)
	{
		long long at = page_int(row, "started_s");

		newest = at > newest ? at : newest;
	}
	return newest;
}

void comparison_add_title(struct str *out, const struct comparison_data *d)
{
	str_addf(out, "%s on %s", page_text(d->info, "path"),
		 page_text(d->info, "tbox_group"));
}

/* n over k, in doubles: exact up to 2^53, close beyond. */
static double choose(size_t n, size_t k)
{
	double c = 1;

	for (size_t i = 1; i <= k; i++)
		c = c * (double)(n - k + i) / (double)i;
	return c;
}

double comparison_chance(size_t n, size_t m)
{
	size_t above_n;
	size_t below_n;
	size_t above_m;
	size_t below_m;

	if (n < 3 || m < 3 || n >= 32 || m >= 32)
		return NAN;
	/*
	 * With the median at sorted[n/2]: "all of m above n's median, all of n
	 * below m's median" leaves only the n above its median and the m below
	 * its own free to mix; and the same the other way round.
	 */
	below_n = n / 2;
	above_n = n - 1 - below_n;
	below_m = m / 2;
	above_m = m - 1 - below_m;
	return (choose(above_n + below_m, below_m) +
		choose(below_n + above_m, above_m)) /
	       choose(n + m, n);
}
