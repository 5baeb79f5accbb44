// SPDX-License-Identifier: GPL-3.0-or-later
// The last check of an accusation: does head get better without the culprit?
#include "daemon/flow_revert.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/revert.h"
#include "analysis/stat_sample.h"
#include "base/mem.h"
#include "db/db_flow.h"
#include "db/db_flow_bisect.h"

#define PAIRS	  4 /* at once */
#define MAX_PAIRS 12

/* What the steps brought so far. Texts are borrowed from the steps. */
struct trial {
	struct verdict_pair *pairs;
	size_t nr;
	size_t tried; /* pairs asked for */
	size_t boots; /* that gave values */
	bool stopped;
	const char *sha;	  /* of the revert; NULL: nothing asked yet */
	const char *status, *why; /* of a boot that gave none; NULL */
};

/* One call of flow_revert(). */
struct check {
	const struct flow_bisect *b;
	struct repo *repo;
	const char *culprit;
	double effect; /* of the culprit, relative */
	struct trial trial;
	json_t *out; /* the outcome, once there is one */
};

/* --- what was measured --- */

/* Mean of a boot's values; NaN when it gave none. */
static double mean_of(const json_t *result)
{
	const json_t *values = json_object_get(result, "values");
	const json_t *v;
	double sum = 0;
	size_t i;

	json_array_foreach(values, i, v) sum += json_number_value(v);
	return json_array_size(values) ? sum / (double)json_array_size(values)
				       : NAN;
}

static bool is_unbuildable(const struct trial *t)
{
	return t->status && !strcmp(t->status, "unbuildable");
}

/* What can't be built outweighs any other reason. */
static void note_failure(struct trial *t, const json_t *result)
{
	if (is_unbuildable(t))
		return;
	t->status = json_opt_str(result, "status", "infra");
	t->why = json_opt_str(result, "why", "");
}

/* Boots @at and the next one of a step, head and revert in either order. */
static void add_pair(struct trial *t, const json_t *step, size_t at)
{
	const json_t *asked =
		json_object_get(json_object_get(step, "ask"), "boots");
	double mean[2] = { NAN, NAN };
	size_t i;

	for (i = at; i < at + 2; i++) {
		const json_t *result =
			json_array_get(json_object_get(step, "result"), i);
		const json_t *boot = json_array_get(asked, i);
		bool reverted =
			!strcmp(json_opt_str(boot, "commit", ""), t->sha);

		mean[reverted] = mean_of(result);
		if (isfinite(mean[reverted]))
			t->boots++;
		else
			note_failure(t, result);
	}
	t->tried++;
	if (isfinite(mean[0]) && isfinite(mean[1]))
		t->pairs[t->nr++] = (struct verdict_pair){ mean[0], mean[1] };
}

static void add_step(struct trial *t, const json_t *step)
{
	const json_t *ask = json_object_get(step, "ask");
	size_t nr = json_array_size(json_object_get(ask, "boots")) / 2;
	size_t i;

	t->sha = json_opt_str(ask, "revert", "");
	t->stopped = !json_array_size(json_object_get(step, "result"));
	t->pairs = xreallocarray(t->pairs, t->nr + nr + 1, sizeof(*t->pairs));
	for (i = 0; i < nr; i++)
		add_pair(t, step, 2 * i);
}

/* The engine may have changed its mind since an earlier revert. */
static void collect(const json_t *steps, const char *culprit, struct trial *t)
{
	const json_t *step;
	size_t i;

	json_array_foreach(steps, i, step)
	{
		const json_t *ask = json_object_get(step, "ask");

		if (flow_revert_is_step(step) &&
		    !strcmp(json_opt_str(ask, "culprit", ""), culprit))
			add_step(t, step);
	}
}

/* --- what it says --- */

static json_t *outcome(const char *word, const char *sha, const char *say)
{
	return json_pack("{s:s, s:s, s:o}", "outcome", word, "sha", sha, "say",
			 json_text(say, strlen(say)));
}

/* No pair, and why. */
static json_t *failed(const struct trial *t)
{
	struct str say = STR_INIT;
	json_t *out;

	if (t->stopped)
		str_add(&say, "stopped by hand before it was measured");
	else if (is_unbuildable(t))
		str_addf(&say, "not measured, it doesn't build: %s", t->why);
	else
		str_addf(&say, "not measured, no pair of boots succeeded: %s",
			 t->why ? t->why : "none was asked for");
	out = outcome("failed", t->sha, say.p);
	str_release(&say);
	return out;
}

static void add_say(const struct revert_verdict *v, size_t nr, struct str *out)
{
	str_addf(out, "%+.1f%%", 100 * v->delta);
	if (isfinite(v->lo) && isfinite(v->hi))
		str_addf(out, ", 95%% interval %+.1f%% to %+.1f%%", 100 * v->lo,
			 100 * v->hi);
	if (v->kind == REVERT_BACK)
		str_addf(out, ", E = %.2g: gives it back", v->e_back);
	else if (v->kind == REVERT_NOT_BACK)
		str_addf(out,
			 ", E = %.2g against half of it: does not give it back",
			 v->e_half);
	else
		str_addf(out, ": %zu pairs of boots can't tell", nr);
}

static json_t *measured(const struct trial *t, const struct revert_verdict *v)
{
	struct str say = STR_INIT;
	json_t *out;

	add_say(v, t->nr, &say);
	out = outcome(revert_to_str(v->kind), t->sha, say.p);
	json_object_set_new(out, "expected", json_real_or_null(v->expected));
	json_object_set_new(out, "delta", json_real_or_null(v->delta));
	json_object_set_new(out, "delta_lo", json_real_or_null(v->lo));
	json_object_set_new(out, "delta_hi", json_real_or_null(v->hi));
	json_object_set_new(out, "e_back", json_real_or_null(v->e_back));
	json_object_set_new(out, "e_half", json_real_or_null(v->e_half));
	json_object_set_new(out, "pairs", json_integer((json_int_t)t->nr));
	json_object_set_new(out, "boots", json_integer((json_int_t)t->boots));
	str_release(&say);
	return out;
}

/* --- boots --- */

static void add_boot(const struct flow_bisect *b, const char *sha,
		     const json_t *box, json_t *boots)
{
	json_array_append_new(
		boots, json_pack("{s:s, s:s, s:i, s:I}", "commit", sha, "box",
				 json_opt_str(box, "name", ""), "layout", 0,
				 "runs", (json_int_t)flow_runs_per_boot(b->f)));
}

/* Pair number @at, in an order of its own, on the box whose turn it is. */
static int ask_pair(const struct flow_bisect *b, const json_t *ready,
		    const char *sha, size_t at, json_t *boots)
{
	const json_t *box = flow_bisect_ready_box(b, ready, (int)at);
	const char *sides[] = { flow_text(b->f, "head_sha"), sha };
	size_t first = flow_pair_first(b->id, at);

	if (!box)
		return ERR_INFRA;
	add_boot(b, sides[first], box, boots);
	add_boot(b, sides[!first], box, boots);
	return 0;
}

static int store_ask(const struct check *c, const json_t *ask, struct err *err)
{
	const struct flow *f = c->b->f;
	size_t nr = json_array_size(json_object_get(ask, "boots"));
	int rc = flow_bisect_add_step(c->b, c->repo, ask, err);

	if (!rc)
		rc = daemon_event(f->d, f->job_id, "bisect", err,
				  "revert on head: %zu boots asked for", nr);
	return rc;
}

/*
 * Ask for @nr further pairs of head and @sha. ERR_INFRA: no box is ready,
 * nothing was written.
 */
static int ask_pairs(const struct check *c, const char *sha, int nr,
		     struct err *err)
{
	const struct flow *f = c->b->f;
	json_t *ready =
		db_flow_boxes(f->d->db, flow_text(f, "tbox_group"), 0, err);
	json_t *boots = json_array();
	json_t *ask =
		json_pack("{s:s, s:s, s:s, s:o}", "phase", FLOW_REVERT_PHASE,
			  "culprit", c->culprit, "revert", sha, "boots", boots);
	int rc = ready ? 0 : ERR_IO;
	int i;

	for (i = 0; !rc && i < nr; i++)
		rc = ask_pair(c->b, ready, sha, c->trial.tried + (size_t)i,
			      boots);
	if (!rc)
		rc = store_ask(c, ask, err);
	json_decref(ask);
	json_decref(ready);
	return rc;
}

/* As ask_pairs(), but 1 when it asked; without a box that is the outcome. */
static int ask_or_say(struct check *c, const char *sha, int nr, struct err *err)
{
	struct str say = STR_INIT;
	int rc = ask_pairs(c, sha, nr, err);

	if (rc != ERR_INFRA)
		return rc ? rc : 1;
	str_addf(&say, "not measured%s: no box of group %s is ready",
		 c->trial.nr ? " to the end" : "",
		 flow_text(c->b->f, "tbox_group"));
	c->out = outcome("failed", sha, say.p);
	str_release(&say);
	return 0;
}

/* --- the check --- */

static int begin(struct check *c, struct err *err)
{
	char sha[REPO_SHA_BYTES];
	struct str say = STR_INIT;
	struct err e = { 0 };
	int rc = repo_revert(c->repo, flow_text(c->b->f, "head_sha"),
			     c->culprit, sha, &e);
	bool conflict = rc == ERR_DATA;

	if (!rc)
		return ask_or_say(c, sha, PAIRS, err);
	str_add(&say, conflict ? "doesn't apply: " : "can't be made: ");
	str_add_term(&say, e.text, false);
	c->out = outcome(conflict ? "conflict" : "failed", "", say.p);
	str_release(&say);
	return 0;
}

/* The deviation of a boot's mean, as the bisection began with it. */
static double sd_of_boot(const struct flow_bisect *b)
{
	double share = json_opt_num(b->start, "boot_share", 1);
	double runs = (double)flow_runs_per_boot(b->f);

	return json_opt_num(b->start, "sd", 0) *
	       sqrt(stat_boot_var(share, runs));
}

static int go_on(struct check *c, struct err *err)
{
	const struct trial *t = &c->trial;
	struct revert_in in = {
		.pairs = t->pairs,
		.nr = t->nr,
		.planned = PAIRS,
		.max_pairs = MAX_PAIRS,
		.effect = c->effect,
		.sd = sd_of_boot(c->b),
		.dof = json_opt_num(c->b->start, "dof", 0),
	};
	struct revert_verdict v;

	if (t->stopped || is_unbuildable(t) || !t->nr) {
		c->out = failed(t);
		return 0;
	}
	/* boots that keep failing must not go on for ever */
	if (t->tried >= 2 * (size_t)MAX_PAIRS)
		in.max_pairs = (int)t->nr;
	revert_decide(&in, &v);
	if (v.kind == REVERT_MORE)
		return ask_or_say(c, t->sha, v.more, err);
	c->out = measured(t, &v);
	return 0;
}

/* The commit's relative effect; 0: it is not known. */
static double effect_of(const struct flow_bisect *b,
			const struct bisect_finding *found)
{
	double effect = isfinite(found->delta)
				? found->delta
				: json_opt_num(b->start, "claim", 0);

	return effect > -1 ? effect : 0;
}

/* Head's last change, or what has head's bits, leaves its parent behind, which
 * was measured. */
static bool is_head(const struct flow_bisect *b,
		    const struct bisect_finding *found, const char *culprit)
{
	const struct history *h = bisect_history(b->engine);

	return found->commits[0] == history_nr(h) - 1 ||
	       !strcmp(culprit, flow_text(b->f, "head_sha"));
}

int flow_revert(const struct flow_bisect *b, const struct bisect_finding *found,
		json_t **out, struct err *err)
{
	struct check c = {
		.b = b,
		.culprit = history_id(bisect_history(b->engine),
				      found->commits[0]),
		.effect = effect_of(b, found),
	};
	json_t *steps;
	int rc = ERR_IO;

	*out = NULL;
	if (!b->f->d->cfg.bisect.revert || c.effect == 0 ||
	    is_head(b, found, c.culprit))
		return 0;
	steps = db_steps(b->f->d->db, b->id, err);
	if (steps) {
		rc = ERR_NOTFOUND;
		c.repo = repo_open(flow_text(b->f, "repo_path"), err);
	}
	if (c.repo) {
		collect(steps, c.culprit, &c.trial);
		rc = c.trial.sha ? go_on(&c, err) : begin(&c, err);
	}
	*out = c.out;
	free(c.trial.pairs);
	repo_free(c.repo);
	json_decref(steps);
	return rc;
}

void flow_revert_add_why(const json_t *revert, struct str *out)
{
	const char *word = json_opt_str(revert, "outcome", "");

	if (!strcmp(word, "back"))
		str_add(out, "; head with it reverted doesn't show the change");
	else if (!strcmp(word, "not-back"))
		str_add(out, "; head with it reverted still shows the change: "
			     "this commit alone may not explain it");
	else if (*word)
		str_addf(out, "; not verified by a revert on head: %s",
			 json_opt_str(revert, "say", ""));
}
