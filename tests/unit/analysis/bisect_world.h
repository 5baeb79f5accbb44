/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A simulated lab for the bisection tests: a history with one culprit, two
 * boxes, noise between and within boots, and what goes wrong in real labs.
 * Seeded, so that a test sees the same lab each time.
 */
#ifndef TESTS_UNIT_ANALYSIS_BISECT_WORLD_H
#define TESTS_UNIT_ANALYSIS_BISECT_WORLD_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/bisect.h"
#include "base/mem.h"
#include "base/rand.h"

#define WORLD_BOXES 2

/* What a lab is like. @delta 0: no culprit. Deviations are relative. */
struct world_plan {
	int nr; /* commits behind the good one */
	double delta, sd;
	double claim; /* 0: delta, with an error */
	double drift, bimodal, outliers, layout, broken;
	bool merges;
	long budget;
	int dof;     /* of the calibration; 0: 20 */
	int culprit; /* index; 0: drawn */
	/* a chain only: another change behind the culprit; 0: none */
	int second;
	double second_delta;
};

struct world {
	struct world_plan plan;
	struct rand rand;
	struct bisect_commit *commits; /* parents first; 0 is the good one */
	char (*ids)[16];
	const char *(*parents)[2];
	char *bad;    /* shows the change */
	char *broken; /* can't be built */
	double box[WORLD_BOXES];
	int culprit;
	struct {
		int commit, layout;
		double effect;
	} * builds;
	size_t nr_builds, builds_alloc;
	int runs, boots;
};

static void world_add(struct world *w, int i, int first, int second)
{
	struct bisect_commit *c = &w->commits[i];

	(void)snprintf(w->ids[i], sizeof(w->ids[i]), "c%d", i);
	w->parents[i][0] = first >= 0 ? w->ids[first] : NULL;
	w->parents[i][1] = second >= 0 ? w->ids[second] : NULL;
	c->commit.id = w->ids[i];
	c->commit.parents = w->parents[i];
	c->commit.nr_parents = (size_t)((first >= 0) + (second >= 0));
}

static double world_exp(struct world *w, double mean)
{
	return -mean * log(1 - rand_unit(&w->rand));
}

/* A first-parent line with topic branches that are merged back. */
static void world_merges(struct world *w)
{
	int n = w->plan.nr;
	int *line = xcalloc((size_t)n + 1, sizeof(*line));
	int nr = 1;
	int i = 1;

	world_add(w, 0, -1, -1);
	while (i < n) {
		int tip;
		int len;
		int k;

		if (rand_unit(&w->rand) >= 0.25 || n - i <= 12) {
			world_add(w, i, line[nr - 1], -1);
			line[nr++] = i++;
			continue;
		}
		k = nr - 1 - (int)rand_below(&w->rand, 20);
		tip = line[k > 0 ? k : 0];
		len = 1 + (int)world_exp(w, 6);
		for (k = 0; k < len && i < n - 2; k++, i++) {
			world_add(w, i, tip, -1);
			tip = i;
		}
		world_add(w, i, line[nr - 1], tip);
		line[nr++] = i++;
	}
	world_add(w, n, line[nr - 1], -1);
	free(line);
}

static int world_index(const char *id)
{
	return atoi(id + 1);
}

static void world_mark(struct world *w)
{
	int i;
	size_t k;

	w->culprit =
		w->plan.culprit
			? w->plan.culprit
			: 1 + (int)rand_below(&w->rand, (uint64_t)w->plan.nr);
	for (i = w->culprit; i <= w->plan.nr && w->plan.delta != 0; i++) {
		const struct history_commit *c = &w->commits[i].commit;

		w->bad[i] = i == w->culprit;
		for (k = 0; k < c->nr_parents; k++)
			w->bad[i] |= w->bad[world_index(c->parents[k])];
	}
}

static void world_break(struct world *w)
{
	int left = (int)(w->plan.broken * w->plan.nr);

	while (left > 0) {
		int s = 1 + (int)rand_below(&w->rand, (uint64_t)w->plan.nr - 1);
		int end = s + 1 + (int)world_exp(w, 8);

		for (; s < end && s < w->plan.nr; s++) {
			left -= !w->broken[s];
			w->broken[s] = 1;
		}
	}
}

static void world_init(struct world *w, const struct world_plan *plan,
		       uint64_t seed)
{
	size_t n = (size_t)plan->nr + 1;
	int i;

	memset(w, 0, sizeof(*w));
	w->plan = *plan;
	rand_seed(&w->rand, seed);
	w->commits = xcalloc(n, sizeof(*w->commits));
	w->ids = xcalloc(n, sizeof(*w->ids));
	w->parents = xcalloc(n, sizeof(*w->parents));
	w->bad = xcalloc(n, 1);
	w->broken = xcalloc(n, 1);
	if (plan->merges)
		world_merges(w);
	for (i = 0; i < (int)n && !plan->merges; i++)
		world_add(w, i, i - 1, -1);
	world_mark(w);
	world_break(w);
	for (i = 0; i < WORLD_BOXES; i++)
		w->box[i] = 0.03 * rand_normal(&w->rand);
}

static void world_release(struct world *w)
{
	free(w->commits);
	free(w->ids);
	free(w->parents);
	free(w->bad);
	free(w->broken);
	free(w->builds);
}

static struct bisect *world_start(struct world *w, struct err *err)
{
	static const char *const boxes[] = { "b0", "b1" };
	const struct world_plan *p = &w->plan;
	double var = p->sd * p->sd + p->bimodal * (1 - p->bimodal) * 0.0025;
	double k = fmax(0.4, 1 + 0.25 * rand_normal(&w->rand));
	double chi = 0;
	int dof = p->dof ? p->dof : 20;
	struct bisect_start s = {
		.commits = w->commits,
		.nr_commits = (size_t)p->nr + 1,
		.good = w->ids[0],
		.bad = w->ids[p->nr],
		.claim = (p->claim != 0 ? p->claim : p->delta) * k,
		.higher_is_better = true,
		.boxes = boxes,
		.nr_boxes = WORLD_BOXES,
		.calibration = { .dof = dof,
				 .boot_share = 0.8,
				 .layout_sd = p->layout,
				 .drift_sd = -1 },
		.cost = { .build = 10, .boot = 1, .run = 1 },
		.budget_runs = p->budget ? p->budget : 20000,
	};
	int i;

	for (i = 0; i < dof; i++) {
		double z = rand_normal(&w->rand);

		chi += z * z;
	}
	s.calibration.sd = p->sd > 0 ? sqrt(var * chi / dof) : 1e-4;
	return bisect_new(&s, err);
}

static double world_layout(struct world *w, int commit, int layout)
{
	size_t i;

	for (i = 0; i < w->nr_builds; i++)
		if (w->builds[i].commit == commit &&
		    w->builds[i].layout == layout)
			return w->builds[i].effect;
	VEC_GROW(w->builds, w->nr_builds + 1, w->builds_alloc);
	w->builds[w->nr_builds].commit = commit;
	w->builds[w->nr_builds].layout = layout;
	w->builds[w->nr_builds].effect = w->plan.layout * rand_normal(&w->rand);
	return w->builds[w->nr_builds++].effect;
}

/* Run one boot: @values has room for its runs. */
static void world_boot(struct world *w, const struct history *h,
		       const struct bisect_boot *ask, double *values,
		       struct bisect_result *out)
{
	int c = world_index(history_id(h, ask->commit));
	double boot = sqrt(0.8) * w->plan.sd;
	double y;
	int i;

	*out = (struct bisect_result){ .commit = ask->commit,
				       .box = ask->box,
				       .layout = ask->layout };
	y = 1 + world_layout(w, c, ask->layout);
	if (w->broken[c]) {
		out->status = BISECT_UNBUILDABLE;
		return;
	}
	w->box[ask->box] += w->plan.drift * rand_normal(&w->rand);
	y += w->box[ask->box] + boot * rand_normal(&w->rand);
	if (w->bad[c])
		y += w->plan.delta;
	if (w->plan.second && c >= w->plan.second)
		y += w->plan.second_delta;
	if (rand_unit(&w->rand) < w->plan.bimodal)
		y -= 0.05;
	for (i = 0; i < ask->runs; i++) {
		values[i] = y + boot / 2 * rand_normal(&w->rand);
		if (rand_unit(&w->rand) < w->plan.outliers)
			values[i] -=
				w->plan.sd * (5 + 10 * rand_unit(&w->rand));
	}
	w->boots++;
	w->runs += ask->runs;
	out->values = values;
	out->nr_values = (size_t)ask->runs;
}

/* Run everything that @b asks for now. */
static int world_round(struct world *w, struct bisect *b, struct err *err)
{
	struct bisect_ask ask;
	struct bisect_result *list;
	double(*values)[32];
	size_t i;
	int rc;

	if (!bisect_next(b, &ask))
		return 0;
	list = xcalloc(ask.nr, sizeof(*list));
	values = xcalloc(ask.nr, sizeof(*values));
	for (i = 0; i < ask.nr; i++)
		world_boot(w, bisect_history(b), &ask.boots[i], values[i],
			   &list[i]);
	rc = bisect_result(b, list, ask.nr, err);
	free(list);
	free(values);
	return rc;
}

enum world_score { WORLD_OK, WORLD_WRONG, WORLD_REFUSED };

/* A set is right when it holds the culprit and nothing that was testable. */
static enum world_score world_score(const struct world *w,
				    const struct bisect *b)
{
	struct bisect_finding f;
	bool in = false;
	size_t i;

	bisect_finding(b, &f);
	if (f.verdict != BISECT_CULPRIT && f.verdict != BISECT_SET)
		return WORLD_REFUSED;
	for (i = 0; i < f.nr_commits; i++) {
		int c = world_index(
			history_id(bisect_history(b), f.commits[i]));

		in |= c == w->culprit;
		if (c != w->culprit && !w->broken[c] && !w->broken[c - 1])
			return WORLD_WRONG;
	}
	return in && w->plan.delta != 0 ? WORLD_OK : WORLD_WRONG;
}

#endif
