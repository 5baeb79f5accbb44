// SPDX-License-Identifier: GPL-3.0-or-later
// The start of a bisection: range, boxes, noise and costs as the engine wants
// them, and the comparison's own boots as its first results.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/bisect_merge.h"
#include "analysis/kpi.h"
#include "base/clock.h"
#include "base/mem.h"
#include "daemon/flow_calibrate.h"
#include "db/db_flow.h"
#include "db/db_flow_bisect.h"

/* Deviation between builds that differ in code layout alone, where nobody has
 * measured it: a real machine's usual fraction of a percent. */
#define LAYOUT_SD_ASSUMED 0.003
#define COST_MIN_S	  0.01

/* Everything that bisect_new borrows. */
struct starting {
	const struct flow *f;
	const char *metric;
	struct flow_range range;
	struct bisect_merged merged;
	struct flow_boots boots;
	json_t *boxes;
	const char *names[BISECT_MAX_BOXES];
	bool simulated;
	json_t *calibration; /* flow_calibration_json() */
	struct bisect_start start;
};

static int read_boxes(struct starting *s, struct err *err)
{
	const struct flow *f = s->f;
	json_t *rows = db_flow_boxes(f->d->db, flow_text(f, "tbox_group"),
				     flow_int(f, "box_id"), err);
	struct flow_box_kind kind;
	const json_t *row;
	size_t i;
	int rc = rows ? 0 : ERR_IO;

	json_array_foreach(rows, i, row)
	{
		if (s->start.nr_boxes == BISECT_MAX_BOXES)
			break;
		rc = flow_box_kind(json_object_get(row, "spec"), &kind, err);
		if (rc)
			break;
		/* the running kernel's numbers don't mix with those of ours */
		if (kind.uses_kernel != f->uses_kernel)
			continue;
		s->simulated |= kind.simulated;
		json_array_append_new(
			s->boxes,
			json_pack("{s:I, s:s, s:b, s:b}", "id",
				  (json_int_t)json_opt_int(row, "id", 0),
				  "name", json_opt_str(row, "name", ""),
				  "simulated", kind.simulated, "uses_kernel",
				  kind.uses_kernel));
		s->start.nr_boxes++;
	}
	json_decref(rows);
	if (!rc && !s->start.nr_boxes)
		rc = err_set(err, ERR_INFRA, "no box of group %s is ready",
			     flow_text(f, "tbox_group"));
	for (i = 0; i < s->start.nr_boxes; i++)
		s->names[i] =
			json_opt_str(json_array_get(s->boxes, i), "name", "");
	return rc;
}

/* Place of the box in the start, -1 for one that isn't ready any more. */
static int find_box(const struct starting *s, const char *name)
{
	size_t i;

	for (i = 0; i < s->start.nr_boxes; i++)
		if (!strcmp(s->names[i], name))
			return (int)i;
	return -1;
}

/* Noise out of the comparison's own boots: one group per side and box. */
static void estimate_noise(const struct starting *s,
			   struct bisect_calibration *out)
{
	struct noise_boot *boots = xcalloc(s->boots.nr + 1, sizeof(*boots));
	long long head = flow_int(s->f, "head_id");
	struct noise noise;
	size_t nr = 0;
	size_t i;

	for (i = 0; i < s->boots.nr; i++) {
		const struct flow_boot *b = &s->boots.v[i];
		int box = find_box(s, b->box);
		int group = 2 * box + (b->commit_id == head);

		if (box >= 0 && group < NOISE_MAX_GROUPS)
			boots[nr++] =
				(struct noise_boot){ group, b->values, b->nr };
	}
	noise_estimate(boots, nr, &noise);
	free(boots);
	*out = (struct bisect_calibration){
		.dof = noise.dof,
		.sd = noise.sd,
		.boot_share = noise.boot_share,
		.layout_sd = s->f->uses_kernel && !s->simulated
				     ? LAYOUT_SD_ASSUMED
				     : 0,
		.drift_sd = -1
	};
}

static int read_calibration(struct starting *s, struct err *err)
{
	const struct flow *f = s->f;
	struct bisect_calibration *c = &s->start.calibration;
	struct flow_calibration known;
	int rc = flow_calibration_get(f, flow_int(f, "box_id"), s->metric,
				      &known, err);

	if (rc)
		return rc;
	estimate_noise(s, c);
	if (known.state == FLOW_CALIBRATED_OK) {
		c->sd = known.sd;
		c->dof = known.dof;
		c->boot_share = known.boot_share;
		c->drift_sd = known.drift_sd;
		if (isfinite(known.layout_sd))
			c->layout_sd = known.layout_sd;
	}
	s->calibration = flow_calibration_json(&known);
	flow_calibration_release(&known);
	return 0;
}

static int read_costs(struct starting *s, struct err *err)
{
	const struct flow *f = s->f;
	json_t *row = db_flow_costs(f->d->db, flow_int(f, "repo_id"),
				    flow_int(f, "series_id"), err);

	if (!row)
		return ERR_IO;
	s->start.cost.build =
		f->uses_kernel
			? fmax(json_opt_num(row, "build", 60), COST_MIN_S)
			: COST_MIN_S;
	s->start.cost.boot = fmax(json_opt_num(row, "boot", 30), COST_MIN_S);
	s->start.cost.run = fmax(json_opt_num(row, "run", 60), COST_MIN_S);
	json_decref(row);
	return 0;
}

/* The change between the means of the two sides' boots; 0: none is known. */
static double measured_claim(const struct starting *s)
{
	long long head = flow_int(s->f, "head_id");
	double sum[2] = { 0, 0 };
	double nr[2] = { 0, 0 };
	size_t i;

	for (i = 0; i < s->boots.nr; i++) {
		const struct flow_boot *b = &s->boots.v[i];
		int side = b->commit_id == head;

		sum[side] += b->nr ? flow_boot_mean(b) : 0;
		nr[side] += b->nr > 0;
	}
	if (!nr[0] || !nr[1] || sum[0] == 0)
		return 0;
	return sum[1] / nr[1] / (sum[0] / nr[0]) - 1;
}

static int read_metric(struct starting *s, double claim, struct err *err)
{
	const struct flow *f = s->f;
	int rc = flow_boots_load(f, 0, s->metric, &s->boots, err);

	if (rc)
		return rc;
	s->start.claim = claim != 0 ? claim : measured_claim(s);
	if (!isfinite(s->start.claim) || s->start.claim == 0)
		return err_set(err, ERR_USAGE,
			       "comparison %lld has no change of \"%.200s\" to "
			       "look for",
			       f->id, s->metric);
	s->start.higher_is_better = true;
	if (!strcmp(s->metric, flow_text(f, "headline")))
		s->start.higher_is_better =
			strcmp(flow_text(f, "direction"), "lower") != 0;
	else
		s->start.higher_is_better = kpi_direction(s->metric) >= 0;
	return 0;
}

/* Commits that can't matter go before anything is built. */
static int merge_idle(struct starting *s, struct err *err)
{
	const struct flow *f = s->f;

	s->start.commits = s->range.v;
	s->start.nr_commits = s->range.nr;
	s->start.good = flow_text(f, "base_sha");
	s->start.bad = flow_text(f, "head_sha");
	if (!s->range.nr_idle)
		return 0;
	bisect_merge_idle(&s->start, &s->merged);
	if (!strcmp(s->merged.bad, s->start.good))
		return err_set(err, ERR_USAGE,
			       "none of the %zu commits between base and head "
			       "touches a file that %s: not bisected",
			       s->range.nr - 1,
			       f->uses_kernel ? "the kernel is built from"
					      : "is in the tree");
	s->start.commits = s->merged.v;
	s->start.nr_commits = s->merged.nr;
	s->start.bad = s->merged.bad;
	return 0;
}

static int prepare(struct starting *s, const struct repo *repo, double claim,
		   struct err *err)
{
	const struct flow *f = s->f;
	long budget = (long)f->d->cfg.bisect.budget_runs;
	int rc;

	rc = read_boxes(s, err);
	if (!rc)
		rc = flow_range_load(repo, f, &s->range, err);
	if (!rc)
		rc = flow_bisect_check_ends(f, err);
	if (!rc)
		rc = read_metric(s, claim, err);
	if (!rc)
		rc = read_costs(s, err);
	if (!rc)
		rc = flow_prior_raise(f, repo, &s->range, err);
	if (!rc)
		rc = merge_idle(s, err);
	if (!rc)
		rc = read_calibration(s, err);
	if (rc)
		return rc;
	s->start.boxes = s->names;
	s->start.budget_runs = budget > 0 ? budget : 1000;
	s->start.parallel = (int)s->start.nr_boxes;
	return 0;
}

/*
 * Why a commit is no candidate: its own files, or those of a merge against its
 * first parent, or that it reaches head through such merges only.
 */
static const char *why_idle(const struct bisect_commit *c)
{
	if (!c->cannot_matter)
		return "side";
	return c->commit.nr_parents > 1 ? "merge" : "files";
}

/* Note in the range's info, where it has one, what the engine isn't told. */
static void mark_idle(struct starting *s, const struct bisect *engine)
{
	const struct history *h = bisect_history(engine);
	size_t i;

	for (i = 1; i < json_array_size(s->range.info); i++) {
		const struct bisect_commit *c = &s->range.v[i];
		json_t *info = json_array_get(s->range.info, i);
		bool idle = history_find(h, c->commit.id) < 0;

		json_object_set_new(info, "idle", json_boolean(idle));
		if (idle)
			json_object_set_new(info, "why",
					    json_string(why_idle(c)));
	}
}

static json_t *start_json(const struct starting *s)
{
	const struct bisect_calibration *c = &s->start.calibration;

	return json_pack("{s:I, s:s, s:b, s:O, s:O, s:f, s:f, s:f, s:f, s:I, "
			 "s:b, s:O}",
			 "nr_commits", (json_int_t)(s->range.nr - 1), "metric",
			 s->metric, "higher", s->start.higher_is_better,
			 "commits", s->range.info, "boxes", s->boxes, "claim",
			 s->start.claim, "sd", c->sd, "dof", c->dof,
			 "boot_share", c->boot_share, "budget_runs",
			 (json_int_t)s->start.budget_runs, "simulated",
			 s->simulated, "calibration", s->calibration);
}

static int say_start(const struct starting *s, int left, struct err *err)
{
	struct str idle = STR_INIT;
	size_t nr = s->range.nr - 1;
	int rc;

	if ((size_t)left < nr)
		str_addf(&idle, ", %zu of which can't matter",
			 nr - (size_t)left);
	rc = daemon_event(s->f->d, s->f->job_id, "bisect", err,
			  "bisecting %zu commit%s%s, on %zu box%s, for %s", nr,
			  nr == 1 ? "" : "s", idle.p, s->start.nr_boxes,
			  s->start.nr_boxes == 1 ? "" : "es", s->metric);
	str_release(&idle);
	return rc;
}

static int store(struct starting *s, const struct bisect *engine,
		 struct err *err)
{
	const struct flow *f = s->f;
	int left = history_nr(bisect_history(engine)) - 1;
	json_t *state = bisect_to_json(engine);
	json_t *start;
	int rc;

	mark_idle(s, engine);
	start = start_json(s);

	rc = db_bisect_add(f->d->db, f->id, start, state, clock_wall_s(), err);
	if (!rc)
		rc = say_start(s, left, err);
	json_decref(start);
	json_decref(state);
	return rc;
}

static int start_engine(struct starting *s, double claim, struct err *err)
{
	struct repo *repo = repo_open(flow_text(s->f, "repo_path"), err);
	struct bisect *engine = NULL;
	int rc;

	if (!repo)
		return ERR_NOTFOUND;
	rc = prepare(s, repo, claim, err);
	if (!rc) {
		struct err e = { 0 };

		engine = bisect_new(&s->start, &e);
		if (!engine)
			rc = err_set(err, e.code, "%s", e.text);
	}
	if (!rc)
		rc = flow_bisect_feed(s->f, s->metric, &s->boots, engine, err);
	if (!rc)
		rc = store(s, engine, err);
	bisect_free(engine);
	repo_free(repo);
	return rc;
}

int flow_bisect_start(const struct flow *f, const char *metric, double claim,
		      struct err *err)
{
	struct starting s = { .boxes = json_array() };
	struct flow fresh = { 0 };
	int rc;

	/* the verdict has just been stored: read it with the rest */
	rc = flow_open(f->d, f->id, &fresh, err);
	if (!rc) {
		s.f = &fresh;
		s.metric = metric ? metric : flow_text(&fresh, "headline");
		rc = start_engine(&s, claim, err);
	}
	bisect_merged_release(&s.merged);
	flow_range_release(&s.range);
	flow_boots_release(&s.boots);
	json_decref(s.boxes);
	json_decref(s.calibration);
	flow_close(&fresh);
	return rc;
}
