// SPDX-License-Identifier: GPL-3.0-or-later
// The end of a calibration: each metric's noise stored, and a box whose boots
// of one kernel don't look like one kernel put aside.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/calibration.h"
#include "analysis/kpi.h"
#include "base/clock.h"
#include "base/mem.h"
#include "daemon/flow_calibrate.h"
#include "daemon/lab_mail.h"
#include "db/db_box.h"
#include "db/db_calibration.h"
#include "db/db_flow.h"
#include "db/db_invariant.h"
#include "db/db_job.h"

/* Splits that are tried: the daemon does nothing else meanwhile (some 0.3 s for
 * 700 metrics), and of metrics that nobody's verdict is about only their sum
 * tells something. */
#define TRIALS_HEADLINE 500
#define TRIALS_OTHER	10

/*
 * @runs: rows of db_calibration_runs(), one column of @matrix each; @first:
 * where each boot's runs begin in them. @headline: best metric to judge by,
 * borrowed from @matrix, NULL for none; @candidates: how many are judged.
 */
struct evaluation {
	const struct flow *f;
	long long id;
	json_t *runs;
	struct matrix matrix;
	struct calibration_boot *boots;
	double *values;
	size_t nr_boots, planned;
	const char *headline;
	size_t candidates;
	struct calibration best;
	struct str broken; /* why the A/A failed */
};

static void release(struct evaluation *e)
{
	json_decref(e->runs);
	matrix_release(&e->matrix);
	free(e->boots);
	free(e->values);
	str_release(&e->broken);
}

/* --- what was measured --- */

struct column {
	struct matrix *matrix;
	size_t run;
};

static int add_sample(void *ctx, const char *metric, double value, bool failure,
		      struct err *err)
{
	struct column *c = ctx;

	return failure ? 0 : matrix_set(c->matrix, metric, c->run, value, err);
}

static int load(struct evaluation *e, struct err *err)
{
	const struct flow *f = e->f;
	const json_t *run;
	size_t i;
	int rc;

	e->runs = db_calibration_runs(f->d->db, f->id, err);
	if (!e->runs)
		return ERR_IO;
	json_array_foreach(e->runs, i, run)
	{
		struct column c = { &e->matrix, i };

		rc = db_flow_samples(f->d->db, json_opt_int(run, "id", 0),
				     add_sample, &c, err);
		if (rc)
			return rc;
	}
	e->boots = xcalloc(i + 1, sizeof(*e->boots));
	e->values = xcalloc(i + 1, sizeof(*e->values));
	return 0;
}

/* The boots as one metric saw them. Runs of a boot stand side by side. */
static void fill_boots(struct evaluation *e, const struct matrix_metric *m)
{
	long long last = 0;
	size_t nr = 0;
	const json_t *run;
	size_t i;

	e->nr_boots = 0;
	json_array_foreach(e->runs, i, run)
	{
		long long boot = json_opt_int(run, "boot", 0);
		struct calibration_boot *b;

		if (boot != last)
			e->boots[e->nr_boots++] = (struct calibration_boot){
				&e->values[nr], 0,
				(int)json_opt_int(run, "layout", 0)
			};
		last = boot;
		b = &e->boots[e->nr_boots - 1];
		if (i < m->nr && isfinite(m->value[i])) {
			e->values[nr++] = m->value[i];
			b->nr++;
		}
	}
}

/* The best rank, the first by name among equals; and how many of it. */
static void choose_headline(struct evaluation *e)
{
	const char *testcase = flow_text(e->f, "testcase");
	int best = KPI_NONE;
	size_t i;

	for (i = 0; i < e->matrix.nr; i++) {
		const char *name = e->matrix.metric[i].name;
		int rank = kpi_rank(name, testcase);

		e->candidates += rank != KPI_NONE;
		if (rank < best) {
			best = rank;
			e->headline = name;
		}
	}
}

/* --- what it says --- */

static int put_metric(struct evaluation *e, const char *name, bool kpi,
		      const struct calibration *c, bool passed, struct err *err)
{
	struct db_calibration_metric row = {
		.metric = name,
		.kpi = kpi,
		.mean = c->mean,
		.sd = c->sd,
		.sd_run = c->sd_run,
		.sd_boot = c->sd_boot,
		.boot_share = c->boot_share,
		.dof = c->dof,
		.drift = c->drift,
		.layout_sd = c->layout_sd,
		.aa_trials = c->aa_trials,
		.aa_alarms = c->aa_alarms,
		.halves = c->halves,
		.halves_e = c->halves_e,
		.verdict = passed ? "ok" : "failed",
	};

	return db_calibration_put(e->f->d->db, e->id, &row, err);
}

static int evaluate_metric(struct evaluation *e, const struct matrix_metric *m,
			   struct err *err)
{
	bool kpi = kpi_rank(m->name, flow_text(e->f, "testcase")) != KPI_NONE;
	double min_effect = flow_min_effect(e->f);
	struct calibration c;
	struct str why = STR_INIT;
	bool passed;
	int rc;

	fill_boots(e, m);
	if (!calibration_estimate(e->boots, e->nr_boots, min_effect,
				  kpi ? TRIALS_HEADLINE : TRIALS_OTHER, &c))
		return 0;
	passed = calibration_passes(&c, min_effect, e->candidates, &why);
	/* what nobody is accused by puts no box aside */
	if (kpi && !passed && !e->broken.len)
		str_addf(&e->broken, "%s: %s", m->name, why.p);
	if (e->headline == m->name)
		e->best = c;
	rc = put_metric(e, m->name, kpi, &c, passed, err);
	str_release(&why);
	return rc;
}

static int evaluate_all(struct evaluation *e, struct err *err)
{
	int rc = db_calibration_clear(e->f->d->db, e->id, err);
	size_t i;

	for (i = 0; !rc && i < e->matrix.nr; i++)
		rc = evaluate_metric(e, &e->matrix.metric[i], err);
	return rc;
}

/* "20 boots, 40 runs: one run in a fresh boot ±1.02%, …" */
static void add_summary(const struct evaluation *e, struct str *out)
{
	const struct calibration *c = &e->best;

	str_addf(out,
		 "%s: %zu boots, %zu runs: one run in a fresh boot ±%.2f%%, "
		 "%.0f%% of the variance between boots, ",
		 e->headline, c->boots, c->runs, 100 * c->sd,
		 100 * c->boot_share);
	if (c->drift > 0)
		str_addf(out, "drift %.2f%% a boot", 100 * c->drift);
	else
		str_add(out, "no drift seen");
	if (isfinite(c->layout_sd))
		str_addf(out, ", code layouts ±%.2f%%", 100 * c->layout_sd);
	str_addf(out, ", %d of %d splits called a change", c->aa_alarms,
		 c->aa_trials);
}

/* --- what follows --- */

static int put_aside(const struct evaluation *e, struct err *err)
{
	const struct flow *f = e->f;
	const char *box = flow_text(f, "box");
	struct str why = STR_INIT;
	int rc;

	str_addf(&why,
		 "A/A failed for %s: %s; see to the machine, then drover box "
		 "resume %s and drover calibrate %s JOB",
		 flow_text(f, "path"), e->broken.p, box, box);
	rc = db_box_set_state(f->d->db, flow_int(f, "box_id"), "quarantined",
			      why.p, err);
	if (!rc)
		rc = daemon_event(f->d, f->job_id, "box", err,
				  "box %s is put aside: %s", box, why.p);
	if (!rc)
		rc = lab_mail(f->d, f->job_id, why.p, err,
			      "box %s is put aside", box);
	daemon_log("box %s is put aside: %s", box, why.p);
	str_release(&why);
	return rc;
}

static int store_end(const struct evaluation *e, struct err *err)
{
	const struct flow *f = e->f;
	json_t *invariants =
		db_invariants_get(f->d->db, flow_int(f, "box_id"), err);
	struct str summary = STR_INIT;
	struct db_calibration_end row = {
		.boots = (long long)e->best.boots,
		.runs = (long long)e->best.runs,
		.invariants = invariants,
		.headline = e->headline,
		.verdict = e->broken.len ? "failed" : "ok",
	};
	int rc = invariants ? 0 : ERR_IO;

	add_summary(e, &summary);
	row.why = e->broken.len ? e->broken.p : summary.p;
	if (!rc)
		rc = db_calibration_end(f->d->db, e->id, &row, clock_wall_s(),
					err);
	if (!rc)
		rc = daemon_event(f->d, f->job_id, "verdict", err,
				  "calibration of box %s: %s%s",
				  flow_text(f, "box"),
				  e->broken.len ? "A/A failed: " : "", row.why);
	if (!rc && e->broken.len)
		rc = put_aside(e, err);
	if (!rc)
		rc = db_comparison_set_state(f->d->db, f->id, "done", row.why,
					     clock_wall_s(), err);
	json_decref(invariants);
	str_release(&summary);
	return rc;
}

static int say_too_few(const struct evaluation *e, struct err *err)
{
	struct str why = STR_INIT;
	int rc;

	if (!e->headline)
		str_addf(&why,
			 "no boot measured a headline of %s; what the runs "
			 "said is in drover log %lld",
			 flow_text(e->f, "testcase"), e->f->job_id);
	else
		str_addf(&why,
			 "only %zu of %zu boots gave values of %s, and %d are "
			 "needed",
			 e->best.boots, e->planned, e->headline,
			 CALIBRATION_MIN_BOOTS);
	rc = flow_calibrate_fail(e->f, why.p, err);
	str_release(&why);
	return rc;
}

static int count_usable(struct evaluation *e)
{
	size_t nr = 0;
	size_t i;

	if (!e->headline)
		return 0;
	fill_boots(e, matrix_find(&e->matrix, e->headline));
	for (i = 0; i < e->nr_boots; i++)
		nr += e->boots[i].nr && !e->boots[i].layout;
	e->best.boots = nr;
	return (int)nr;
}

int flow_calibrate_evaluate(const struct flow *f, const json_t *row,
			    struct err *err)
{
	struct evaluation e = {
		.f = f,
		.id = json_opt_int(row, "id", 0),
		.planned = (size_t)json_opt_int(row, "nr_boots", 0),
		.matrix = MATRIX_INIT,
		.broken = STR_INIT,
	};
	int rc = load(&e, err);

	if (!rc) {
		choose_headline(&e);
		if (count_usable(&e) < CALIBRATION_MIN_BOOTS) {
			rc = say_too_few(&e, err);
			goto out;
		}
		rc = evaluate_all(&e, err);
	}
	if (!rc && e.best.aa_trials)
		rc = store_end(&e, err);
	else if (!rc)
		rc = flow_calibrate_fail(f,
					 "the headline's level is 0: there "
					 "is nothing to measure",
					 err);
out:
	release(&e);
	return rc;
}
