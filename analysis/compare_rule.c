// SPDX-License-Identifier: GPL-3.0-or-later
// The row rule of LKP's reports: names, margins and floors per family.
#include "analysis/compare_rule.h"

#include <ctype.h>
#include <fnmatch.h>
#include <math.h>
#include <string.h>

#include "analysis/compare.h"
#include "base/mem.h"
#include "base/str.h"

#define MIN_RUNS	  3
#define RATIO_ALWAYS	  1.01
#define RATIO_OTHERS	  1.05
#define PROFILE_MIN_MEAN  0.05
#define PROFILE_MIN_DELTA 0.05
/* 0.15 - 0.10 is a hair below 0.05 in binary */
#define PROFILE_EPSILON 1e-9

static bool matches_any(const char *name, const char *const *globs, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (!fnmatch(globs[i], name, 0))
			return true;
	}
	return false;
}

bool rule_is_failure(const char *name)
{
	static const char *const times[] = { "*.time.*", "*.timestamp:*",
					     "*.bootstage:*" };
	static const char *const failures[] = { "dmesg.*", "kmsg.*",
						"last_state.*", "stderr.*",
						"*.fail" };

	return !matches_any(name, times, ARRAY_SIZE(times)) &&
	       matches_any(name, failures, ARRAY_SIZE(failures));
}

bool rule_is_absolute(const char *name)
{
	return str_starts(name, "perf-profile") || str_ends(name, "%");
}

bool rule_is_per_cpu(const char *name)
{
	if (str_starts(name, "perf-profile"))
		return false;
	for (const char *p = strchr(name, '.'); p; p = strchr(p, '.')) {
		size_t digits;

		p++;
		if (strncasecmp(p, "cpu", 3) != 0)
			continue;
		digits = strspn(p + 3, "0123456789");
		if (digits && (p[3 + digits] == '.' || !p[3 + digits]))
			return true;
	}
	return false;
}

bool rule_absent_is_zero(const char *family)
{
	/* event lists: a symbol or a wait that never occurred has no row */
	static const char *const lists[] = {
		"perf-profile", "perf-sched", "latency_stats", "interrupts",
		"softirqs",	"slabinfo",   "ftrace",	       "lock_stat",
	};

	return matches_any(family, lists, ARRAY_SIZE(lists));
}

bool rule_is_own(const char *name, const char *testcase)
{
	size_t len = strcspn(name, ".");

	if (!name[len] || !testcase || strncmp(name, testcase, len) != 0)
		return false;
	return !testcase[len] || testcase[len] == '-';
}

bool rule_is_performance(const char *name, bool own)
{
	static const char *const globs[] = {
		"perf-stat.*", "proc-vmstat.*",	      "vmstat.cpu.*",
		"vmstat.io.*", "vmstat.swap.*",	      "vmstat.system.*",
		"iostat.*",    "turbostat.*",	      "boot-*",
		"*.time.*",    "perf-c2c.HITM.total",
	};

	return own || matches_any(name, globs, ARRAY_SIZE(globs));
}

/*
 * Families whose small values mean nothing: shown when the larger side reaches
 * the floor (@above: exceeds it).
 */
static const struct {
	const char *glob;
	double floor;
	bool above;
} floors[] = {
	{ "*.time.elapsed_time*", 10, false },
	{ "*.time.system_time", 10, false },
	{ "*.time.user_time", 10, false },
	{ "*.time.*context_switches", 1000, false },
	{ "*.time.*page_faults", 1000, false },
	{ "numa-vmstat.*nr_*", 100, false },
	{ "vmstat.*nr_*", 100, false },
	{ "proc-vmstat.*", 1000, true },
	{ "*meminfo.*", 1000, true },
	{ "interrupts.*", 10000, true },
	{ "softirqs.*", 10000, true },
	{ "perf-c2c.HITM.total", 3000, false },
	{ "iostat.*", 1, true },
};

static bool reaches_floor(const char *name, double max)
{
	for (size_t i = 0; i < ARRAY_SIZE(floors); i++) {
		if (fnmatch(floors[i].glob, name, 0) != 0)
			continue;
		if (max < floors[i].floor ||
		    (floors[i].above && max <= floors[i].floor))
			return false;
	}
	return true;
}

/* The larger median by the smaller; infinite when the smaller is not above 0 */
static double ratio_of(double a, double b)
{
	double high = fmax(a, b);
	double low = fmin(a, b);

	return low > 0.0 ? high / low : INFINITY;
}

static bool apart(const struct compare_side *a, const struct compare_side *b)
{
	return (b->min > a->median && b->median > a->max) ||
	       (a->min > b->median && a->median > b->max);
}

static bool profile_counts(const struct compare_side *a,
			   const struct compare_side *b)
{
	return fmax(a->avg, b->avg) > PROFILE_MIN_MEAN + PROFILE_EPSILON &&
	       fabs(b->avg - a->avg) >= PROFILE_MIN_DELTA - PROFILE_EPSILON;
}

bool rule_changed(const struct compare_metric *metric,
		  const struct compare_side *base,
		  const struct compare_side *side)
{
	double ratio;

	if (metric->failure)
		return (base->fails == 0) != (side->fails == 0);
	if (rule_is_per_cpu(metric->name) || !base->n || !side->n ||
	    (base->n < MIN_RUNS && side->n < MIN_RUNS))
		return false;
	if (!apart(base, side))
		return false;
	if (str_starts(metric->name, "perf-profile"))
		return profile_counts(base, side);
	ratio = ratio_of(base->median, side->median);
	if (!(ratio > RATIO_ALWAYS))
		return false;
	if (!(ratio > RATIO_OTHERS) &&
	    !rule_is_performance(metric->name, metric->own))
		return false;
	return reaches_floor(metric->name, fmax(base->max, side->max));
}
