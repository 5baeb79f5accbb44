// SPDX-License-Identifier: GPL-3.0-or-later
// A bisection's start: is the question well put, and what follows from it.
#include <math.h>
#include <stdlib.h>

#include "analysis/bisect_private.h"
#include "analysis/stat_sample.h"
#include "base/mem.h"

/* Edges to an untestable commit where there is none. */
#define FAR 1000000

int bisect_start_check(const struct bisect_start *s, struct err *err)
{
	const struct bisect_calibration *c = &s->calibration;

	if (!isfinite(s->claim) || s->claim == 0 || fabs(s->claim) > 1e6)
		return err_set(err, ERR_RANGE,
			       "bisect: the claimed effect must be a number "
			       "other than 0");
	if (s->nr_boxes < 1 || s->nr_boxes > BISECT_MAX_BOXES)
		return err_set(err, ERR_RANGE,
			       "bisect: %zu boxes, 1..%d wanted", s->nr_boxes,
			       BISECT_MAX_BOXES);
	if (!(c->dof >= 1 && c->dof <= 1e6))
		return err_set(err, ERR_RANGE,
			       "bisect: calibration.dof must be in 1..1e6");
	if (!(c->sd > 0 && c->sd < 1e3))
		return err_set(err, ERR_RANGE,
			       "bisect: calibration.sd must be above 0; run an "
			       "A/A calibration first");
	if (!(c->boot_share >= 0 && c->boot_share <= 1))
		return err_set(
			err, ERR_RANGE,
			"bisect: calibration.boot_share must be in 0..1");
	if (!(c->layout_sd >= 0 && c->layout_sd < 1e3) ||
	    !isfinite(c->drift_sd) || c->drift_sd > 1e3)
		return err_set(err, ERR_RANGE,
			       "bisect: calibration.layout_sd or drift_sd is "
			       "out of range");
	if (!(s->cost.build > 0 && s->cost.boot > 0 && s->cost.run > 0 &&
	      isfinite(s->cost.build + s->cost.boot + s->cost.run)))
		return err_set(err, ERR_RANGE,
			       "bisect: every cost must be above 0");
	if (s->budget_runs < 1)
		return err_set(err, ERR_RANGE,
			       "bisect: budget_runs must be 1 or more");
	return 0;
}

struct history *bisect_start_history(const struct bisect_start *s,
				     struct err *err)
{
	struct history_commit *list = xcalloc(s->nr_commits + 1, sizeof(*list));
	struct history *h;
	size_t i;

	for (i = 0; i < s->nr_commits; i++)
		list[i] = s->commits[i].commit;
	h = history_new(list, s->nr_commits, s->good, s->bad, err);
	free(list);
	return h;
}

void bisect_start_commits(struct bisect *b, const struct bisect_start *s)
{
	int c;

	b->commits = xcalloc((size_t)b->nr, sizeof(*b->commits));
	b->class_of = xcalloc((size_t)b->nr, sizeof(*b->class_of));
	b->classes = xcalloc(1, sizeof(*b->classes));
	b->dist = xcalloc((size_t)b->nr, sizeof(*b->dist));
	b->named = xcalloc((size_t)b->nr, sizeof(*b->named));
	b->nr_classes = 1;
	for (c = 0; c < b->nr; c++) {
		const struct bisect_commit *in =
			&s->commits[history_index(b->history, c)];
		struct bisect_state *k = &b->commits[c];

		b->dist[c] = FAR;
		k->weight = in->weight > 0 ? in->weight : 1;
		if (in->cannot_matter || c == 0)
			k->weight = 0;
		b->total_weight += k->weight;
	}
	b->classes[0].first = 1;
	b->classes[0].weight = b->total_weight;
}

/* Deviations of one boot's mean between the two levels: no run adds to it. */
#define PLAIN_TO_SEE 8

/*
 * Runs that a boot should have: Kalibera and Jones 2013, but no more than it
 * takes to see the effect plainly in one boot.
 */
int bisect_start_runs(const struct bisect_start *s)
{
	double share = fmax(s->calibration.boot_share, 0.01);
	double best = sqrt(s->cost.boot / s->cost.run * (1 - share) / share);
	int max = (int)fmin(fmax(floor(best + 0.5), 1), 30);
	int r;

	for (r = 1; r < max; r++) {
		double sd = s->calibration.sd * sqrt(stat_boot_var(share, r));

		if (fabs(s->claim) >= PLAIN_TO_SEE * sd)
			break;
	}
	return r;
}
