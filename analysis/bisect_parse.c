// SPDX-License-Identifier: GPL-3.0-or-later
// Reading a bisection from JSON that came from outside.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/bisect_private.h"
#include "base/mem.h"

#define DEFAULT_DOF   20
#define DEFAULT_SHARE 0.8
#define UNKNOWN_DRIFT (-1)

/* Strings of a JSON array, borrowed; ERR_DATA naming @what. */
static int read_strings(const json_t *array, const char *what,
			const char ***out, size_t *out_nr, struct err *err)
{
	size_t nr = json_array_size(array);
	const char **list = xcalloc(nr + 1, sizeof(*list));
	size_t i;

	for (i = 0; i < nr; i++) {
		list[i] = json_string_value(json_array_get(array, i));
		if (list[i])
			continue;
		free(list);
		return err_set(err, ERR_DATA,
			       "bisect: entry %zu of \"%s\" is not a string", i,
			       what);
	}
	*out = list;
	*out_nr = nr;
	return 0;
}

static int read_commit(const json_t *json, struct bisect_commit *out,
		       struct err *err)
{
	json_t *parents;
	const char **list;
	int rc = json_need_str(json, "id", &out->commit.id, err);

	if (!rc)
		rc = json_need_array(json, "parents", &parents, err);
	if (!rc)
		rc = read_strings(parents, "parents", &list,
				  &out->commit.nr_parents, err);
	if (rc)
		return rc;
	out->commit.parents = list;
	out->weight = json_opt_num(json, "weight", 0);
	out->cannot_matter = json_opt_bool(json, "cannot_matter", false);
	return 0;
}

static int read_commit_list(const json_t *array, struct bisect_start *out,
			    struct err *err)
{
	struct bisect_commit *list;
	size_t i;
	int rc = 0;

	out->nr_commits = json_array_size(array);
	list = xcalloc(out->nr_commits + 1, sizeof(*list));
	out->commits = list;
	for (i = 0; i < out->nr_commits && !rc; i++)
		rc = read_commit(json_array_get(array, i), &list[i], err);
	return rc ? err_wrap(err, "commit %zu", i - 1) : 0;
}

/* "commits" of a start message, or "range" of a record. */
static int read_commits(const json_t *json, struct bisect_start *out,
			struct bisect_range *range, struct err *err)
{
	const char *text = json_opt_str(json, "range", NULL);
	json_t *array;
	int rc;

	if (!text) {
		rc = json_need_array(json, "commits", &array, err);
		return rc ? rc : read_commit_list(array, out, err);
	}
	rc = bisect_range_parse(text, range, err);
	if (rc)
		return rc;
	out->commits = range->v;
	out->nr_commits = range->nr;
	return 0;
}

static int read_calibration(const json_t *json, struct bisect_calibration *out,
			    struct err *err)
{
	json_t *cal;
	int rc = json_need_object(json, "calibration", &cal, err);

	if (!rc)
		rc = json_need_num(cal, "sd", &out->sd, err);
	if (rc)
		return rc;
	out->dof = json_opt_num(cal, "dof", DEFAULT_DOF);
	out->boot_share = json_opt_num(cal, "boot_share", DEFAULT_SHARE);
	out->layout_sd = json_opt_num(cal, "layout_sd", 0);
	out->drift_sd = json_opt_num(cal, "drift_sd", UNKNOWN_DRIFT);
	return 0;
}

static int read_cost(const json_t *json, struct bisect_cost *out,
		     struct err *err)
{
	json_t *cost;
	int rc = json_need_object(json, "cost", &cost, err);

	if (!rc)
		rc = json_need_num(cost, "build", &out->build, err);
	if (!rc)
		rc = json_need_num(cost, "boot", &out->boot, err);
	if (!rc)
		rc = json_need_num(cost, "run", &out->run, err);
	return rc;
}

static int read_start(const json_t *json, struct bisect_start *out,
		      struct bisect_range *range, struct err *err)
{
	long long budget = 0;
	json_t *boxes = NULL;
	const char **list = NULL;
	int rc = read_commits(json, out, range, err);

	if (!rc)
		rc = json_need_str(json, "good", &out->good, err);
	if (!rc)
		rc = json_need_str(json, "bad", &out->bad, err);
	if (!rc)
		rc = json_need_num(json, "claim", &out->claim, err);
	if (!rc)
		rc = json_need_int(json, "budget_runs", &budget, err);
	if (!rc)
		rc = read_calibration(json, &out->calibration, err);
	if (!rc)
		rc = read_cost(json, &out->cost, err);
	if (!rc)
		rc = json_need_array(json, "boxes", &boxes, err);
	if (!rc)
		rc = read_strings(boxes, "boxes", &list, &out->nr_boxes, err);
	if (rc)
		return rc;
	out->boxes = list;
	out->budget_runs = (long)budget;
	out->parallel = (int)json_opt_int(json, "parallel", 0);
	out->higher_is_better =
		strcmp(json_opt_str(json, "direction", "higher"), "lower") != 0;
	return 0;
}

static void release_commits(struct bisect_start *s)
{
	size_t i;

	for (i = 0; s->commits && i < s->nr_commits; i++)
		free((void *)s->commits[i].commit.parents);
	free((void *)s->commits);
}

struct bisect *bisect_from_start_json(const json_t *start, struct err *err)
{
	struct bisect_range range = { .nr = 0 };
	struct bisect_start s = { 0 };
	struct bisect *b = NULL;

	if (!read_start(start, &s, &range, err))
		b = bisect_new(&s, err);
	if (range.v)
		bisect_range_release(&range);
	else
		release_commits(&s);
	free((void *)s.boxes);
	return b;
}

static int read_values(const json_t *array, double *out, size_t *out_nr,
		       struct err *err)
{
	size_t nr = json_array_size(array);
	size_t i;

	if (nr < 1 || nr > BISECT_MAX_RUNS)
		return err_set(err, ERR_RANGE, "%zu values, 1..%d wanted", nr,
			       BISECT_MAX_RUNS);
	for (i = 0; i < nr; i++) {
		const json_t *v = json_array_get(array, i);

		if (!json_is_number(v))
			return err_set(err, ERR_DATA,
				       "a value is not a number");
		out[i] = json_number_value(v);
	}
	*out_nr = nr;
	return 0;
}

/* One boot; values go to @values, room for BISECT_MAX_RUNS. */
static int read_boot(const struct bisect *b, const json_t *json, double *values,
		     struct bisect_result *out, struct err *err)
{
	const char *commit;
	const char *box;
	json_t *array;
	int rc = json_need_str(json, "commit", &commit, err);

	if (!rc)
		rc = json_need_str(json, "box", &box, err);
	if (!rc)
		rc = bisect_status_from_str(json_opt_str(json, "status", "ok"),
					    &out->status, err);
	if (rc)
		return rc;
	out->commit = history_find(b->history, commit);
	out->box = bisect_find_box(b, box);
	out->layout = (int)json_opt_int(json, "layout", 0);
	if (out->commit < 0)
		return err_set(err, ERR_RANGE,
			       "commit \"%.80s\" is not in the range", commit);
	if (out->box < 0)
		return err_set(err, ERR_RANGE, "box \"%.80s\" is unknown", box);
	if (out->status != BISECT_OK)
		return 0;
	out->values = values;
	rc = json_need_array(json, "values", &array, err);
	return rc ? rc : read_values(array, values, &out->nr_values, err);
}

int bisect_result_json(struct bisect *b, const json_t *boots, struct err *err)
{
	size_t nr = json_array_size(boots);
	struct bisect_result *list = xcalloc(nr + 1, sizeof(*list));
	double **values = xcalloc(nr + 1, sizeof(*values));
	int rc = 0;
	size_t i;

	if (!json_is_array(boots))
		rc = err_set(err, ERR_DATA, "\"boots\" is not an array");
	for (i = 0; i < nr && !rc; i++) {
		values[i] = xcalloc(BISECT_MAX_RUNS, sizeof(double));
		rc = read_boot(b, json_array_get(boots, i), values[i], &list[i],
			       err);
		if (rc)
			err_wrap(err, "boot %zu", i);
	}
	if (!rc)
		rc = bisect_result(b, list, nr, err);
	for (i = 0; i < nr; i++)
		free(values[i]);
	free(values);
	free(list);
	return rc;
}

struct bisect *bisect_from_json(const json_t *json, struct err *err)
{
	json_t *start;
	json_t *rounds;
	struct bisect *b = NULL;
	size_t i;
	int rc = json_need_object(json, "start", &start, err);

	if (!rc)
		rc = json_need_array(json, "rounds", &rounds, err);
	if (!rc)
		b = bisect_from_start_json(start, err);
	for (i = 0; b && !rc && i < json_array_size(rounds); i++)
		rc = bisect_result_json(b, json_array_get(rounds, i), err);
	if (!rc)
		return b;
	bisect_free(b);
	return NULL;
}
