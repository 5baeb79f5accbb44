// SPDX-License-Identifier: GPL-3.0-or-later
// What a bisection says about itself: the finding, its numbers, and a log.
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/bisect_private.h"
#include "base/mem.h"

#define SET_SHARE 0.9
/* posterior of one commit that no sum needs */
#define NEGLIGIBLE 1e-9
#define CI_LEVEL   0.975

/* Neighbours of one posterior; a class has few different ones. */
struct equals {
	double post;
	int nr;
};

static int compare_down(const void *a, const void *b)
{
	double x = ((const struct equals *)a)->post;
	double y = ((const struct equals *)b)->post;

	return (x < y) - (x > y);
}

static int list_equals(const struct bisect *b, struct equals *out)
{
	int nr = 0;
	int c;

	for (c = 1; c < b->nr; c++) {
		double post = b->commits[c].post;

		if (post <= NEGLIGIBLE)
			continue;
		if (!nr || out[nr - 1].post != post)
			out[nr++] = (struct equals){ post, 0 };
		out[nr - 1].nr++;
	}
	return nr;
}

int bisect_left(const struct bisect *b)
{
	struct equals *p = xcalloc((size_t)b->nr, sizeof(*p));
	double need = SET_SHARE * (1 - b->none);
	int nr = list_equals(b, p);
	int left = 0;
	int i;

	qsort(p, (size_t)nr, sizeof(*p), compare_down);
	for (i = 0; i < nr && need > 0; i++) {
		double all = p[i].post * p[i].nr;

		left += all < need ? p[i].nr : (int)ceil(need / p[i].post);
		need -= all;
	}
	free(p);
	return left;
}

double bisect_missing_bits(const struct bisect *b)
{
	struct equals *p = xcalloc((size_t)b->nr, sizeof(*p));
	double bits = b->none > 0 ? -b->none * log2(b->none) : 0;
	int nr = list_equals(b, p);
	int i;

	for (i = 0; i < nr; i++)
		bits -= p[i].nr * p[i].post * log2(p[i].post);
	free(p);
	return fmax(bits, 0);
}

/* Mean of the round's boots of one commit against the good level. */
static double round_effect(const struct bisect *b, int commit, size_t nr_boots)
{
	double sum = 0;
	int nr = 0;
	size_t i;

	for (i = b->nr_obs - nr_boots; i < b->nr_obs; i++) {
		if (b->obs[i].commit != commit)
			continue;
		sum += b->obs[i].y;
		nr++;
	}
	return nr ? sum / nr : NAN;
}

/* The step of @commit among those added since @first, made when missing. */
static struct bisect_step *step_of(struct bisect *b, size_t first, int commit)
{
	size_t i;

	for (i = first; i < b->nr_steps; i++)
		if (b->steps[i].commit == commit)
			return &b->steps[i];
	VEC_GROW(b->steps, b->nr_steps + 1, b->steps_alloc);
	b->steps[b->nr_steps] = (struct bisect_step){ .commit = commit };
	return &b->steps[b->nr_steps++];
}

void bisect_log_round(struct bisect *b, const struct bisect_result *r,
		      size_t nr, enum bisect_phase phase)
{
	size_t first = b->nr_steps;
	size_t boots = 0;
	size_t i;

	for (i = 0; i < nr; i++) {
		struct bisect_step *s = step_of(b, first, r[i].commit);

		if (r[i].status != BISECT_OK) {
			s->status = r[i].status;
			continue;
		}
		s->boots++;
		s->runs += (int)r[i].nr_values;
		boots++;
	}
	for (i = first; i < b->nr_steps; i++) {
		struct bisect_step *s = &b->steps[i];

		s->phase = phase;
		s->effect = round_effect(b, s->commit, boots);
		s->bad = b->commits[s->commit].bad;
		s->candidates_left = bisect_left(b);
		s->bits = bisect_missing_bits(b);
		s->e_value = b->e_value;
	}
}

/* Effect and its interval, as the likeliest class has it. */
static void find_effect(const struct bisect *b, struct bisect_finding *out)
{
	const struct bisect_class *k = &b->classes[bisect_model_top(b)];
	double half;

	out->delta = out->delta_lo = out->delta_hi = NAN;
	if (!(k->sxx > 0))
		return;
	half = gsl_cdf_tdist_Pinv(CI_LEVEL, b->dof) * sqrt(b->s2 / k->sxx);
	out->delta = k->flat;
	out->delta_lo = k->flat - half;
	out->delta_hi = k->flat + half;
}

static void count_sides(const struct bisect *b, struct bisect_finding *out)
{
	size_t i;

	for (i = 0; i < b->nr_obs; i++) {
		bool bad = b->commits[b->obs[i].commit].bad > 0.5;
		struct bisect_side *s = bad ? &out->after : &out->before;

		s->boots++;
		s->runs += b->obs[i].runs;
	}
	for (i = 0; i < b->nr_builds; i++) {
		bool bad = b->commits[b->builds[i].commit].bad > 0.5;

		if (b->builds[i].nr_obs)
			(bad ? &out->after : &out->before)->builds++;
	}
	out->boots = (int)b->nr_obs;
	out->runs = b->runs;
	out->builds = (int)b->nr_builds;
	out->unbuildable = b->nr_unbuildable;
	out->steps = (int)b->nr_steps;
}

/* Effect between the compared commits under layouts beyond the first. */
static double layout_effect(const struct bisect *b)
{
	double tau = b->start.calibration.layout_sd;
	struct bisect_contrast k = { .good = b->verify.good,
				     .bad = b->verify.bad,
				     .fresh = true,
				     .tau2 = tau * tau };

	if (tau <= 0 || !b->verify.bad)
		return NAN;
	bisect_contrast(b, &k);
	return k.pairs ? k.delta : NAN;
}

void bisect_finding(const struct bisect *b, struct bisect_finding *out)
{
	size_t i;

	*out = (struct bisect_finding){
		.verdict = b->verdict,
		.commits = b->named,
		.nr_commits = b->nr_named,
		.e_value = b->e_value,
		.reason = b->reason,
		.candidates_left = bisect_left(b),
		.layout_delta = layout_effect(b),
		.rest_delta = bisect_rest(b),
	};
	for (i = 0; i < b->nr_named; i++)
		out->posterior += b->commits[b->named[i]].post;
	if (!b->nr_named)
		for (i = 1; i < (size_t)b->nr; i++)
			out->posterior =
				fmax(out->posterior, b->commits[i].post);
	find_effect(b, out);
	count_sides(b, out);
}

const struct history *bisect_history(const struct bisect *b)
{
	return b->history;
}

size_t bisect_nr_boxes(const struct bisect *b)
{
	return b->start.nr_boxes;
}

const char *bisect_box(const struct bisect *b, size_t box)
{
	return b->boxes[box];
}

int bisect_find_box(const struct bisect *b, const char *name)
{
	size_t i;

	for (i = 0; i < b->start.nr_boxes; i++)
		if (!strcmp(b->boxes[i], name))
			return (int)i;
	return -1;
}

double bisect_prior(const struct bisect *b, int commit)
{
	return b->total_weight > 0 ? b->commits[commit].weight / b->total_weight
				   : 0;
}

double bisect_posterior(const struct bisect *b, int commit)
{
	if (!b->nr_obs)
		return NAN;
	return commit ? b->commits[commit].post : b->none;
}

double bisect_bad(const struct bisect *b, int commit)
{
	return b->nr_obs ? b->commits[commit].bad : NAN;
}

size_t bisect_nr_steps(const struct bisect *b)
{
	return b->nr_steps;
}

const struct bisect_step *bisect_step(const struct bisect *b, size_t i)
{
	return &b->steps[i];
}

static void add_step(const struct bisect *b, size_t i, struct str *out)
{
	const struct bisect_step *s = &b->steps[i];

	str_addf(out, "%3zu %-6s %.12s ", i + 1, bisect_phase_to_str(s->phase),
		 history_id(b->history, s->commit));
	if (s->status != BISECT_OK && !s->boots) {
		str_addf(out, "%s\n", bisect_status_to_str(s->status));
		return;
	}
	str_addf(out, "%d boot%s %+.2f%%, affected ", s->boots,
		 s->boots == 1 ? "" : "s", 100 * s->effect);
	str_add_probability(out, s->bad);
	str_addf(out, ", %d left\n", s->candidates_left);
}

void bisect_add_log(const struct bisect *b, int max_lines, struct str *out)
{
	size_t max = max_lines < 3 ? 3 : (size_t)max_lines;
	size_t head = (max - 1) / 2;
	size_t i;

	for (i = 0; i < b->nr_steps; i++) {
		size_t tail = b->nr_steps - (max - head - 1);

		if (b->nr_steps > max && i == head) {
			str_addf(out, "    … %zu more …\n", tail - head);
			i = tail;
		}
		add_step(b, i, out);
	}
}
