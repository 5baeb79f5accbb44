/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Metrics that say the same thing twice: operations and operations per second,
 * a time and the throughput it is the inverse of. One of them is the headline,
 * the others need no report and no bisection of their own.
 */
#ifndef ANALYSIS_STAT_CLUSTER_H
#define ANALYSIS_STAT_CLUSTER_H

#include <stddef.h>

/* Correlations are looked at among so many metrics; beyond, only names are. */
#define STAT_CLUSTER_MAX ((size_t)4000)

/*
 * @value: one number per boot, NaN where there is none. @rank: how good a
 * headline it is, less is better (kpi_rank()).
 */
struct stat_cluster_metric {
	const char *name;
	const double *value;
	int rank;
};

/*
 * Two metrics go together when their names are known to mean the same, or when
 * their noise does: what is left of the values without each side's mean is as
 * large in one as in the other, relative to the mean, and correlates by 0.98 or
 * more, and so much that it would happen by accident in one comparison of a
 * hundred. Then one is the other times a constant, or its inverse. The change
 * itself doesn't count: a regression moves many metrics, and is no reason to
 * take them for one.
 * @side      [@nr_boots], the side that each boot belongs to: 0 .. 15
 * @out_head  [@nr], for each metric the place of its cluster's headline: the
 *            least rank, then the first in order
 * Returns the number of clusters. Time O(nr² nr_boots).
 */
size_t stat_cluster(const struct stat_cluster_metric *m, size_t nr,
		    const int *side, size_t nr_boots, size_t *out_head);

#endif
