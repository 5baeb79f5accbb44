/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tables of an affinity x threads sweep: scores with a t-test, and one
 * function's share of the profile per NUMA node.
 */
#ifndef REPORT_SWEEP_TABLE_H
#define REPORT_SWEEP_TABLE_H

#include "analysis/sweep.h"
#include "base/str.h"

/*
 * Append title, headings and a line per row: "%8s  %10d  %7s  %8s  %8s  %4s
 * %3d  %7s  %4s  %3d" = affinity, threads, diff, confidence, then score,
 * deviation and node for base and test. "-" where a number is unknown.
 */
void sweep_table_add(const struct sweep *s, struct str *out);

/* Append title, headings and a line per row: base, test and diff of all nodes,
 * then of each node where the row is not pinned. */
void sweep_profile_table_add(const struct sweep_profile *p, struct str *out);

#endif
