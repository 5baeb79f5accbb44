// SPDX-License-Identifier: GPL-3.0-or-later
// Headline choice by an ordered list of name patterns.
#include "analysis/kpi.h"

#include <fnmatch.h>
#include <math.h>
#include <string.h>

#include "analysis/compare_rule.h"
#include "base/mem.h"

/* Never a headline and without a direction: more of it is neither. */
static const char *const neutral[] = {
	"*context_switches*", "*switches_per_*",     "*stddev*",
	"*.workload",	      "*.incomplete_result", "*.fail",
};

/* Headline candidates, best first: rates and scores, then costs. */
static const struct {
	const char *glob;
	int direction;
} headlines[] = {
	{ "*latency*per_sec", 0 },
	{ "*_per_sec", 1 },
	{ "*_ops", 1 },
	{ "*latency*", -1 },
	{ "*_lat_*", -1 },
	{ "*clat_*", -1 },
	{ "*.throughput", 1 },
	{ "*throughput*", 1 },
	{ "*Throughput_*", 1 },
	{ "*transactions*/s", 1 },
	{ "*transactions", 1 },
	{ "*events/s", 1 },
	{ "*.score", 1 },
	{ "*_score", 1 },
	{ "*.median", 1 },
	{ "*jobs[-_]per[-_]min", 1 },
	{ "*operations/s", 1 },
	{ "*requests/s", 1 },
	{ "*ops/s", 1 },
	{ "*works/sec", 1 },
	{ "*.tps", 1 },
	{ "*_iops", 1 },
	{ "*_MBps", 1 },
	{ "*_Mbps", 1 },
	{ "*[KMG]B/sec", 1 },
	{ "*[KMG]iB/sec", 1 },
	{ "*[KMGkmg]b/s", 1 },
	{ "*[KMG]B/s", 1 },
	{ "*[KMG]iB/s", 1 },
	{ "*bandwidth*", 1 },
	{ "*_per_second", 1 },
	{ "*.scalability", 1 },
	{ "*_cost_*", -1 },
	{ "*_per_iteration", -1 },
	{ "*time_ms/op", -1 },
	{ "*elapsed_time*", -1 },
	{ "*.seconds", -1 },
	{ "*_time", -1 },
	{ "*_ns", -1 },
	{ "*_us", -1 },
	{ "*_usec", -1 },
	{ "*_ms", -1 },
};

static int match_headline(const char *metric)
{
	for (size_t i = 0; i < ARRAY_SIZE(neutral); i++) {
		if (!fnmatch(neutral[i], metric, 0))
			return -1;
	}
	for (size_t i = 0; i < ARRAY_SIZE(headlines); i++) {
		if (!fnmatch(headlines[i].glob, metric, 0))
			return (int)i;
	}
	return -1;
}

int kpi_rank(const char *metric, const char *testcase)
{
	int i;

	if (!rule_is_own(metric, testcase) || strstr(metric, ".time."))
		return KPI_NONE;
	i = match_headline(metric);
	return i >= 0 && headlines[i].direction ? i : KPI_NONE;
}

/* Families of monitors: what they count has no good side by its name alone. */
static bool is_monitor(const char *metric)
{
	static const char *const families[] = {
		"perf-*.*",   "*vmstat.*",    "*meminfo.*",  "*numastat.*",
		"mpstat.*",   "iostat.*",     "turbostat.*", "sched_debug.*",
		"softirqs.*", "interrupts.*", "cpuidle.*",   "slabinfo.*",
		"boot-*.*",   "uptime.*",     "schedstat.*",
	};

	for (size_t i = 0; i < ARRAY_SIZE(families); i++) {
		if (!fnmatch(families[i], metric, 0))
			return true;
	}
	return false;
}

int kpi_direction(const char *metric)
{
	int i;

	if (!fnmatch("*.time.elapsed_time*", metric, 0))
		return -1;
	if (strstr(metric, ".time.") || is_monitor(metric))
		return 0;
	if (str_ends(metric, ".ops"))
		return 1;
	i = match_headline(metric);
	return i >= 0 ? headlines[i].direction : 0;
}

/* Whether @a is the better headline of two with equal rank. */
static bool tells_more(const struct compare_metric *a,
		       const struct compare_metric *b, size_t side)
{
	if (a->side[side].changed != b->side[side].changed)
		return a->side[side].changed;
	return fabs(a->side[side].change) > fabs(b->side[side].change);
}

const struct compare_metric *kpi_headline(const struct comparison *c,
					  size_t side)
{
	const struct compare_metric *best = NULL;
	int best_rank = KPI_NONE;

	for (size_t i = 0; i < c->nr; i++) {
		const struct compare_metric *m = &c->metric[i];
		int rank = m->own ? kpi_rank(m->name, c->testcase) : KPI_NONE;

		if (rank == KPI_NONE || !m->side[0].n || !m->side[side].n)
			continue;
		if (rank < best_rank ||
		    (rank == best_rank && tells_more(m, best, side))) {
			best = m;
			best_rank = rank;
		}
	}
	return best;
}

const char *kpi_word(int direction, double change)
{
	if (!direction || change == 0.0 || isnan(change))
		return "change";
	return (double)direction * change < 0 ? "regression" : "improvement";
}

void kpi_add_phrase(struct str *out, const struct compare_metric *metric,
		    size_t side)
{
	double change = metric->side[side].change;

	str_addf(out, "%.1f%s %s", fabs(change),
		 metric->absolute ? " points" : "%",
		 kpi_word(kpi_direction(metric->name), change));
}

bool kpi_is_regression(const struct comparison *c, size_t side)
{
	for (size_t i = 0; i < c->nr; i++) {
		const struct compare_metric *m = &c->metric[i];
		double change = m->side[side].change;

		if (!m->side[side].changed)
			continue;
		if (m->failure && change > 0.0)
			return true;
		if (kpi_rank(m->name, c->testcase) != KPI_NONE &&
		    kpi_direction(m->name) * change < 0.0)
			return true;
	}
	return false;
}
