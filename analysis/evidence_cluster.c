// SPDX-License-Identifier: GPL-3.0-or-later
// One headline per cluster of rows that say the same.
#include <stdlib.h>

#include "analysis/evidence_private.h"
#include "analysis/kpi.h"
#include "analysis/stat_cluster.h"
#include "base/mem.h"

/* Rows that anyone would report: believed, or marked by LKP's rule. */
static size_t rows_that_count(const struct evidence_in *in,
			      const struct evidence *e, size_t *out_row)
{
	size_t nr = 0;
	size_t i;

	for (i = 0; i < e->nr; i++) {
		const struct evidence_row *row = &e->row[i];

		if (row->family != EVIDENCE_FAILURES &&
		    (row->believed || row->metric->side[in->side].changed))
			out_row[nr++] = i;
	}
	return nr;
}

/* The sides of all boots that have a complete run; returns how many. */
static size_t list_boots(const struct evidence_in *in,
			 const struct evidence_boots boots[2], char *used[2],
			 int *out_side)
{
	size_t nr = 0;
	size_t s, i;

	for (s = 0; s < 2; s++) {
		used[s] = xcalloc(boots[s].nr_numbers, 1);
		evidence_boots_used(s ? &in->head : &in->base, used[s]);
		for (i = 0; i < boots[s].nr_numbers; i++) {
			if (used[s][i])
				out_side[nr++] = (int)s;
		}
	}
	return nr;
}

static void take_values(const struct evidence_in *in,
			struct evidence_boots boots[2], char *const used[2],
			const struct compare_metric *m, double *out)
{
	size_t s, i;

	evidence_boots_load(&boots[0], &in->base, m);
	evidence_boots_load(&boots[1], &in->head, m);
	for (s = 0; s < 2; s++) {
		for (i = 0; i < boots[s].nr_numbers; i++) {
			if (used[s][i])
				*out++ = evidence_boots_at(&boots[s], i);
		}
	}
}

static size_t count_believed_heads(const struct evidence *e)
{
	char *seen = xcalloc(e->nr + 1, 1);
	size_t heads = 0;
	size_t i;

	for (i = 0; i < e->nr; i++) {
		char *at = &seen[e->row[i].headline];

		if (!e->row[i].believed)
			continue;
		heads += !*at;
		*at = 1;
	}
	free(seen);
	return heads;
}

/* A row that is believed speaks for others before one that is not does. */
static int rank_of(const struct evidence_in *in, const struct evidence_row *row)
{
	int rank = row->metric->own ? kpi_rank(row->metric->name,
					       in->comparison->testcase)
				    : KPI_NONE;

	if (rank > KPI_NONE / 4)
		rank = KPI_NONE / 4;
	return row->believed ? rank : rank + KPI_NONE / 2;
}

size_t evidence_cluster(const struct evidence_in *in,
			struct evidence_boots boots[2], struct evidence *e)
{
	size_t room = boots[0].nr_numbers + boots[1].nr_numbers;
	size_t *at = xcalloc(e->nr + 1, sizeof(*at));
	size_t *head = xcalloc(e->nr + 1, sizeof(*head));
	int *side = xcalloc(room + 1, sizeof(*side));
	size_t nr = rows_that_count(in, e, at);
	char *used[2];
	size_t nr_boots = list_boots(in, boots, used, side);
	struct stat_cluster_metric *m = xcalloc(nr + 1, sizeof(*m));
	double *values = xcalloc(nr * nr_boots + 1, sizeof(*values));
	size_t i;

	for (i = 0; i < nr; i++) {
		const struct evidence_row *row = &e->row[at[i]];

		take_values(in, boots, used, row->metric,
			    values + i * nr_boots);
		m[i] = (struct stat_cluster_metric){ row->metric->name,
						     values + i * nr_boots,
						     rank_of(in, row) };
	}
	stat_cluster(m, nr, side, nr_boots, head);
	for (i = 0; i < nr; i++)
		e->row[at[i]].headline = at[head[i]];
	free(at);
	free(head);
	free(side);
	free(used[0]);
	free(used[1]);
	free(m);
	free(values);
	return count_believed_heads(e);
}
