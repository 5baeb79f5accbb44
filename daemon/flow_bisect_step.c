// SPDX-License-Identifier: GPL-3.0-or-later
// A step of a bisection: what came back from the boots that were asked for
// becomes the engine's results.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "daemon/flow_revert.h"
#include "db/db_flow_bisect.h"
#include "report/report_mail.h"

/* Steps in which the lab failed a boot for good, before it is given up. */
#define INFRA_STEPS_MAX 5
#define SHOWN_COMMITS	64

enum bisect_status flow_boot_status(const struct flow_boot *boot)
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

/* What a step brought, in the order asked. @v: @nr for the engine. */
struct taken {
	struct bisect_result *v;
	size_t nr;
	int infra, same; /* boots that the lab lost; that weren't needed */
	json_t *json;	 /* as bisect_step.result_json */
};

static void take_boot(const struct flow_bisect *b, const json_t *ask,
		      const struct flow_boot *boot, struct taken *out)
{
	bool same = !strcmp(boot->failure, FLOW_SAME_KERNEL);
	const char *sha = json_opt_str(ask, "commit", "");
	struct bisect_result *r = &out->v[out->nr];

	r->commit = history_find(bisect_history(b->engine), sha);
	r->box = bisect_find_box(b->engine, boot->box);
	r->layout = (int)json_opt_int(ask, "layout", 0);
	r->status = flow_boot_status(boot);
	r->values = boot->values;
	r->nr_values = r->status == BISECT_OK ? boot->nr : 0;
	json_array_append_new(
		out->json,
		json_pack("{s:s, s:s, s:i, s:s, s:o, s:s}", "commit", sha,
			  "box", boot->box, "layout", r->layout, "status",
			  same ? FLOW_SAME_KERNEL
			       : bisect_status_to_str(r->status),
			  "values", values_json(r), "why", boot->why));
	out->infra += !same && r->status == BISECT_INFRA;
	out->same += same;
	out->nr += !same;
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
static void add_notes(const struct flow_bisect *b, size_t from,
		      const struct taken *t, struct str *out)
{
	size_t i;

	for (i = from; i < bisect_nr_steps(b->engine); i++)
		add_note(b, bisect_step(b->engine, i), out);
	if (t->infra)
		str_addf(out, "%s%d boot%s lost to trouble of the lab",
			 out->len ? "; " : "", t->infra,
			 t->infra == 1 ? "" : "s");
	if (t->same)
		str_addf(out,
			 "%s%d boot%s not needed: the same kernel was "
			 "measured",
			 out->len ? "; " : "", t->same,
			 t->same == 1 ? "" : "s");
}

static int by_posterior(const void *a, const void *b)
{
	double x = ((const double *)a)[1];
	double y = ((const double *)b)[1];

	if (x < y || x > y)
		return x < y ? 1 : -1;
	/* equal or unknown ones in the order of history */
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

		json_array_append_new(
			list,
			json_pack(
				"{s:s, s:o, s:o}", "sha", history_id(h, pos),
				"posterior", json_real_or_null(v[i][1]), "bad",
				json_real_or_null(bisect_bad(b->engine, pos))));
	}
	free(v);
	bisect_finding(b->engine, &found);
	return json_pack("{s:o, s:o, s:i}", "candidates", list, "none",
			 json_real_or_null(bisect_posterior(b->engine, 0)),
			 "left", found.candidates_left);
}

static int store_taken(const struct flow_bisect *b, long long step_id,
		       size_t before, const struct taken *t, struct err *err)
{
	json_t *posterior = flow_bisect_posterior(b);
	struct str note = STR_INIT;
	int rc;

	add_notes(b, before, t, &note);
	rc = db_step_end(b->f->d->db, step_id, t->json, posterior, note.p, err);
	if (!rc)
		rc = daemon_event(b->f->d, b->f->job_id, "bisect", err, "%s",
				  note.p);
	json_decref(posterior);
	str_release(&note);
	return rc;
}

static int feed(const struct flow_bisect *b, const json_t *step,
		const struct flow_boots *boots, struct err *err)
{
	const json_t *asked =
		json_object_get(json_object_get(step, "ask"), "boots");
	struct taken t = { .v = xcalloc(boots->nr + 1, sizeof(*t.v)),
			   .json = json_array() };
	size_t before = bisect_nr_steps(b->engine);
	size_t i;
	int rc = 0;

	for (i = 0; i < boots->nr; i++)
		take_boot(b, json_array_get(asked, i), &boots->v[i], &t);
	if (t.nr)
		rc = bisect_result(b->engine, t.v, t.nr, err);
	if (!rc)
		rc = store_taken(b, json_opt_int(step, "id", 0), before, &t,
				 err);
	json_decref(t.json);
	free(t.v);
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

static int feed_and_check(const struct flow_bisect *b, const json_t *step,
			  const struct flow_boots *boots, struct err *err)
{
	int rc = feed(b, step, boots, err);

	return rc ? rc : check_infra(b, err);
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
	else if (!rc && flow_revert_is_step(step))
		rc = flow_revert_take(b, step, &boots, err);
	else if (!rc)
		rc = feed_and_check(b, step, &boots, err);
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
		rc = flow_bisect_merge_same(&b, &e);
	if (!rc)
		rc = flow_bisect_next(&b, &e);
	if (rc < 0 && db_has_failed(f->d->db))
		err_set(err, rc, "%s", e.text);
	else if (rc < 0)
		rc = flow_bisect_give_up(&b, "failed", e.text, err);
	flow_bisect_close(&b);
	return rc < 0 ? rc : 0;
}
