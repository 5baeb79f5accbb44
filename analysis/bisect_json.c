// SPDX-License-Identifier: GPL-3.0-or-later
// A bisection as JSON: the line protocol, and a record that replays to the same
// state.
#include <stdlib.h>
#include <string.h>

#include "analysis/bisect_private.h"
#include "base/mem.h"

static const char *const verdict_words[] = {
	"undecided",	   "culprit",	 "set",
	"not-reproduced",  "range-only", "inconclusive",
	"layout-sensitive"
};
static const char *const phase_words[] = { "detect", "search", "verify",
					   "done" };
static const char *const status_words[] = { "ok", "unbuildable", "unbootable",
					    "infra" };

const char *bisect_verdict_to_str(enum bisect_verdict verdict)
{
	return verdict_words[verdict];
}

const char *bisect_phase_to_str(enum bisect_phase phase)
{
	return phase_words[phase];
}

const char *bisect_status_to_str(enum bisect_status status)
{
	return status_words[status];
}

int bisect_status_from_str(const char *word, enum bisect_status *out,
			   struct err *err)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(status_words); i++) {
		if (strcmp(word, status_words[i]) != 0)
			continue;
		*out = (enum bisect_status)i;
		return 0;
	}
	return err_set(err, ERR_DATA,
		       "bisect: status \"%.40s\" is none of ok, unbuildable, "
		       "unbootable, infra",
		       word);
}

/* --- writing --- */

/* One commit of the range as a start has it; the good one ends the history. */
static json_t *commit_to_json(const struct bisect *b, int pos)
{
	double weight = b->commits[pos].weight;
	json_t *list = json_array();
	const int *parents;
	json_t *out;
	int nr = history_parents(b->history, pos, &parents);
	int i;

	for (i = 0; i < nr; i++)
		json_array_append_new(
			list, json_string(history_id(b->history, parents[i])));
	out = json_pack("{s:s,s:o}", "id", history_id(b->history, pos),
			"parents", list);
	if (pos && weight <= 0)
		json_object_set_new(out, "cannot_matter", json_true());
	else if (pos && weight != 1)
		json_object_set_new(out, "weight", json_real(weight));
	return out;
}

json_t *bisect_keep_start(const struct bisect_start *s)
{
	const struct bisect_calibration *c = &s->calibration;
	json_t *boxes = json_array();
	size_t i;

	for (i = 0; i < s->nr_boxes; i++)
		json_array_append_new(boxes, json_string(s->boxes[i]));
	return json_pack(
		"{s:s,s:s,s:s,s:f,s:s,s:o,"
		"s:{s:f,s:f,s:f,s:f,s:f},s:{s:f,s:f,s:f},s:I,s:i}",
		"op", "start", "good", s->good, "bad", s->bad, "claim",
		s->claim, "direction", s->higher_is_better ? "higher" : "lower",
		"boxes", boxes, "calibration", "dof", c->dof, "sd", c->sd,
		"boot_share", c->boot_share, "layout_sd", c->layout_sd,
		"drift_sd", c->drift_sd, "cost", "build", s->cost.build, "boot",
		s->cost.boot, "run", s->cost.run, "budget_runs",
		(json_int_t)s->budget_runs, "parallel", s->parallel);
}

static json_t *result_to_json(const struct bisect *b,
			      const struct bisect_result *r)
{
	json_t *out = json_pack("{s:s,s:s,s:i}", "commit",
				history_id(b->history, r->commit), "box",
				b->boxes[r->box], "layout", r->layout);
	json_t *values;
	size_t i;

	if (r->status != BISECT_OK) {
		json_object_set_new(
			out, "status",
			json_string(bisect_status_to_str(r->status)));
		return out;
	}
	values = json_array();
	for (i = 0; i < r->nr_values; i++)
		json_array_append_new(values, json_real(r->values[i]));
	json_object_set_new(out, "values", values);
	return out;
}

void bisect_keep(struct bisect *b, const struct bisect_result *r, size_t nr)
{
	json_t *round = json_array();
	size_t i;

	if (!b->results)
		b->results = json_array();
	for (i = 0; i < nr; i++)
		json_array_append_new(round, result_to_json(b, &r[i]));
	json_array_append_new(b->results, round);
}

json_t *bisect_whole_start(const struct bisect *b)
{
	json_t *start = json_copy(b->start_json);
	json_t *commits = json_array();
	int c;

	for (c = 0; c < b->nr; c++)
		json_array_append_new(commits, commit_to_json(b, c));
	json_object_set_new(start, "commits", commits);
	return start;
}

json_t *bisect_to_json(const struct bisect *b)
{
	json_t *range = bisect_range_to_json(b);
	json_t *start;

	if (range) {
		start = json_copy(b->start_json);
		json_object_set_new(start, "range", range);
	} else {
		start = bisect_whole_start(b);
	}
	return json_pack("{s:o,s:o}", "start", start, "rounds",
			 b->results ? json_deep_copy(b->results)
				    : json_array());
}

static json_t *run_to_json(const struct bisect *b)
{
	json_t *boots = json_array();
	json_t *speculate = json_array();
	json_t *out;
	int i;
	size_t k;

	for (k = 0; k < b->nr_ask; k++) {
		const struct bisect_boot *a = &b->ask[k];

		json_array_append_new(
			boots, json_pack("{s:s,s:s,s:i,s:i}", "commit",
					 history_id(b->history, a->commit),
					 "box", b->boxes[a->box], "layout",
					 a->layout, "runs", a->runs));
	}
	for (i = 0; i < b->nr_speculate; i++)
		json_array_append_new(
			speculate,
			json_string(history_id(b->history, b->speculate[i])));
	out = json_pack("{s:s,s:s,s:o}", "op", "run", "phase",
			bisect_phase_to_str(b->phase), "boots", boots);
	if (json_array_size(speculate))
		json_object_set(out, "speculate", speculate);
	json_decref(speculate);
	return out;
}

static json_t *verdict_to_json(const struct bisect *b)
{
	struct bisect_finding f;
	json_t *commits = json_array();
	size_t i;

	bisect_finding(b, &f);
	for (i = 0; i < f.nr_commits; i++)
		json_array_append_new(
			commits,
			json_string(history_id(b->history, f.commits[i])));
	return json_pack(
		"{s:s,s:s,s:o,s:o,s:o,s:o,s:[o,o],s:i,s:i,s:i,s:i,"
		"s:s}",
		"op", "verdict", "verdict", bisect_verdict_to_str(f.verdict),
		"commits", commits, "posterior", json_real_or_null(f.posterior),
		"e_value", json_real_or_null(f.e_value), "delta",
		json_real_or_null(f.delta), "delta_ci95",
		json_real_or_null(f.delta_lo), json_real_or_null(f.delta_hi),
		"candidates_left", f.candidates_left, "runs", f.runs, "boots",
		f.boots, "builds", f.builds, "reason", f.reason);
}

json_t *bisect_answer_json(const struct bisect *b)
{
	return b->verdict ? verdict_to_json(b) : run_to_json(b);
}
