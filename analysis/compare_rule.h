/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a metric's name says about its row, and the rule by which LKP's reports
 * choose the rows they show. The rule is a filter for readers, no proof: its
 * false-alarm rate is 1-2 % per metric when the boots are independent.
 */
#ifndef ANALYSIS_COMPARE_RULE_H
#define ANALYSIS_COMPARE_RULE_H

#include <stdbool.h>
#include <stddef.h>

struct compare_metric;
struct compare_side;

/* Whether the row counts failed runs: dmesg., kmsg., last_state., stderr.
 * rows without a time in them, and *.fail. */
bool rule_is_failure(const char *name);

/* perf-profile and keys that end in '%': the change is a difference. */
bool rule_is_absolute(const char *name);

/* A row of one CPU among many: a component "CPU12" or "cpu12". */
bool rule_is_per_cpu(const char *name);

/* Whether a missing value of this family means "did not happen", that is 0. */
bool rule_absent_is_zero(const char *family);

/*
 * Whether @name belongs to the benchmark @testcase: its family is the
 * testcase, or the testcase is a flavour of it ("fio-basic" of "fio").
 */
bool rule_is_own(const char *name, const char *testcase);

/* Performance metrics, whose changes count from 1 % instead of 5 %. */
bool rule_is_performance(const char *name, bool own);

/*
 * Whether the side changed against the base by the rule: each side's median
 * lies outside the other's whole range, and the change is neither tiny nor
 * below the family's floor.
 */
bool rule_changed(const struct compare_metric *metric,
		  const struct compare_side *base,
		  const struct compare_side *side);

#endif
