// SPDX-License-Identifier: GPL-3.0-or-later
// A step of a bisection: the engine's question becomes plan rows, the boots
// that ended become its results.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "daemon/flow_private.h"
#include "db/db_flow_bisect.h"
#include "report/report_mail.h"

/* Steps in which the lab failed a boot for good, before it is given up. */
#define INFRA_STEPS_MAX 5
#define RUNS_MAX	1000
#define SHOWN_COMMITS	64

/* --- asking --- */

/*
 * The box that a boot goes to: the one asked for while it is ready, else the
 * next one that is. NULL: none.
 */
static const json_t *ready_box(const struct flow_bisect *b, const json_t *ready,
			       int asked)
{
	size_t nr = json_array_size(b->boxes);
	size_t i, j;

	for (i = 0; i < nr; i++) {
		const json_t *box =
			json_array_get(b->boxes, ((size_t)asked + i) % nr);
		const json_t *row;

		json_array_foreach(ready, j, row)
		{
			if (json_opt_int(row, "id", 0) ==
			    json_opt_int(box, "id", -1))
				return box;
		}
	}
	return NULL;
}

static json_t *boot_json(const struct flow_bisect *b,
			 const struct bisect_boot *boot, const json_t *box)
{
	const struct history *h = bisect_history(b->engine);

	return json_pack("{s:s, s:s, s:i, s:i}", "commit",
			 history_id(h, boot->commit), "box",
			 json_opt_str(box, "name", ""), "layout", boot->layout,
			 "runs", boot->runs > RUNS_MAX ? RUNS_MAX : boot->runs);
}

/* {"phase", "boots": [{"commit", "box", "layout", "runs"}]} */
static json_t *ask_json(const struct flow_bisect *b,
			const struct bisect_ask *ask, struct err *err)
{
	const struct flow *f = b->f;
	const char *group = flow_text(f, "tbox_group");
	json_t *ready = db_flow_boxes(f->d->db, group, 0, err);
	json_t *boots = json_array();
	size_t i;

	for (i = 0; ready && i < ask->nr; i++) {
		const json_t *box = ready_box(b, ready, ask->boots[i].box);

		if (!box) {
			err_set(err, ERR_INFRA,
				"infrastructure: no box of group %s is ready",
				group);
			break;
		}
		json_array_append_new(boots, boot_json(b, &ask->boots[i], box));
	}
	json_decref(ready);
	if (json_array_size(boots) == ask->nr)
		return json_pack("{s:s, s:o}", "phase",
				 bisect_phase_to_str(ask->phase), "boots",
				 boots);
	json_decref(boots);
	return NULL;
}

static int want(const struct flow_bisect *b, const struct repo *repo,
		long long step_id, const json_t *boot, struct err *err)
{
	const struct flow *f = b->f;
	int at = bisect_find_box(b->engine, json_opt_str(boot, "box", ""));
	const json_t *box = json_array_get(b->boxes, (size_t)at);
	struct flow_want w = {
		.box_id = json_opt_int(box, "id", 0),
		.step_id = step_id,
		.nr_runs = json_opt_int(boot, "runs", 1),
		.uses_kernel = json_opt_bool(box, "uses_kernel", false),
	};
	int rc;

	/* where time is counted in instructions, a layout can't matter */
	if (!json_opt_bool(box, "simulated", false))
		w.layout = json_opt_int(boot, "layout", 0);
	rc = flow_commit_id(f, repo, json_opt_str(boot, "commit", ""),
			    &w.commit_id, err);
	return rc ? rc : flow_want_boot(f, &w, err);
}

static int want_all(const struct flow_bisect *b, long long step_id,
		    const json_t *ask, struct err *err)
{
	const json_t *boots = json_object_get(ask, "boots");
	struct repo *repo = repo_open(flow_text(b->f, "repo_path"), err);
	const json_t *boot;
	size_t i;
	int rc = 0;

	if (!repo)
		return ERR_NOTFOUND;
	json_array_foreach(boots, i, boot)
	{
		rc = want(b, repo, step_id, boot, err);
		if (rc)
			break;
	}
	repo_free(repo);
	return rc;
}

static int keep_state(const struct flow_bisect *b, struct err *err)
{
	json_t *engine = bisect_to_json(b->engine);
	json_t *none = json_array();
	json_t *evidence = json_object();
	struct bisect_finding found;
	struct db_bisect_end row = { .state = "running",
				     .verdict = "",
				     .engine = engine,
				     .commits = none,
				     .evidence = evidence,
				     .why = "" };
	int rc;

	bisect_finding(b->engine, &found);
	row.posterior = found.posterior;
	rc = db_bisect_set(b->f->d->db, b->id, &row, clock_wall_s(), err);
	json_decref(engine);
	json_decref(none);
	json_decref(evidence);
	return rc;
}

/* Append why the boots that are asked for are too many; false: they aren't. */
static bool over_limit(const struct flow_bisect *b,
		       const struct bisect_ask *ask, struct str *why)
{
	long long max_boots = b->f->d->cfg.bisect.max_boots;
	struct bisect_finding found;

	bisect_finding(b->engine, &found);
	if (max_boots <= 0 || found.boots + (long long)ask->nr <= max_boots)
		return false;
	str_addf(why,
		 "the next step would take %zu boots more, over "
		 "bisect.max_boots = %lld",
		 ask->nr, max_boots);
	return true;
}

static int ask_for(const struct flow_bisect *b, const struct bisect_ask *ask,
		   struct err *err)
{
	const struct flow *f = b->f;
	long long step_id = 0;
	struct err e = { 0 };
	json_t *json = ask_json(b, ask, &e);
	int rc;

	if (!json)
		return err_set(err, e.code ? e.code : ERR_IO, "%s", e.text);
	rc = db_step_add(f->d->db, b->id, json, &step_id, err);
	if (!rc)
		rc = want_all(b, step_id, json, err);
	if (!rc)
		rc = keep_state(b, err);
	if (!rc)
		rc = daemon_event(f->d, f->job_id, "bisect", err,
				  "%s: %zu boot%s asked for",
				  bisect_phase_to_str(ask->phase), ask->nr,
				  ask->nr == 1 ? "" : "s");
	json_decref(json);
	return rc;
}

int flow_bisect_next(const struct flow_bisect *b, struct err *err)
{
	struct str why = STR_INIT;
	struct bisect_ask ask;
	int rc;

	if (!bisect_next(b->engine, &ask))
		return flow_bisect_end(b, NULL, err);
	if (over_limit(b, &ask, &why))
		rc = flow_bisect_end(b, why.p, err);
	else
		rc = ask_for(b, &ask, err);
	str_release(&why);
	return rc;
}

/* --- what came back --- */

static enum bisect_status status_of(const struct flow_boot *boot)
{
	if (!strcmp(boot->state, "done"))
		return boot->nr ? BISECT_OK : BISECT_UNBOOTABLE;
	if (!strcmp(boot->failure, "build"))
		return BISECT_UNBUILDABLE;
	/* a kernel whose benchmark crashes can't be measured either */
	if (!strcmp(boot->failure, "boot") || !strcmp(boot->failure, "bench"))
		return BISECT_UNBOOTABLE;
	return BISECT_INFRA;
}

static json_t *values_json(const struct bisect_result *r)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < r->nr_values; i++)
		json_array_append_new(list, json_real(r->values[i]));
	return list;
}

/* Results in the order asked; @out_json as bisect_step.result_json. */
static int read_results(const struct flow_bisect *b, const json_t *asked,
			const struct flow_boots *boots,
			struct bisect_result *out, json_t *out_json)
{
	const struct history *h = bisect_history(b->engine);
	int infra = 0;
	size_t i;

	for (i = 0; i < boots->nr; i++) {
		const struct flow_boot *boot = &boots->v[i];
		const json_t *ask = json_array_get(asked, i);
		const char *sha = json_opt_str(ask, "commit", "");
		struct bisect_result *r = &out[i];

		r->commit = history_find(h, sha);
		r->box = bisect_find_box(b->engine, boot->box);
		r->layout = (int)json_opt_int(ask, "layout", 0);
		r->status = status_of(boot);
		r->values = boot->values;
		r->nr_values = r->status == BISECT_OK ? boot->nr : 0;
		infra += r->status == BISECT_INFRA;
		json_array_append_new(
			out_json,
			json_pack("{s:s, s:s, s:i, s:s, s:o, s:s}", "commit",
				  sha, "box", boot->box, "layout", r->layout,
				  "status", bisect_status_to_str(r->status),
				  "values", values_json(r), "why", boot->why));
	}
	return infra;
}

static void add_note(const struct flow_bisect *b, const struct bisect_step *s,
		     struct str *out)
{
	const char *sha = history_id(bisect_history(b->engine), s->commit);

	str_addf(out, "%s%s ", out->len ? "; " : "",
		 bisect_phase_to_str(s->phase));
	flow_add_commit(out, sha, flow_bisect_subject(b, sha));
	if (s->status != BISECT_OK) {
		str_addf(out, ": %s", bisect_status_to_str(s->status));
		return;
	}
	str_addf(out, ": %d boot%s", s->boots, s->boots == 1 ? "" : "s");
	if (isfinite(s->effect))
		str_addf(out, ", %+.1f%%", 100 * s->effect);
	str_add(out, ", affected ");
	str_add_probability(out, s->bad);
	str_addf(out, ", %d left", s->candidates_left);
}

/* A line of what the engine took in since it had @from steps. */
static void add_notes(const struct flow_bisect *b, size_t from, int infra,
		      struct str *out)
{
	size_t i;

	for (i = from; i < bisect_nr_steps(b->engine); i++)
		add_note(b, bisect_step(b->engine, i), out);
	if (infra)
		str_addf(out, "%s%d boot%s lost to trouble of the lab",
			 out->len ? "; " : "", infra, infra == 1 ? "" : "s");
}

static int by_posterior(const void *a, const void *b)
{
	double x = ((const double *)a)[1];
	double y = ((const double *)b)[1];

	if (x != y)
		return x < y ? 1 : -1;
	/* equal ones in the order of history */
	return ((const double *)a)[0] > ((const double *)b)[0] ? 1 : -1;
}

json_t *flow_bisect_posterior(const struct flow_bisect *b)
{
	const struct history *h = bisect_history(b->engine);
	int nr = history_nr(h);
	double(*v)[2] = xcalloc((size_t)nr, sizeof(*v));
	json_t *list = json_array();
	struct bisect_finding found;
	int i;

	for (i = 1; i < nr; i++) {
		v[i - 1][0] = i;
		v[i - 1][1] = bisect_posterior(b->engine, i);
	}
	qsort(v, (size_t)nr - 1, sizeof(*v), by_posterior);
	for (i = 0; i < nr - 1 && i < SHOWN_COMMITS; i++) {
		int pos = (int)v[i][0];

		json_array_append_new(list,
				      json_pack("{s:s, s:f, s:f}", "sha",
						history_id(h, pos), "posterior",
						v[i][1], "bad",
						bisect_bad(b->engine, pos)));
	}
	free(v);
	bisect_finding(b->engine, &found);
	return json_pack("{s:o, s:f, s:i}", "candidates", list, "none",
			 bisect_posterior(b->engine, 0), "left",
			 found.candidates_left);
}

static int feed(const struct flow_bisect *b, const json_t *step,
		const struct flow_boots *boots, struct err *err)
{
	const json_t *asked =
		json_object_get(json_object_get(step, "ask"), "boots");
	struct bisect_result *results =
		xcalloc(boots->nr + 1, sizeof(*results));
	size_t before = bisect_nr_steps(b->engine);
	json_t *json = json_array();
	struct str note = STR_INIT;
	json_t *posterior;
	int infra, rc;

	infra = read_results(b, asked, boots, results, json);
	rc = bisect_result(b->engine, results, boots->nr, err);
	if (!rc) {
		posterior = flow_bisect_posterior(b);
		add_notes(b, before, infra, &note);
		rc = db_step_end(b->f->d->db, json_opt_int(step, "id", 0), json,
				 posterior, note.p, err);
		json_decref(posterior);
	}
	if (!rc)
		rc = daemon_event(b->f->d, b->f->job_id, "bisect", err, "%s",
				  note.p);
	str_release(&note);
	json_decref(json);
	free(results);
	return rc;
}

static bool lost_a_boot(const json_t *step)
{
	const json_t *r;
	size_t i;

	json_array_foreach(json_object_get(step, "result"), i, r)
	{
		if (!strcmp(json_opt_str(r, "status", ""), "infra"))
			return true;
	}
	return false;
}

static int count_infra(const json_t *steps)
{
	const json_t *step;
	size_t i;
	int nr = 0;

	json_array_foreach(steps, i, step) nr += lost_a_boot(step);
	return nr;
}

static int check_infra(const struct flow_bisect *b, struct err *err)
{
	json_t *steps = db_steps(b->f->d->db, b->id, err);
	int nr = count_infra(steps);

	json_decref(steps);
	if (!steps)
		return ERR_IO;
	if (nr >= INFRA_STEPS_MAX)
		return err_set(
			err, ERR_INFRA,
			"infrastructure: boots failed for reasons of the "
			"lab in %d steps; nothing can be said about the "
			"commits",
			nr);
	return 0;
}

/* 1: still boots to wait for. */
static int take_step(const struct flow_bisect *b, struct err *err)
{
	struct flow_boots boots = { 0 };
	struct err e = { 0 };
	json_t *step = db_step_open(b->f->d->db, b->id, &e);
	int rc;

	if (!step) {
		if (e.code == ERR_NOTFOUND)
			return 0;
		return err_set(err, e.code, "%s", e.text);
	}
	rc = flow_boots_load(b->f, json_opt_int(step, "id", 0),
			     json_opt_str(b->start, "metric", ""), &boots, err);
	if (!rc && flow_boots_open(&boots))
		rc = 1;
	else if (!rc)
		rc = feed(b, step, &boots, err);
	if (!rc)
		rc = check_infra(b, err);
	flow_boots_release(&boots);
	json_decref(step);
	return rc;
}

int flow_bisect_look(const struct flow *f, struct err *err)
{
	struct flow_bisect b;
	struct err e = { 0 };
	int rc = flow_bisect_open(f, &b, err);

	if (rc)
		return rc;
	rc = take_step(&b, &e);
	if (!rc)
		rc = flow_bisect_next(&b, &e);
	if (rc == ERR_IO || rc == ERR_BUSY)
		err_set(err, rc, "%s", e.text);
	else if (rc < 0)
		rc = flow_bisect_give_up(&b, "failed", e.text, err);
	flow_bisect_close(&b);
	return rc < 0 ? rc : 0;
}
