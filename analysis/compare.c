// SPDX-License-Identifier: GPL-3.0-or-later
// Averages, deviations and changes of every metric of two or more commits.
#include "analysis/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare_rule.h"
#include "analysis/stat_sample.h"
#include "analysis/welch.h"
#include "base/mem.h"

/* Divisor where the base's average is 0, as the reports print it. */
#define ZERO_DIVISOR 1e-100
#define MARGIN_SHIFT 5
#define MARGIN_MAX   3

/* The values of one side's row that count, sorted; scratch of the build. */
struct sample {
	double *v;
	size_t nr;
	size_t alloc;
};

struct build {
	const struct matrix *const *side;
	size_t nr_sides;
	size_t runs[COMPARE_MAX_SIDES];
	const struct matrix_metric *incomplete[COMPARE_MAX_SIDES];
	struct sample sample[COMPARE_MAX_SIDES];
};

static int cmp_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static double value_at(const struct matrix_metric *row, size_t run)
{
	return row && run < row->nr ? row->value[run] : NAN;
}

static bool ran_to_the_end(const struct build *b, size_t s, size_t run)
{
	double v = value_at(b->incomplete[s], run);

	return isnan(v) || v == 0.0;
}

static void sample_add(struct sample *sample, double v)
{
	VEC_GROW(sample->v, sample->nr + 1, sample->alloc);
	sample->v[sample->nr++] = v;
}

/* Sum in run order, so that the average is the same on every machine. */
static void take_values(struct build *b, size_t s, const char *name,
			bool absent_is_zero, struct compare_side *out)
{
	const struct matrix_metric *row = matrix_find(b->side[s], name);
	struct sample *sample = &b->sample[s];
	double sum = 0.0;

	sample->nr = 0;
	for (size_t run = 0; run < b->runs[s]; run++) {
		double v = value_at(row, run);

		if (!ran_to_the_end(b, s, run))
			continue;
		if (isnan(v) && absent_is_zero)
			v = 0.0;
		if (isnan(v))
			continue;
		sample_add(sample, v);
		sum += v;
	}
	out->n = sample->nr;
	out->avg = sample->nr ? sum / (double)sample->nr : 0.0;
}

static void set_spread(const struct sample *sample, struct compare_side *out)
{
	double sq = 0.0;

	out->stddev = out->stddev_pct = NAN;
	if (sample->nr < 2)
		return;
	for (size_t i = 0; i < sample->nr; i++) {
		double d = sample->v[i] - out->avg;

		sq += d * d;
	}
	out->stddev = sqrt(sq / (double)sample->nr);
	out->stddev_pct =
		out->avg != 0.0 ? 100.0 * out->stddev / out->avg : out->stddev;
}

/* Sorts @sample. */
static void set_ranks(struct sample *sample, struct compare_side *out)
{
	size_t margin = sample->nr >> MARGIN_SHIFT;
	size_t kept;

	out->median = out->min = out->max = NAN;
	if (!sample->nr)
		return;
	if (margin > MARGIN_MAX)
		margin = MARGIN_MAX;
	qsort(sample->v, sample->nr, sizeof(*sample->v), stat_compare);
	kept = sample->nr - 2 * margin;
	out->min = sample->v[margin];
	out->median = sample->v[margin + kept / 2];
	out->max = sample->v[margin + kept - 1];
}

static double change_of(const struct compare_metric *m,
			const struct compare_side *base,
			const struct compare_side *head)
{
	double diff = head->avg - base->avg;

	if (!base->n || !head->n)
		return NAN;
	if (m->absolute)
		return diff;
	return 100.0 * diff / (base->avg != 0.0 ? base->avg : ZERO_DIVISOR);
}

static double p_value(const struct sample *a, const struct sample *b)
{
	double p;

	return welch_p(a->v, a->nr, b->v, b->nr, &p, NULL) ? NAN : p;
}

/* A family that a side has no row of was not monitored there. */
static bool zero_fill(const struct build *b, size_t s, const char *family)
{
	return rule_absent_is_zero(family) &&
	       matrix_has_family(b->side[s], family);
}

static void fill_numbers(struct build *b, struct compare_metric *m)
{
	for (size_t s = 0; s < b->nr_sides; s++) {
		struct compare_side *side = &m->side[s];

		take_values(b, s, m->name, zero_fill(b, s, m->family), side);
		set_spread(&b->sample[s], side);
		set_ranks(&b->sample[s], side);
		side->p = NAN;
		if (!s)
			continue;
		side->change = change_of(m, &m->side[0], side);
		side->p = p_value(&b->sample[0], &b->sample[s]);
	}
}

static double reproduction(const struct compare_side *side)
{
	return side->runs ? (double)side->fails / (double)side->runs : 0.0;
}

static void fill_failures(struct build *b, struct compare_metric *m)
{
	for (size_t s = 0; s < b->nr_sides; s++) {
		const struct matrix_metric *row =
			matrix_find(b->side[s], m->name);
		struct compare_side *side = &m->side[s];

		for (size_t run = 0; run < b->runs[s]; run++)
			side->fails += value_at(row, run) > 0.0;
		side->n = b->runs[s];
		side->avg = reproduction(side);
		side->stddev = side->stddev_pct = side->p = NAN;
		side->median = side->min = side->max = NAN;
		if (s)
			side->change =
				100.0 * (side->avg - reproduction(&m->side[0]));
	}
}

static void fill_metric(struct comparison *c, struct build *b,
			struct compare_metric *m, const char *name)
{
	m->name = xstrdup(name);
	m->family = xstrndup(name, strcspn(name, "."));
	m->failure = rule_is_failure(name);
	m->absolute = !m->failure && rule_is_absolute(name);
	m->own = rule_is_own(name, c->testcase);
	m->side = xcalloc(b->nr_sides, sizeof(*m->side));
	for (size_t s = 0; s < b->nr_sides; s++)
		m->side[s].runs = b->runs[s];
	if (m->failure)
		fill_failures(b, m);
	else
		fill_numbers(b, m);
	for (size_t s = 1; s < b->nr_sides; s++) {
		m->side[s].changed = rule_changed(m, &m->side[0], &m->side[s]);
		m->changed |= m->side[s].changed;
	}
	c->nr_changed += m->changed;
}

/* All names of all sides, sorted, each once; owned by the caller. */
static const char **all_names(const struct build *b, size_t *out_nr)
{
	const char **name;
	size_t nr = 0;
	size_t kept = 0;

	for (size_t s = 0; s < b->nr_sides; s++)
		nr += b->side[s]->nr;
	name = xcalloc(nr ? nr : 1, sizeof(*name));
	nr = 0;
	for (size_t s = 0; s < b->nr_sides; s++) {
		for (size_t i = 0; i < b->side[s]->nr; i++)
			name[nr++] = b->side[s]->metric[i].name;
	}
	qsort(name, nr, sizeof(*name), cmp_name);
	for (size_t i = 0; i < nr; i++) {
		if (!kept || strcmp(name[kept - 1], name[i]) != 0)
			name[kept++] = name[i];
	}
	*out_nr = kept;
	return name;
}

static void init_build(struct build *b, const struct matrix *const *side,
		       size_t nr_sides, const size_t *min_runs)
{
	memset(b, 0, sizeof(*b));
	b->side = side;
	b->nr_sides = nr_sides;
	for (size_t s = 0; s < nr_sides; s++) {
		b->runs[s] = side[s]->runs;
		if (min_runs && min_runs[s] > b->runs[s])
			b->runs[s] = min_runs[s];
		b->incomplete[s] = matrix_find(side[s], MATRIX_INCOMPLETE);
	}
}

int compare_matrices(struct comparison *out, const struct matrix *const *side,
		     size_t nr_sides, const size_t *min_runs,
		     const char *testcase, struct err *err)
{
	const char **name;
	struct build b;

	memset(out, 0, sizeof(*out));
	if (nr_sides < 2 || nr_sides > COMPARE_MAX_SIDES)
		return err_set(err, ERR_RANGE,
			       "a comparison needs 2 to %d commits, not %zu",
			       COMPARE_MAX_SIDES, nr_sides);
	init_build(&b, side, nr_sides, min_runs);
	out->nr_sides = nr_sides;
	out->testcase = xstrdup(testcase ? testcase : "");
	name = all_names(&b, &out->nr);
	out->metric = xcalloc(out->nr ? out->nr : 1, sizeof(*out->metric));
	for (size_t i = 0; i < out->nr; i++)
		fill_metric(out, &b, &out->metric[i], name[i]);
	for (size_t s = 0; s < nr_sides; s++)
		free(b.sample[s].v);
	free(name);
	return 0;
}

void compare_release(struct comparison *c)
{
	for (size_t i = 0; i < c->nr; i++) {
		free(c->metric[i].name);
		free(c->metric[i].family);
		free(c->metric[i].side);
	}
	free(c->metric);
	free(c->testcase);
	memset(c, 0, sizeof(*c));
}

const struct compare_metric *compare_find(const struct comparison *c,
					  const char *name)
{
	size_t lo = 0;
	size_t hi = c->nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int cmp = strcmp(c->metric[mid].name, name);

		if (!cmp)
			return &c->metric[mid];
		if (cmp < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}
