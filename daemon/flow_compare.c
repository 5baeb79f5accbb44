// SPDX-License-Identifier: GPL-3.0-or-later
// The comparison flow: interleaved pairs of boots of base and head on one box,
// a verdict by e-process over boots, more pairs while it is open.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/kpi.h"
#include "analysis/stat_sample.h"
#include "analysis/verdict.h"
#include "base/clock.h"
#include "base/mem.h"
#include "daemon/flow_look.h"
#include "db/db_flow.h"
#include "db/db_flow_bisect.h"
#include "db/db_job.h"

static void look_release(struct flow_look *l)
{
	flow_boots_release(&l->boots);
	flow_side_release(&l->side[0]);
	flow_side_release(&l->side[1]);
	compare_release(&l->cmp);
	flow_calibration_release(&l->calibration);
	free(l->pairs);
}

/* Whether @row, a ready box, is one that the job may use: it is in @allowed and
 * boots the kernel under test, or not, as the comparison's own box. */
static bool is_allowed(const struct flow *f, const json_t *allowed,
		       const json_t *row)
{
	struct flow_box_kind kind;
	const json_t *id;
	size_t i;

	json_array_foreach(allowed, i, id)
	{
		if (json_integer_value(id) == json_opt_int(row, "id", 0))
			return !flow_box_kind(json_object_get(row, "spec"),
					      &kind, NULL) &&
			       kind.uses_kernel == f->uses_kernel;
	}
	return false;
}

/*
 * The boxes that the pairs take turns on, the comparison's own first. Owned by
 * the caller.
 */
static long long *pair_boxes(const struct flow *f, size_t *out_nr,
			     struct err *err)
{
	long long own = flow_int(f, "box_id");
	json_t *ready =
		db_flow_boxes(f->d->db, flow_text(f, "tbox_group"), own, err);
	long long *v = xcalloc(json_array_size(ready) + 1, sizeof(*v));
	const json_t *row;
	size_t i;

	*out_nr = 0;
	json_array_foreach(ready, i, row)
	{
		if (is_allowed(f, json_object_get(f->options, "boxes"), row))
			v[(*out_nr)++] = json_opt_int(row, "id", 0);
	}
	if (!*out_nr)
		v[(*out_nr)++] = own;
	if (!ready) {
		free(v);
		return NULL;
	}
	json_decref(ready);
	return v;
}

/*
 * Queue pairs number @from … @from + @nr - 1, each in an order of its own, both
 * boots of one on the same box.
 */
static int add_pairs(const struct flow *f, size_t from, int nr, struct err *err)
{
	struct flow_want want = { .nr_runs = flow_runs_per_boot(f),
				  .uses_kernel = f->uses_kernel };
	const char *const keys[] = { "base_id", "head_id" };
	size_t nr_boxes;
	long long *boxes = pair_boxes(f, &nr_boxes, err);
	int rc = boxes ? 0 : ERR_IO;
	int i;

	for (i = 0; !rc && i < nr; i++) {
		size_t pair = from + (size_t)i;
		size_t first = flow_pair_first(f->id, pair);

		want.box_id = boxes[pair % nr_boxes];
		want.commit_id = flow_int(f, keys[first]);
		rc = flow_want_boot(f, &want, err);
		want.commit_id = flow_int(f, keys[!first]);
		if (!rc)
			rc = flow_want_boot(f, &want, err);
	}
	free(boxes);
	return rc;
}

int flow_compare_start(const struct flow *f, struct err *err)
{
	int pairs = flow_planned_pairs(f);
	int rc;

	if (flow_int(f, "base_id") == flow_int(f, "head_id"))
		return err_set(err, ERR_USAGE,
			       "base and head are the same commit %.12s: there "
			       "is nothing to compare",
			       flow_text(f, "base_sha"));
	rc = add_pairs(f, 0, pairs, err);
	if (!rc)
		rc = db_comparison_set_state(f->d->db, f->id, "running", "",
					     clock_wall_s(), err);
	if (!rc)
		rc = daemon_event(f->d, f->job_id, "stage", err,
				  "%s on %s: %d interleaved pairs of boots",
				  flow_text(f, "path"), flow_text(f, "box"),
				  pairs);
	return rc;
}

int flow_compare_fail(const struct flow *f, const char *why, struct err *err)
{
	int rc = db_flow_cancel_queued(f->d->db, f->id, err);

	if (!rc)
		rc = db_comparison_set_state(f->d->db, f->id, "failed", why,
					     clock_wall_s(), err);
	if (!rc)
		rc = daemon_event(f->d, f->job_id, "failed", err, "%s: %s",
				  flow_text(f, "path"), why);
	return rc ? rc : flow_after_verdict(f, err);
}

/* --- boots that came to nothing --- */

static bool is_state(const struct flow_boot *b, const char *state)
{
	return !strcmp(b->state, state);
}

static const char *failure_verb(const char *failure)
{
	if (!strcmp(failure, "build"))
		return "doesn't build";
	if (!strcmp(failure, "boot"))
		return "doesn't boot";
	if (!strcmp(failure, "bench"))
		return "boots, but the benchmark fails";
	return NULL;
}

/*
 * Append why a side can't be measured; false when it was, at least once, or
 * still may be. What can't be built never will; anything else counts only once
 * all boots of the side have failed.
 */
static bool side_is_lost(const struct flow_look *l, int side, struct str *why)
{
	const struct flow *f = l->f;
	long long id = flow_int(f, side ? "head_id" : "base_id");
	const struct flow_boot *bad = NULL;
	size_t i;

	for (i = 0; i < l->boots.nr; i++) {
		const struct flow_boot *b = &l->boots.v[i];

		if (b->commit_id != id || is_state(b, "cancelled"))
			continue;
		if (!is_state(b, "failed"))
			return false;
		bad = b;
		if (!strcmp(b->failure, "build"))
			break;
	}
	if (!bad)
		return false;
	if (!failure_verb(bad->failure)) {
		str_addf(why, "infrastructure: no boot of %s succeeded: %s",
			 side ? "head" : "base", bad->why);
		return true;
	}
	str_add(why, side ? "head " : "base ");
	flow_add_commit(why, flow_text(f, side ? "head_sha" : "base_sha"),
			flow_text(f, side ? "head_subject" : "base_subject"));
	str_addf(why, " %s: %s", failure_verb(bad->failure), bad->why);
	return true;
}

/* 1 when the comparison ended here. */
static int end_if_lost(const struct flow_look *l, struct err *err)
{
	struct str why = STR_INIT;
	bool lost = side_is_lost(l, 0, &why) || side_is_lost(l, 1, &why);
	int rc = lost ? flow_compare_fail(l->f, why.p, err) : 0;

	str_release(&why);
	return rc ? rc : lost;
}

/* --- what was measured --- */

static int load_sides(struct flow_look *l, struct err *err)
{
	const struct flow *f = l->f;
	const struct matrix *m[] = { &l->side[0].matrix, &l->side[1].matrix };
	size_t runs[2];
	int rc;

	rc = flow_side_load(f, flow_int(f, "base_id"), false, &l->side[0], err);
	if (!rc)
		rc = flow_side_load(f, flow_int(f, "head_id"), false,
				    &l->side[1], err);
	if (rc)
		return rc;
	runs[0] = l->side[0].runs + l->side[0].failed;
	runs[1] = l->side[1].runs + l->side[1].failed;
	return compare_matrices(&l->cmp, m, 2, runs, flow_text(f, "testcase"),
				err);
}

/*
 * The metric that the verdict is about: once chosen it stays. Those of the same
 * rank that it was chosen from, by looking at the data, raise the bar.
 */
static void choose_headline(struct flow_look *l)
{
	const char *testcase = flow_text(l->f, "testcase");
	const char *kept = flow_text(l->f, "headline");
	int rank;
	size_t i;

	if (*kept)
		l->headline = compare_find(&l->cmp, kept);
	else
		l->headline = kpi_headline(&l->cmp, 1);
	if (!l->headline)
		return;
	rank = kpi_rank(l->headline->name, testcase);
	for (i = 0; i < l->cmp.nr; i++) {
		const struct compare_metric *m = &l->cmp.metric[i];

		l->candidates += !m->failure && m->side[0].n && m->side[1].n &&
				 kpi_rank(m->name, testcase) == rank;
	}
	if (l->candidates < 1)
		l->candidates = 1;
}

/* The @nr-th boot of a side in plan order; NULL past the end. */
static const struct flow_boot *nth_boot(const struct flow_look *l, long long id,
					size_t nr)
{
	size_t i;

	for (i = 0; i < l->boots.nr; i++) {
		if (l->boots.v[i].commit_id == id && !nr--)
			return &l->boots.v[i];
	}
	return NULL;
}

/* A boot that failed takes its partner along: the pair is left out. */
static size_t collect_pairs(struct flow_look *l)
{
	long long base = flow_int(l->f, "base_id");
	long long head = flow_int(l->f, "head_id");
	const struct flow_boot *b, *h;
	size_t nr = 0;

	l->pairs = xcalloc(l->boots.nr + 1, sizeof(*l->pairs));
	for (l->tried = 0;; l->tried++) {
		b = nth_boot(l, base, l->tried);
		h = nth_boot(l, head, l->tried);
		if (!b || !h)
			return nr;
		if (!b->nr || !h->nr)
			continue;
		l->pairs[nr].base = flow_boot_mean(b);
		l->pairs[nr++].head = flow_boot_mean(h);
	}
}

static int read_calibration(struct flow_look *l, struct err *err)
{
	const struct flow *f = l->f;
	struct flow_calibration *c = &l->calibration;
	double runs = (double)flow_runs_per_boot(f);
	int rc = flow_calibration_get(f, flow_int(f, "box_id"),
				      l->headline->name, c, err);

	if (!rc && c->state == FLOW_CALIBRATED_OK) {
		l->in.sd = c->sd * sqrt(stat_boot_var(c->boot_share, runs));
		l->in.dof = c->dof;
	}
	return rc;
}

static int decide(struct flow_look *l, struct err *err)
{
	const struct flow *f = l->f;
	int max_pairs = flow_max_pairs(f);
	size_t nr = collect_pairs(l);
	int rc;

	l->in = (struct verdict_in){
		.nr = nr,
		.pairs = l->pairs,
		.planned = flow_planned_pairs(f),
		.min_effect = flow_min_effect(f),
		.candidates = l->candidates,
		.direction = kpi_direction(l->headline->name),
	};
	/* boots that keep failing must not go on for ever */
	l->in.max_pairs =
		(int)l->tried >= 2 * max_pairs ? (int)l->in.nr : max_pairs;
	rc = read_calibration(l, err);
	if (!rc)
		verdict_decide(&l->in, &l->v);
	return rc;
}

/* --- what follows --- */

static bool wants_bisect(const struct flow_look *l)
{
	const char *when = json_opt_str(l->f->options, "bisect", "auto");

	if (!strcmp(when, "never"))
		return false;
	if (!strcmp(when, "always"))
		return l->v.kind == VERDICT_REGRESSION ||
		       l->v.kind == VERDICT_IMPROVEMENT;
	return l->v.kind == VERDICT_REGRESSION &&
	       l->f->d->cfg.bisect.auto_start;
}

/* Returns 1 when a bisection is on its way; else why not, in @why. */
static int try_bisect(const struct flow_look *l, struct str *why,
		      struct err *err)
{
	const char *merge_base = flow_text(l->f, "merge_base");
	struct err e = { 0 };
	int rc;

	if (*merge_base && l->v.kind != VERDICT_NO_CHANGE)
		str_addf(why,
			 "; not bisected: base is no ancestor of head, their "
			 "merge base is %.12s",
			 merge_base);
	if (*merge_base || !wants_bisect(l))
		return 0;
	rc = flow_bisect_start(l->f, NULL, l->v.delta, &e);
	if (!rc)
		return 1;
	if (db_has_failed(l->f->d->db)) {
		*err = e;
		return rc;
	}
	str_addf(why, "; not bisected: %s", e.text);
	return 0;
}

static int finish(const struct flow_look *l, struct err *err)
{
	const struct flow *f = l->f;
	struct str why = STR_INIT;
	int rc;

	rc = flow_look_store(l, &why, err);
	if (!rc)
		rc = daemon_event(f->d, f->job_id, "verdict", err,
				  "%s on %s: %s", flow_text(f, "path"),
				  flow_text(f, "box"), why.p);
	if (!rc && l->v.kind == VERDICT_REGRESSION)
		rc = db_regression_put(f->d->db, f->id, 0, 0, clock_wall_s(),
				       err);
	if (!rc)
		rc = try_bisect(l, &why, err);
	if (rc >= 0)
		rc = db_comparison_set_state(f->d->db, f->id,
					     rc ? "bisecting" : "done", why.p,
					     clock_wall_s(), err);
	str_release(&why);
	return rc < 0 ? rc : flow_after_verdict(f, err);
}

static int go_on(const struct flow_look *l, struct err *err)
{
	const struct flow *f = l->f;
	struct str why = STR_INIT;
	int rc;

	rc = flow_look_store(l, &why, err);
	if (!rc)
		rc = add_pairs(f, l->tried, l->v.more, err);
	if (!rc && l->in.nr)
		str_addf(&why, "%zu pairs leave it open (%+.1f%%, E = %.2g)",
			 l->in.nr, 100 * l->v.delta, l->v.e_value);
	else
		str_add(&why, "no pair of boots succeeded so far");
	if (!rc)
		rc = daemon_event(f->d, f->job_id, "stage", err,
				  "%s: %s; %d more", flow_text(f, "path"),
				  why.p, l->v.more);
	str_release(&why);
	return rc;
}

static int look(struct flow_look *l, struct err *err)
{
	int rc = load_sides(l, err);

	if (rc)
		return rc;
	choose_headline(l);
	if (!l->headline) {
		l->v = (struct verdict){ .kind = VERDICT_UNDECIDED,
					 .delta = NAN,
					 .lo = NAN,
					 .hi = NAN };
		return finish(l, err);
	}
	/* the values of the metric that it is about */
	flow_boots_release(&l->boots);
	rc = flow_boots_load(l->f, 0, l->headline->name, &l->boots, err);
	if (rc)
		return rc;
	rc = decide(l, err);
	if (rc)
		return rc;
	return l->v.kind == VERDICT_MORE ? go_on(l, err) : finish(l, err);
}

int flow_compare_look(const struct flow *f, struct err *err)
{
	struct flow_look l = { .f = f, .cmp = COMPARISON_INIT };
	int rc = flow_boots_load(f, 0, "", &l.boots, err);

	if (!rc)
		rc = end_if_lost(&l, err);
	if (!rc && !flow_boots_open(&l.boots))
		rc = look(&l, err);
	look_release(&l);
	return rc < 0 ? rc : 0;
}
