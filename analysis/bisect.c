// SPDX-License-Identifier: GPL-3.0-or-later
// The bisection engine's state: results in, the next request or a verdict out.
#include "analysis/bisect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/bisect_private.h"
#include "analysis/stat_sample.h"
#include "base/mem.h"

/* Posterior at which a class becomes a suspect, or "none" the answer. */
#define SUSPECT 0.95
/* The same for a commit that is built already, as its parent is: pairs of these
 * two are good tests anyway. */
#define SUSPECT_BUILT 0.75
#define NONE	      0.99
/* Boots that must fail before a commit counts as not bootable. */
#define BOOT_FAILURES 2
/* Untestable commits after which a range is beyond this method. */
#define MAX_UNTESTABLE 400
/* Edges around an untestable commit where others are likely to be too. */
#define NEAR_EDGES 64

void bisect_end(struct bisect *b, enum bisect_verdict verdict,
		const char *reason)
{
	b->verdict = verdict;
	b->reason = reason;
	b->phase = BISECT_DONE;
}

/* Where the posterior is now: accuse, give up, or ask for the next test. */
static void search(struct bisect *b)
{
	int top = bisect_model_top(b);
	double suspect;

	if (b->none >= NONE) {
		bisect_end(b, BISECT_NOT_REPRODUCED,
			   "the boots of the search show no change anywhere");
		return;
	}
	if (b->runs >= b->start.budget_runs) {
		bisect_end(b, BISECT_INCONCLUSIVE, "the budget is spent");
		return;
	}
	if (b->nr_unbuildable > MAX_UNTESTABLE) {
		bisect_end(b, BISECT_INCONCLUSIVE,
			   "too many commits can't be built or booted");
		return;
	}
	suspect = bisect_verify_is_built(b, top) ? SUSPECT_BUILT : SUSPECT;
	if (b->classes[top].post >= suspect &&
	    (bisect_verify_start(b, top) || b->nr_ask))
		return;
	if (!bisect_choose(b))
		bisect_end(b, BISECT_INCONCLUSIVE,
			   "no test is left that would tell anything");
}

/* Go on until there is something to ask or a verdict. */
static void advance(struct bisect *b)
{
	int rounds;

	b->nr_ask = 0;
	b->nr_speculate = 0;
	for (rounds = 0; rounds < 8 && !b->nr_ask && !b->verdict; rounds++) {
		if (b->phase == BISECT_DETECT)
			bisect_detect(b);
		else if (b->phase == BISECT_SEARCH)
			search(b);
		else
			bisect_verify(b);
	}
	if (!b->nr_ask && !b->verdict)
		bisect_end(b, BISECT_INCONCLUSIVE,
			   "search and verification contradict each other");
}

struct bisect *bisect_new(const struct bisect_start *start, struct err *err)
{
	struct history *h;
	struct bisect *b;
	size_t i;

	if (bisect_start_check(start, err))
		return NULL;
	h = bisect_start_history(start, err);
	if (!h)
		return NULL;
	b = xcalloc(1, sizeof(*b));
	b->start = *start;
	b->start.commits = NULL;
	b->start.good = b->start.bad = NULL;
	b->start_json = bisect_keep_start(start);
	b->history = h;
	b->nr = history_nr(h);
	b->boxes = xcalloc(start->nr_boxes, sizeof(*b->boxes));
	for (i = 0; i < start->nr_boxes; i++)
		b->boxes[i] = xstrdup(start->boxes[i]);
	bisect_start_commits(b, start);
	b->s2 = start->calibration.sd * start->calibration.sd;
	b->dof = start->calibration.dof;
	b->claim = b->delta = start->claim;
	b->drift = bisect_drift_step(b);
	b->runs_per_boot = bisect_start_runs(start);
	b->e_value = 1;
	b->reason = "";
	advance(b);
	return b;
}

void bisect_free(struct bisect *b)
{
	size_t i;

	if (!b)
		return;
	for (i = 0; i < b->start.nr_boxes; i++)
		free(b->boxes[i]);
	free(b->boxes);
	history_free(b->history);
	free(b->commits);
	free(b->class_of);
	free(b->dist);
	free(b->classes);
	free(b->obs);
	free(b->builds);
	free(b->named);
	free(b->steps);
	json_decref(b->start_json);
	json_decref(b->results);
	free(b);
}

int bisect_next(const struct bisect *b, struct bisect_ask *out)
{
	if (b->verdict)
		return 0;
	out->phase = b->phase;
	out->boots = b->ask;
	out->nr = b->nr_ask;
	out->speculate[0] = b->speculate[0];
	out->speculate[1] = b->speculate[1];
	out->nr_speculate = b->nr_speculate;
	return 1;
}

static int check_result(const struct bisect *b, const struct bisect_result *r,
			struct err *err)
{
	size_t i;

	if (r->commit < 0 || r->commit >= b->nr)
		return err_set(
			err, ERR_RANGE,
			"bisect: a result for a commit outside the range");
	if (r->box < 0 || r->box >= (int)b->start.nr_boxes)
		return err_set(err, ERR_RANGE,
			       "bisect: a result from an unknown box");
	if (r->layout < 0 || r->layout > 1000)
		return err_set(err, ERR_RANGE, "bisect: layout %d", r->layout);
	if (r->status != BISECT_OK)
		return 0;
	if (r->nr_values < 1 || r->nr_values > BISECT_MAX_RUNS)
		return err_set(err, ERR_RANGE,
			       "bisect: a boot with %zu values, 1..%d wanted",
			       r->nr_values, BISECT_MAX_RUNS);
	for (i = 0; i < r->nr_values; i++)
		if (!isfinite(r->values[i]))
			return err_set(
				err, ERR_DATA,
				"bisect: a value is not a finite number");
	return 0;
}

static int build_of(struct bisect *b, int commit, int layout)
{
	size_t i;

	for (i = 0; i < b->nr_builds; i++)
		if (b->builds[i].commit == commit &&
		    b->builds[i].layout == layout)
			return (int)i;
	VEC_GROW(b->builds, b->nr_builds + 1, b->builds_alloc);
	b->builds[b->nr_builds] =
		(struct bisect_build){ .commit = commit, .layout = layout };
	return (int)b->nr_builds++;
}

static void take_failure(struct bisect *b, const struct bisect_result *r)
{
	struct bisect_state *s = &b->commits[r->commit];
	int build;

	if (r->status == BISECT_INFRA)
		return;
	if (r->status == BISECT_UNBOOTABLE &&
	    ++s->nr_unbootable < BOOT_FAILURES)
		return;
	build = build_of(b, r->commit, r->layout);
	b->builds[build].failed = true;
	if (s->nr_obs || s->untestable)
		return;
	s->untestable = true;
	b->nr_unbuildable++;
	history_lower_distance(b->history, r->commit, NEAR_EDGES, b->dist);
}

static void take_values(struct bisect *b, const struct bisect_result *r)
{
	double share = b->start.calibration.boot_share;
	struct bisect_state *s = &b->commits[r->commit];
	struct bisect_obs *o;

	VEC_GROW(b->obs, b->nr_obs + 1, b->obs_alloc);
	o = &b->obs[b->nr_obs++];
	*o = (struct bisect_obs){
		.commit = r->commit,
		.box = r->box,
		.layout = r->layout,
		.build = build_of(b, r->commit, r->layout),
		.runs = (int)r->nr_values,
		.raw = stat_mean(r->values, r->nr_values),
		.h = stat_boot_var(share, (double)r->nr_values),
		.w = 1,
		.fresh = b->phase == BISECT_VERIFY,
	};
	b->builds[o->build].nr_obs++;
	b->runs += o->runs;
	s->untestable = false;
	if (!s->nr_obs++)
		bisect_model_split(b, r->commit);
}

int bisect_result(struct bisect *b, const struct bisect_result *results,
		  size_t nr, struct err *err)
{
	enum bisect_phase phase;
	size_t i;

	if (b->nr_obs + nr > BISECT_MAX_BOOTS)
		return err_set(err, ERR_LIMIT, "bisect: more than %d boots",
			       BISECT_MAX_BOOTS);
	for (i = 0; i < nr; i++)
		if (check_result(b, &results[i], err))
			return err ? err->code : ERR_RANGE;
	if (b->verdict)
		return 0;
	bisect_keep(b, results, nr);
	for (i = 0; i < nr; i++) {
		if (results[i].status == BISECT_OK)
			take_values(b, &results[i]);
		else
			take_failure(b, &results[i]);
	}
	bisect_model_update(b);
	phase = b->phase;
	advance(b);
	bisect_log_round(b, results, nr, phase);
	return 0;
}
