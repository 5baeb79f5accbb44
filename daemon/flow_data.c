// SPDX-License-Identifier: GPL-3.0-or-later
// What the flows read from the database: context, boots, samples; and the one
// thing they all write, a wanted boot.
#include <stdlib.h>
#include <string.h>

#include "analysis/verdict.h"
#include "base/mem.h"
#include "base/rand.h"
#include "configs/lab.h"
#include "daemon/flow_private.h"
#include "db/db_flow.h"
#include "db/db_plan.h"

#define MAX_RUNS 1000

int flow_open(struct daemon *d, long long comparison_id, struct flow *out,
	      struct err *err)
{
	struct flow f = { .d = d, .id = comparison_id };
	struct flow_box_kind kind;
	struct err e = { 0 };
	int rc;

	f.row = db_flow_context(d->db, comparison_id, &e);
	if (!f.row) {
		if (err)
			*err = e;
		return e.code;
	}
	f.job_id = flow_int(&f, "job_id");
	f.options = json_object_get(f.row, "options");
	rc = flow_box_kind(json_object_get(f.row, "box_spec"), &kind, err);
	if (rc) {
		json_decref(f.row);
		return err_wrap(err, "box %s", flow_text(&f, "box"));
	}
	f.uses_kernel = kind.uses_kernel;
	*out = f;
	return 0;
}

void flow_close(struct flow *f)
{
	json_decref(f->row);
	f->row = NULL;
}

const char *flow_text(const struct flow *f, const char *key)
{
	return json_opt_str(f->row, key, "");
}

long long flow_int(const struct flow *f, const char *key)
{
	return json_opt_int(f->row, key, 0);
}

int flow_box_kind(const json_t *spec, struct flow_box_kind *out,
		  struct err *err)
{
	struct lab_box box;
	int rc = lab_box_from_json(spec, &box, err);

	if (!rc) {
		out->uses_kernel = box.boot.method != LAB_BOOT_NONE;
		out->simulated = box.boot.method == LAB_BOOT_QEMU &&
				 box.boot.icount >= 0;
	}
	lab_box_release(&box);
	return rc;
}

/* --- boots --- */

static struct flow_boot *find_plan(struct flow_boots *b, long long plan_id)
{
	size_t i;

	for (i = 0; i < b->nr; i++) {
		if (b->v[i].plan_id == plan_id)
			return &b->v[i];
	}
	return NULL;
}

static void fill_values(struct flow_boots *b, const json_t *values)
{
	struct flow_boot *boot = NULL;
	const json_t *row;
	size_t i;

	json_array_foreach(values, i, row)
	{
		long long plan = json_opt_int(row, "plan", 0);

		if (!boot || boot->plan_id != plan)
			boot = find_plan(b, plan);
		if (!boot)
			continue;
		boot->values = xreallocarray(boot->values, boot->nr + 1,
					     sizeof(*boot->values));
		boot->values[boot->nr++] = json_opt_num(row, "value", 0);
	}
}

int flow_boots_load(const struct flow *f, long long step_id, const char *metric,
		    struct flow_boots *out, struct err *err)
{
	struct flow_boots b = { 0 };
	json_t *values;
	const json_t *p;
	size_t i;

	b.plans = db_flow_plans(f->d->db, f->id, step_id, err);
	if (!b.plans)
		return ERR_IO;
	values = db_flow_values(f->d->db, f->id, step_id, metric, err);
	if (!values) {
		json_decref(b.plans);
		return ERR_IO;
	}
	b.nr = json_array_size(b.plans);
	b.v = xcalloc(b.nr + 1, sizeof(*b.v));
	json_array_foreach(b.plans, i, p)
	{
		b.v[i] = (struct flow_boot){
			.plan_id = json_opt_int(p, "id", 0),
			.commit_id = json_opt_int(p, "commit_id", 0),
			.box_id = json_opt_int(p, "box_id", 0),
			.layout = json_opt_int(p, "layout", 0),
			.box = json_opt_str(p, "box", ""),
			.state = json_opt_str(p, "state", ""),
			.failure = json_opt_str(p, "failure", ""),
			.why = json_opt_str(p, "why", ""),
		};
	}
	fill_values(&b, values);
	json_decref(values);
	*out = b;
	return 0;
}

void flow_boots_release(struct flow_boots *b)
{
	size_t i;

	for (i = 0; i < b->nr; i++)
		free(b->v[i].values);
	free(b->v);
	json_decref(b->plans);
	*b = (struct flow_boots){ 0 };
}

double flow_boot_mean(const struct flow_boot *b)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < b->nr; i++)
		sum += b->values[i];
	return b->nr ? sum / (double)b->nr : 0;
}

bool flow_boots_open(const struct flow_boots *b)
{
	size_t i;

	for (i = 0; i < b->nr; i++) {
		if (!strcmp(b->v[i].state, "queued") ||
		    !strcmp(b->v[i].state, "leased"))
			return true;
	}
	return false;
}

/* --- samples --- */

struct add_ctx {
	struct matrix *matrix;
	size_t run;
};

static int add_sample(void *ctx, const char *metric, double value, bool failure,
		      struct err *err)
{
	struct add_ctx *a = ctx;

	(void)failure;
	return matrix_set(a->matrix, metric, a->run, value, err);
}

static int add_run(const struct flow *f, const json_t *run, size_t seq,
		   struct flow_side *s, struct err *err)
{
	bool done = !strcmp(json_opt_str(run, "state", ""), "done");
	struct add_ctx ctx = { &s->matrix, seq };
	int rc = 0;

	if (!done)
		rc = matrix_set(&s->matrix, MATRIX_INCOMPLETE, seq, 1, err);
	if (!rc)
		rc = db_flow_samples(f->d->db, json_opt_int(run, "id", 0),
				     add_sample, &ctx, err);
	s->failed += !done;
	s->runs += done;
	return rc;
}

int flow_side_load(const struct flow *f, long long commit_id, bool all,
		   struct flow_side *out, struct err *err)
{
	struct flow_side s = { .matrix = MATRIX_INIT };
	json_t *runs = db_flow_runs(f->d->db, f->id, commit_id, all, err);
	long long last = 0;
	const json_t *run;
	size_t i;
	int rc = runs ? 0 : ERR_IO;

	json_array_foreach(runs, i, run)
	{
		long long boot = json_opt_int(run, "boot", 0);

		s.boots += boot != last;
		last = boot;
		rc = add_run(f, run, i, &s, err);
		if (rc)
			break;
	}
	json_decref(runs);
	if (rc)
		flow_side_release(&s);
	else
		*out = s;
	return rc;
}

void flow_side_release(struct flow_side *s)
{
	matrix_release(&s->matrix);
}

/* --- wanted boots --- */

int flow_want_boot(const struct flow *f, const struct flow_want *want,
		   struct err *err)
{
	struct db_plan plan = {
		.job_id = f->job_id,
		.comparison_id = f->id,
		.step_id = want->step_id,
		.commit_id = want->commit_id,
		.box_id = want->box_id,
		.layout = want->uses_kernel ? want->layout : 0,
		.nr_runs = want->nr_runs,
	};
	int rc = 0;

	if (want->uses_kernel)
		rc = db_artifact_want(f->d->db, want->commit_id, plan.layout,
				      &plan.artifact_id, err);
	return rc ? rc : db_plan_add(f->d->db, &plan, NULL, err);
}

static long long clamp(long long value, long long lo, long long hi)
{
	return value < lo ? lo : value > hi ? hi : value;
}

long long flow_runs_per_boot(const struct flow *f)
{
	return clamp(json_opt_int(f->options, "runs",
				  f->d->cfg.compare.runs_per_boot),
		     1, MAX_RUNS);
}

int flow_planned_pairs(const struct flow *f)
{
	return (int)clamp(
		json_opt_int(f->options, "pairs", f->d->cfg.compare.pairs), 1,
		VERDICT_MAX_PAIRS);
}

int flow_max_pairs(const struct flow *f)
{
	return (int)clamp(3LL * flow_planned_pairs(f), 8, VERDICT_MAX_PAIRS);
}

double flow_min_effect(const struct flow *f)
{
	double pct = f->d->cfg.compare.min_effect_pct;

	return pct > 0 ? pct / 100 : 0.01;
}

size_t flow_pair_first(long long id, size_t pair)
{
	struct rand r;

	rand_seed(&r, (uint64_t)id << 20 | pair);
	return rand_below(&r, 2);
}

void flow_add_commit(struct str *out, const char *sha, const char *subject)
{
	str_addf(out, "%.*s", FLOW_SHA_SHOWN, sha);
	if (*subject) {
		str_add(out, " (\"");
		str_add_term(out, subject, false);
		str_add(out, "\")");
	}
}
