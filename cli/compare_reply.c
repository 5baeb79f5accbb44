// SPDX-License-Identifier: GPL-3.0-or-later
// A comparison as droverd answers it, for printing.
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "cli/compare_view.h"

/* [0, 0, 1, …], one number per run; *@out is owned, NULL when it isn't there.
 */
static int take_numbers(const json_t *m, const char *key, size_t runs,
			int **out, struct err *err)
{
	const json_t *list = json_object_get(m, key);
	const json_t *v;
	size_t i;

	if (!list)
		return 0;
	if (json_array_size(list) < runs ||
	    json_array_size(list) > MATRIX_MAX_RUNS)
		return err_set(err, ERR_DATA,
			       "droverd's reply: %s has %zu numbers for %zu "
			       "runs",
			       key, json_array_size(list), runs);
	*out = xcalloc(json_array_size(list) + 1, sizeof(**out));
	json_array_foreach(list, i, v)
	{
		json_int_t n = json_is_integer(v) ? json_integer_value(v) : -1;

		if (n < 0 || n >= (json_int_t)MATRIX_MAX_RUNS)
			return err_set(err, ERR_DATA,
				       "droverd's reply: %s: number %zu is no "
				       "place of a boot",
				       key, i + 1);
		(*out)[i] = (int)n;
	}
	return 0;
}

static int take_matrix(struct compare_view *v, const json_t *m, struct err *err)
{
	size_t i = v->nr++;
	struct compare_runs *r = &v->runs[i];
	int rc;

	matrix_init(&v->matrix[i]);
	rc = matrix_from_json(&v->matrix[i], json_object_get(m, "values"),
			      "droverd's matrix", err);
	if (!rc)
		rc = take_numbers(m, "boots", v->matrix[i].runs, &r->boot, err);
	if (!rc)
		rc = take_numbers(m, "pairs", v->matrix[i].runs, &r->pair, err);
	r->nr = v->matrix[i].runs;
	return rc;
}

static void take_calibration(struct compare_view *v, const json_t *list)
{
	const json_t *c;
	size_t i;

	v->calibration =
		xcalloc(json_array_size(list) + 1, sizeof(*v->calibration));
	json_array_foreach(list, i, c) v->calibration[v->nr_calibrations++] =
		(struct evidence_calibration){
			.metric = json_opt_str(c, "metric", ""),
			.sd = json_opt_num(c, "sd_ratio", 0),
			.boot_share = json_opt_num(c, "boot_share", 1),
			.dof = json_opt_num(c, "dof", 0),
		};
}

static void take_comparison(struct compare_view *v)
{
	const json_t *c = json_object_get(v->reply, "comparison");
	const json_t *e = json_object_get(c, "evidence");
	const json_t *aa = json_object_get(v->reply, "aa");
	long long planned = json_opt_int(e, "planned", 0);

	v->said = json_opt_str(c, "why", "");
	v->planned = planned > 0 && planned <= (long long)MATRIX_MAX_RUNS
			     ? (int)planned
			     : 0;
	v->min_effect = json_opt_num(e, "min_effect_pct", 0) / 100;
	v->lab.rate = NAN;
	if (json_opt_int(aa, "trials", 0) > 0 &&
	    json_opt_int(aa, "alarms", -1) >= 0) {
		v->lab.trials = (size_t)json_opt_int(aa, "trials", 0);
		v->lab.alarms = (size_t)json_opt_int(aa, "alarms", 0);
	}
	take_calibration(v, json_object_get(v->reply, "calibration"));
}

int compare_view_from_reply(struct compare_view *v, json_t *reply,
			    struct err *err)
{
	json_t *matrices;
	json_t *axes;
	const json_t *m;
	size_t i;
	int rc;

	v->reply = reply;
	rc = json_need_array(reply, "matrices", &matrices, err);
	if (!rc)
		rc = json_need_object(reply, "axes", &axes, err);
	if (!rc)
		rc = axes_from_json(&v->axes, axes, "droverd's axes", err);
	if (rc)
		return rc;
	if (json_array_size(matrices) != v->axes.nr_commits ||
	    v->axes.nr_commits < 2)
		return err_set(err, ERR_DATA,
			       "droverd's reply names %zu commits but has %zu "
			       "matrices",
			       v->axes.nr_commits, json_array_size(matrices));
	json_array_foreach(matrices, i, m)
	{
		rc = take_matrix(v, m, err);
		if (rc)
			return rc;
	}
	take_comparison(v);
	return compare_view_compute(v, err);
}
