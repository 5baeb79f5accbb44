// SPDX-License-Identifier: GPL-3.0-or-later
#include "web-static/bisect_describe.h"

#include <math.h>
#include <string.h>

#include "analysis/bisect.h"

static json_t *percent(double v)
{
	return json_real_or_null(100 * v);
}

static void put_subject(json_t *obj, const char *sha, const json_t *subjects)
{
	json_object_set_new(obj, "sha", json_text(sha, strlen(sha)));
	json_object_set_new(obj, "subject",
			    json_string(json_opt_str(subjects, sha, "")));
}

static json_t *candidates(const struct bisect *b, const json_t *subjects)
{
	const struct history *h = bisect_history(b);
	json_t *list = json_array();

	for (int c = 1; c < history_nr(h); c++) {
		json_t *row = json_object();

		put_subject(row, history_id(h, c), subjects);
		json_object_set_new(row, "prior",
				    json_real_or_null(bisect_prior(b, c)));
		json_object_set_new(row, "posterior",
				    json_real_or_null(bisect_posterior(b, c)));
		json_object_set_new(row, "bad",
				    json_real_or_null(bisect_bad(b, c)));
		json_object_set_new(row, "boots", json_integer(0));
		json_object_set_new(row, "runs", json_integer(0));
		json_object_set_new(row, "status", json_string(""));
		json_array_append_new(list, row);
	}
	return list;
}

/* All values that a round has of one commit. */
static json_t *round_values(const json_t *round, const char *sha)
{
	json_t *values = json_array();
	size_t i;
	json_t *boot;

	json_array_foreach(
		round, i,
		boot) if (!strcmp(json_opt_str(boot, "commit", ""), sha) &&
			  json_is_array(json_object_get(boot, "values")))
		json_array_extend(values, json_object_get(boot, "values"));
	return values;
}

static json_t *log_row(const struct bisect_step *step, const char *sha,
		       const json_t *subjects)
{
	json_t *row = json_object();

	put_subject(row, sha, subjects);
	json_object_set_new(row, "phase",
			    json_string(bisect_phase_to_str(step->phase)));
	json_object_set_new(row, "status",
			    json_string(bisect_status_to_str(step->status)));
	json_object_set_new(row, "boots", json_integer(step->boots));
	json_object_set_new(row, "runs", json_integer(step->runs));
	json_object_set_new(row, "effect_pct", percent(step->effect));
	json_object_set_new(row, "bad", json_real_or_null(step->bad));
	json_object_set_new(row, "candidates_left",
			    json_integer(step->candidates_left));
	json_object_set_new(row, "e_value", json_real_or_null(step->e_value));
	return row;
}

static bool has_commit(const json_t *round, const char *sha)
{
	size_t i;
	json_t *boot;

	json_array_foreach(round, i,
			   boot) if (!strcmp(json_opt_str(boot, "commit", ""),
					     sha)) return true;
	return false;
}

/* Count what a log row did for the commit it is about. */
static void count_tested(json_t *list, int pos, const struct bisect_step *step)
{
	json_t *row = json_array_get(list, (size_t)pos - 1);

	if (!row)
		return;
	json_object_set_new(
		row, "boots",
		json_integer(json_opt_int(row, "boots", 0) + step->boots));
	json_object_set_new(
		row, "runs",
		json_integer(json_opt_int(row, "runs", 0) + step->runs));
	json_object_set_new(row, "status",
			    json_string(bisect_status_to_str(step->status)));
}

/*
 * The engine adds a step per commit of each round, in the order in which the
 * round names them; so a step belongs to the next round when its commit is not
 * in this one, or was seen in it already.
 */
static json_t *log_of(const struct bisect *b, const json_t *rounds,
		      const json_t *subjects, json_t *list)
{
	const struct history *h = bisect_history(b);
	json_t *log = json_array();
	json_t *seen = json_object();
	size_t round = 0;

	for (size_t i = 0; i < bisect_nr_steps(b); i++) {
		const struct bisect_step *step = bisect_step(b, i);
		const char *sha = history_id(h, step->commit);
		json_t *row = log_row(step, sha, subjects);

		while (round < json_array_size(rounds) &&
		       (json_object_get(seen, sha) ||
			!has_commit(json_array_get(rounds, round), sha))) {
			round++;
			json_object_clear(seen);
		}
		json_object_set_new(seen, sha, json_true());
		json_object_set_new(row, "round",
				    json_integer((json_int_t)round + 1));
		json_object_set_new(
			row, "values",
			round_values(json_array_get(rounds, round), sha));
		json_array_append_new(log, row);
		count_tested(list, step->commit, step);
	}
	json_decref(seen);
	return log;
}

static json_t *finding_of(const struct bisect *b)
{
	struct bisect_finding f;
	json_t *obj = json_object();

	bisect_finding(b, &f);
	json_object_set_new(obj, "verdict",
			    json_string(bisect_verdict_to_str(f.verdict)));
	json_object_set_new(obj, "posterior", json_real_or_null(f.posterior));
	json_object_set_new(obj, "e_value", json_real_or_null(f.e_value));
	json_object_set_new(obj, "delta_pct", percent(f.delta));
	json_object_set_new(obj, "lo_pct", percent(f.delta_lo));
	json_object_set_new(obj, "hi_pct", percent(f.delta_hi));
	json_object_set_new(obj, "layout_delta_pct", percent(f.layout_delta));
	json_object_set_new(obj, "rest_delta_pct", percent(f.rest_delta));
	json_object_set_new(obj, "candidates_left",
			    json_integer(f.candidates_left));
	json_object_set_new(obj, "boots", json_integer(f.boots));
	json_object_set_new(obj, "runs", json_integer(f.runs));
	json_object_set_new(obj, "builds", json_integer(f.builds));
	json_object_set_new(obj, "unbuildable", json_integer(f.unbuildable));
	json_object_set_new(obj, "reason",
			    json_string(f.reason ? f.reason : ""));
	return obj;
}

static json_t *good_values(const json_t *rounds, const char *sha)
{
	json_t *values = json_array();
	size_t i;
	json_t *round;

	json_array_foreach(rounds, i, round)
	{
		json_t *more = round_values(round, sha);

		json_array_extend(values, more);
		json_decref(more);
	}
	return values;
}

json_t *bisect_describe(const json_t *engine, const json_t *subjects,
			struct err *err)
{
	const json_t *rounds = json_object_get(engine, "rounds");
	struct bisect *b = bisect_from_json(engine, err);
	json_t *out;
	json_t *list;
	json_t *end;

	if (!b)
		return NULL;
	out = json_object();
	list = candidates(b, subjects);
	end = json_object();
	put_subject(end, history_id(bisect_history(b), 0), subjects);
	json_object_set_new(
		out, "good_values",
		good_values(rounds, history_id(bisect_history(b), 0)));
	json_object_set_new(out, "good", end);
	json_object_set_new(out, "log", log_of(b, rounds, subjects, list));
	json_object_set_new(out, "candidates", list);
	json_object_set_new(out, "none",
			    json_real_or_null(bisect_posterior(b, 0)));
	json_object_set_new(out, "finding", finding_of(b));
	bisect_free(b);
	return out;
}
