// SPDX-License-Identifier: GPL-3.0-or-later
// Every metric of a comparison tested, and what to believe of so many tests.
#include "analysis/evidence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare_rule.h"
#include "analysis/evidence_private.h"
#include "analysis/kpi.h"
#include "analysis/stat_fdr.h"
#include "base/mem.h"

/* A row at the very level is believed, whatever the rounding. */
#define ROUNDING 1e-9

double evidence_level(enum evidence_family family)
{
	/* the headline is what mails are written about: E must reach 100 */
	return family == EVIDENCE_HEADLINES ? 0.01 : 0.05;
}

static enum evidence_family family_of(const struct comparison *c,
				      const struct compare_metric *m)
{
	if (m->failure)
		return EVIDENCE_FAILURES;
	return m->own && kpi_rank(m->name, c->testcase) != KPI_NONE
		       ? EVIDENCE_HEADLINES
		       : EVIDENCE_OTHERS;
}

static void row_init(const struct comparison *c, size_t i,
		     struct evidence_row *row)
{
	*row = (struct evidence_row){
		.metric = &c->metric[i],
		.family = family_of(c, &c->metric[i]),
		.absolute = c->metric[i].absolute,
		.effect = NAN,
		.lo = NAN,
		.hi = NAN,
		.e_value = NAN,
		.p = NAN,
		.q = NAN,
		.detectable = NAN,
		.headline = i,
	};
}

static void load(const struct evidence_in *in, struct evidence_boots boots[2],
		 struct evidence_row *row)
{
	evidence_boots_load(&boots[0], &in->base, row->metric);
	evidence_boots_load(&boots[1], &in->head, row->metric);
	row->boots[0] = boots[0].nr;
	row->boots[1] = boots[1].nr;
	row->runs[0] = boots[0].runs;
	row->runs[1] = boots[1].runs;
}

/* Whether the row's values can be tested; sets EVIDENCE_SAME where not. */
static bool testable(const struct evidence_in *in,
		     const struct evidence_boots boots[2],
		     struct evidence_row *row)
{
	size_t pairs;
	double *scratch;

	if (row->boots[0] && row->boots[1] && evidence_is_constant(boots)) {
		row->test = EVIDENCE_SAME;
		row->effect = 0;
		return false;
	}
	if (!in->base.pair || !in->head.pair)
		return row->boots[0] >= 2 && row->boots[1] >= 2;
	scratch =
		xcalloc(row->boots[0] + row->boots[1] + 1, 2 * sizeof(double));
	pairs = evidence_pairs(boots, scratch,
			       scratch + row->boots[0] + row->boots[1]);
	free(scratch);
	return pairs >= 2 || (pairs && in->nr_calibrations);
}

/* How many boots of a side failed, and how many there were. */
static void count_failures(const struct evidence_in *in,
			   const struct evidence_side *side,
			   struct evidence_boots *boots, size_t at,
			   struct evidence_row *row, size_t *out_failed)
{
	const struct compare_side *runs = &row->metric->side[at ? in->side : 0];

	*out_failed = runs->fails;
	row->runs[at] = row->boots[at] = runs->runs;
	if (!side->boot)
		return;
	*out_failed = evidence_boots_failed(boots, side, row->metric);
	row->boots[at] = evidence_boots_count(side);
}

static void judge_failure(const struct evidence_in *in,
			  struct evidence_boots boots[2],
			  struct evidence_row *row)
{
	size_t failed[2];

	count_failures(in, &in->base, &boots[0], 0, row, &failed[0]);
	count_failures(in, &in->head, &boots[1], 1, row, &failed[1]);
	evidence_judge_failures(failed, row);
	if (!failed[0] && !failed[1]) {
		row->test = EVIDENCE_SAME;
		row->p = NAN;
	}
}

static void judge(const struct evidence_in *in, struct evidence_boots boots[2],
		  struct evidence *e)
{
	size_t room = boots[0].nr_numbers + boots[1].nr_numbers;
	struct evidence_task t = { .in = in, .boots = boots };
	bool *can = xcalloc(e->nr + 1, sizeof(*can));
	size_t i;

	t.scratch = xcalloc(room + 1, 2 * sizeof(*t.scratch));
	for (i = 0; i < e->nr; i++) {
		struct evidence_row *row = &e->row[i];

		if (row->family == EVIDENCE_FAILURES) {
			judge_failure(in, boots, row);
			can[i] = row->test == EVIDENCE_FISHER;
		} else {
			load(in, boots, row);
			can[i] = testable(in, boots, row);
		}
		e->tested[row->family] += can[i];
	}
	for (i = 0; i < e->nr; i++) {
		struct evidence_row *row = &e->row[i];

		if (row->family == EVIDENCE_FAILURES ||
		    row->test == EVIDENCE_SAME)
			continue;
		load(in, boots, row);
		t.tests = e->tested[row->family] ? e->tested[row->family] : 1;
		if (e->paired)
			evidence_judge_pairs(&t, row);
		else
			evidence_judge_sides(&t, row);
		/* too few pairs for a test that was not counted */
		if (!can[i])
			row->e_value = row->p = NAN;
	}
	free(t.scratch);
	free(can);
}

static bool big_enough(const struct evidence_in *in,
		       const struct evidence_row *row)
{
	return row->absolute || fabs(row->effect) >= in->min_effect;
}

/* q-values of one family, and what they leave to be believed. */
static void believe(const struct evidence_in *in, enum evidence_family family,
		    struct evidence *e)
{
	double *v = xcalloc(e->nr + 1, sizeof(*v));
	bool pairs = e->paired && family != EVIDENCE_FAILURES;
	size_t i;

	for (i = 0; i < e->nr; i++) {
		const struct evidence_row *row = &e->row[i];

		v[i] = row->family != family ? NAN
		       : pairs		     ? row->e_value
					     : row->p;
	}
	if (pairs)
		e->tested[family] = stat_ebh(v, e->nr, v);
	else
		e->tested[family] = stat_bh(v, e->nr, v);
	for (i = 0; i < e->nr; i++) {
		struct evidence_row *row = &e->row[i];

		if (isnan(v[i]))
			continue;
		row->q = v[i];
		row->believed =
			row->q <= evidence_level(family) * (1 + ROUNDING) &&
			big_enough(in, row);
		e->believed[family] += row->believed;
	}
	e->false_expected +=
		evidence_level(family) * (double)e->believed[family];
	free(v);
}

/* log of the number of ways to choose @k of @n. */
static double log_choose(size_t n, size_t k)
{
	return lgamma((double)n + 1) - lgamma((double)k + 1) -
	       lgamma((double)(n - k) + 1);
}

double evidence_rule_chance(size_t na, size_t nb)
{
	/* a's boots above its median and b's below its own may lie anyhow */
	size_t above = na ? na - na / 2 - 1 : 0;
	size_t below = nb / 2;
	double all = log_choose(na + nb, na);
	double up, down;

	if (!na || !nb)
		return 0;
	up = exp(log_choose(above + below, below) - all);
	above = nb - nb / 2 - 1;
	below = na / 2;
	down = exp(log_choose(above + below, below) - all);
	return up + down;
}

static void count_marked(const struct evidence_in *in, struct evidence *e)
{
	size_t i;

	for (i = 0; i < e->nr; i++) {
		const struct evidence_row *row = &e->row[i];

		e->marked += row->metric->side[in->side].changed;
		if (row->family != EVIDENCE_FAILURES && !isnan(row->q))
			e->marked_expected += evidence_rule_chance(
				row->boots[0], row->boots[1]);
	}
}

void evidence_compute(const struct evidence_in *in, struct evidence *out)
{
	const struct comparison *c = in->comparison;
	struct evidence_boots boots[2];
	char *used;
	size_t i;

	memset(out, 0, sizeof(*out));
	out->nr = c->nr;
	out->row = xcalloc(c->nr + 1, sizeof(*out->row));
	out->paired = in->base.pair && in->head.pair;
	for (i = 0; i < c->nr; i++)
		row_init(c, i, &out->row[i]);
	evidence_boots_init(&boots[0], &in->base);
	evidence_boots_init(&boots[1], &in->head);
	used = xcalloc(boots[0].nr_numbers + boots[1].nr_numbers, 1);
	out->boots[0] = evidence_boots_used(&in->base, used);
	out->boots[1] = evidence_boots_used(&in->head, used);
	free(used);
	judge(in, boots, out);
	for (i = 0; i < EVIDENCE_FAMILIES; i++)
		believe(in, (enum evidence_family)i, out);
	count_marked(in, out);
	out->clusters = evidence_cluster(in, boots, out);
	evidence_boots_release(&boots[0]);
	evidence_boots_release(&boots[1]);
}

void evidence_release(struct evidence *e)
{
	free(e->row);
	memset(e, 0, sizeof(*e));
}

bool evidence_is_regression(const struct evidence *e)
{
	size_t i;

	for (i = 0; i < e->nr; i++) {
		const struct evidence_row *row = &e->row[i];

		if (!row->believed || row->family == EVIDENCE_OTHERS)
			continue;
		if (row->family == EVIDENCE_FAILURES
			    ? row->effect > 0
			    : kpi_direction(row->metric->name) * row->effect <
				      0)
			return true;
	}
	return false;
}

const char *evidence_test_to_str(enum evidence_test test)
{
	static const char *const words[] = {
		[EVIDENCE_NONE] = "none",   [EVIDENCE_SAME] = "same",
		[EVIDENCE_PAIRS] = "pairs", [EVIDENCE_WELCH] = "welch",
		[EVIDENCE_RANKS] = "ranks", [EVIDENCE_FISHER] = "fisher",
	};

	return words[test];
}

const char *evidence_family_to_str(enum evidence_family family)
{
	static const char *const words[] = {
		[EVIDENCE_HEADLINES] = "headlines",
		[EVIDENCE_OTHERS] = "others",
		[EVIDENCE_FAILURES] = "failures",
	};

	return words[family];
}
