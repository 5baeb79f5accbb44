// SPDX-License-Identifier: GPL-3.0-or-later
// The start of a bisection: range, boxes, noise and costs as the engine wants
// them, and the comparison's own boots as its first results.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "daemon/flow_private.h"
#include "db/db_flow.h"
#include "db/db_flow_bisect.h"
#include "db/db_repo.h"

/* Deviation between builds that differ in code layout alone, where nobody has
 * measured it: a real machine's usual fraction of a percent. */
#define LAYOUT_SD_ASSUMED 0.003
#define COST_MIN_S	  0.01

/* --- a bisection that is there --- */

int flow_bisect_open(const struct flow *f, struct flow_bisect *out,
		     struct err *err)
{
	struct flow_bisect b = { .f = f };
	struct err e = { 0 };

	b.row = db_bisect_of(f->d->db, f->id, &e);
	if (!b.row) {
		if (e.code == ERR_NOTFOUND)
			return err_set(err, ERR_NOTFOUND,
				       "comparison %lld has no bisection",
				       f->id);
		if (err)
			*err = e;
		return e.code;
	}
	b.id = json_opt_int(b.row, "id", 0);
	b.start = json_object_get(b.row, "start");
	b.boxes = json_object_get(b.start, "boxes");
	b.engine = bisect_from_json(json_object_get(b.row, "engine"), &e);
	if (!b.engine) {
		json_decref(b.row);
		return err_set(err, e.code, "bisection %lld: %s", b.id, e.text);
	}
	*out = b;
	return 0;
}

void flow_bisect_close(struct flow_bisect *b)
{
	bisect_free(b->engine);
	json_decref(b->row);
	b->engine = NULL;
	b->row = NULL;
}

const char *flow_bisect_subject(const struct flow_bisect *b, const char *sha)
{
	const json_t *commits = json_object_get(b->start, "commits");
	const json_t *c;
	size_t i;

	json_array_foreach(commits, i, c)
	{
		if (!strcmp(json_opt_str(c, "sha", ""), sha))
			return json_opt_str(c, "subject", "");
	}
	return "";
}

int flow_commit_id(const struct flow *f, const struct repo *repo,
		   const char *sha, long long *out, struct err *err)
{
	struct repo_commit c = { 0 };
	struct db_commit row;
	int rc = repo_commit_read(repo, sha, &c, err);

	if (rc)
		return rc;
	row = (struct db_commit){ .repo_id = flow_int(f, "repo_id"),
				  .authored_s = c.author_s,
				  .sha = c.sha,
				  .tree = c.tree,
				  .subject = c.subject,
				  .author_name = c.author_name,
				  .author_email = c.author_email };
	rc = db_commit_put(f->d->db, &row, out, err);
	repo_commit_release(&c);
	return rc;
}

/* --- a new one --- */

/* Everything that bisect_new borrows. */
struct starting {
	const struct flow *f;
	struct flow_range range;
	struct flow_boots boots;
	json_t *boxes;
	const char *names[BISECT_MAX_BOXES];
	bool simulated;
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

/* Noise out of the comparison's own boots: one group per side and box. */
static void estimate_noise(const struct starting *s,
			   struct bisect_calibration *out)
{
	struct noise_boot *boots = xcalloc(s->boots.nr + 1, sizeof(*boots));
	long long head = flow_int(s->f, "head_id");
	struct noise noise;
	size_t i;

	for (i = 0; i < s->boots.nr; i++)
		boots[i] = (struct noise_boot){ s->boots.v[i].commit_id == head,
						s->boots.v[i].values,
						s->boots.v[i].nr };
	noise_estimate(boots, s->boots.nr, &noise);
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

static void read_calibration(struct starting *s)
{
	const struct flow *f = s->f;
	struct bisect_calibration *c = &s->start.calibration;
	json_t *row = db_flow_calibration(f->d->db, flow_int(f, "series_id"),
					  flow_int(f, "box_id"),
					  flow_text(f, "headline"));

	estimate_noise(s, c);
	if (json_opt_num(row, "sd_ratio", 0) > 0 &&
	    !strcmp(json_opt_str(row, "verdict", ""), "ok")) {
		c->sd = json_opt_num(row, "sd_ratio", c->sd);
		c->dof = json_opt_num(row, "dof", c->dof);
		c->boot_share = json_opt_num(row, "boot_share", c->boot_share);
		c->layout_sd =
			json_opt_num(row, "layout_sd_ratio", c->layout_sd);
		c->drift_sd = json_opt_num(row, "drift_ratio", c->drift_sd);
	}
	json_decref(row);
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
		rc = flow_boots_load(f, 0, flow_text(f, "headline"), &s->boots,
				     err);
	if (!rc)
		rc = read_costs(s, err);
	if (rc)
		return rc;
	read_calibration(s);
	s->start.commits = s->range.v;
	s->start.nr_commits = s->range.nr;
	s->start.good = flow_text(f, "base_sha");
	s->start.bad = flow_text(f, "head_sha");
	s->start.claim = claim;
	s->start.higher_is_better =
		strcmp(flow_text(f, "direction"), "lower") != 0;
	s->start.boxes = s->names;
	s->start.budget_runs = budget > 0 ? budget : 1000;
	s->start.parallel = (int)s->start.nr_boxes;
	return 0;
}

/* What has been measured already goes in, in its order, as one round. */
static int feed(const struct starting *s, struct bisect *engine,
		struct err *err)
{
	struct bisect_result *r = xcalloc(s->boots.nr + 1, sizeof(*r));
	int last = history_nr(bisect_history(engine)) - 1;
	long long head = flow_int(s->f, "head_id");
	size_t nr = 0;
	size_t i;
	int rc;

	for (i = 0; i < s->boots.nr; i++) {
		const struct flow_boot *b = &s->boots.v[i];
		int box = bisect_find_box(engine, b->box);

		if (!b->nr || box < 0)
			continue;
		r[nr++] = (struct bisect_result){
			.commit = b->commit_id == head ? last : 0,
			.box = box,
			.status = BISECT_OK,
			.values = b->values,
			.nr_values = b->nr,
		};
	}
	rc = nr ? bisect_result(engine, r, nr, err) : 0;
	free(r);
	return rc;
}

static json_t *start_json(const struct starting *s)
{
	const struct bisect_calibration *c = &s->start.calibration;

	return json_pack("{s:s, s:b, s:O, s:O, s:f, s:f, s:f, s:f, s:I, s:b}",
			 "metric", flow_text(s->f, "headline"), "higher",
			 s->start.higher_is_better, "commits", s->range.info,
			 "boxes", s->boxes, "claim", s->start.claim, "sd",
			 c->sd, "dof", c->dof, "boot_share", c->boot_share,
			 "budget_runs", (json_int_t)s->start.budget_runs,
			 "simulated", s->simulated);
}

static int say_start(const struct starting *s, int nr, struct err *err)
{
	struct str idle = STR_INIT;
	int rc;

	if (s->range.nr_idle)
		str_addf(&idle, ", %zu of which can't matter",
			 s->range.nr_idle);
	rc = daemon_event(s->f->d, s->f->job_id, "bisect", err,
			  "bisecting %d commit%s%s, on %zu box%s, for %s", nr,
			  nr == 1 ? "" : "s", idle.p, s->start.nr_boxes,
			  s->start.nr_boxes == 1 ? "" : "es",
			  flow_text(s->f, "headline"));
	str_release(&idle);
	return rc;
}

static int store(const struct starting *s, const struct bisect *engine,
		 struct err *err)
{
	const struct flow *f = s->f;
	json_t *start = start_json(s);
	json_t *state = bisect_to_json(engine);
	int rc;

	rc = db_bisect_add(f->d->db, f->id, start, state, clock_wall_s(), err);
	if (!rc)
		rc = say_start(s, history_nr(bisect_history(engine)) - 1, err);
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
		rc = feed(s, engine, err);
	if (!rc)
		rc = store(s, engine, err);
	bisect_free(engine);
	repo_free(repo);
	return rc;
}

int flow_bisect_start(const struct flow *f, double claim, struct err *err)
{
	struct starting s = { .boxes = json_array() };
	struct flow fresh = { 0 };
	int rc;

	/* the verdict has just been stored: read it with the rest */
	rc = flow_open(f->d, f->id, &fresh, err);
	if (!rc) {
		s.f = &fresh;
		rc = start_engine(&s, claim, err);
	}
	flow_range_release(&s.range);
	flow_boots_release(&s.boots);
	json_decref(s.boxes);
	flow_close(&fresh);
	return rc;
}
