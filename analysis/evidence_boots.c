// SPDX-License-Identifier: GPL-3.0-or-later
// From runs to boots: which values of a metric count, and to which boot.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare_rule.h"
#include "analysis/evidence_private.h"
#include "base/mem.h"

static size_t boot_of(const struct evidence_side *side, size_t run)
{
	return side->boot && run < side->nr ? (size_t)side->boot[run] : run;
}

static size_t nr_numbers(const struct evidence_side *side)
{
	size_t most = 0;
	size_t run;

	for (run = 0; run < side->matrix->runs; run++) {
		if (boot_of(side, run) + 1 > most)
			most = boot_of(side, run) + 1;
	}
	return most;
}

void evidence_boots_init(struct evidence_boots *b,
			 const struct evidence_side *side)
{
	size_t nr = nr_numbers(side) + 1;

	memset(b, 0, sizeof(*b));
	b->nr_numbers = nr;
	b->value = xcalloc(nr, sizeof(*b->value));
	b->pair = xcalloc(nr, sizeof(*b->pair));
	b->sum = xcalloc(nr, sizeof(*b->sum));
	b->count = xcalloc(nr, sizeof(*b->count));
	b->pair_of = xcalloc(nr, sizeof(*b->pair_of));
}

void evidence_boots_release(struct evidence_boots *b)
{
	free(b->value);
	free(b->pair);
	free(b->sum);
	free(b->count);
	free(b->pair_of);
	memset(b, 0, sizeof(*b));
}

static double value_at(const struct matrix_metric *row, size_t run)
{
	return row && run < row->nr ? row->value[run] : NAN;
}

static bool is_incomplete(const struct matrix_metric *bad, size_t run)
{
	double v = value_at(bad, run);

	return !isnan(v) && v != 0.0;
}

void evidence_boots_load(struct evidence_boots *b,
			 const struct evidence_side *side,
			 const struct compare_metric *metric)
{
	const struct matrix *m = side->matrix;
	const struct matrix_metric *row = matrix_find(m, metric->name);
	const struct matrix_metric *bad = matrix_find(m, MATRIX_INCOMPLETE);
	bool zero = rule_absent_is_zero(metric->family) &&
		    matrix_has_family(m, metric->family);
	size_t run, i;

	memset(b->sum, 0, b->nr_numbers * sizeof(*b->sum));
	memset(b->count, 0, b->nr_numbers * sizeof(*b->count));
	b->nr = b->runs = 0;
	for (run = 0; run < m->runs; run++) {
		double v = value_at(row, run);

		if (is_incomplete(bad, run) || (isnan(v) && !zero))
			continue;
		i = boot_of(side, run);
		b->sum[i] += isnan(v) ? 0 : v;
		b->count[i]++;
		b->pair_of[i] =
			side->pair && run < side->nr ? side->pair[run] : -1;
		b->runs++;
	}
	for (i = 0; i < b->nr_numbers; i++) {
		if (!b->count[i])
			continue;
		b->value[b->nr] = b->sum[i] / (double)b->count[i];
		b->pair[b->nr++] = b->pair_of[i];
	}
}

double evidence_boots_at(const struct evidence_boots *b, size_t i)
{
	return b->count[i] ? b->sum[i] / (double)b->count[i] : NAN;
}

size_t evidence_boots_used(const struct evidence_side *side, char *out_used)
{
	const struct matrix_metric *bad =
		matrix_find(side->matrix, MATRIX_INCOMPLETE);
	size_t boots = 0;
	size_t run;

	memset(out_used, 0, nr_numbers(side) + 1);
	for (run = 0; run < side->matrix->runs; run++) {
		char *used = &out_used[boot_of(side, run)];

		if (is_incomplete(bad, run))
			continue;
		boots += !*used;
		*used = 1;
	}
	return boots;
}

size_t evidence_boots_count(const struct evidence_side *side)
{
	char *seen = xcalloc(nr_numbers(side) + 1, 1);
	size_t boots = 0;
	size_t run;

	for (run = 0; run < side->matrix->runs; run++) {
		char *at = &seen[boot_of(side, run)];

		boots += !*at;
		*at = 1;
	}
	free(seen);
	return boots;
}

size_t evidence_boots_failed(struct evidence_boots *b,
			     const struct evidence_side *side,
			     const struct compare_metric *metric)
{
	const struct matrix_metric *row =
		matrix_find(side->matrix, metric->name);
	size_t failed = 0;
	size_t run;

	memset(b->count, 0, b->nr_numbers * sizeof(*b->count));
	for (run = 0; run < side->matrix->runs; run++) {
		size_t i = boot_of(side, run);

		if (!(value_at(row, run) > 0))
			continue;
		failed += !b->count[i];
		b->count[i]++;
	}
	return failed;
}
