/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of the evidence share; nobody else includes this. */
#ifndef ANALYSIS_EVIDENCE_PRIVATE_H
#define ANALYSIS_EVIDENCE_PRIVATE_H

#include "analysis/evidence.h"

/* One side's boots of one metric; arrays are scratch, by boot. */
struct evidence_boots {
	double *value; /* mean of the runs */
	int *pair;     /* -1: none */
	size_t nr, runs;
	double *sum; /* by boot number, while collecting */
	size_t *count;
	int *pair_of;
	size_t nr_numbers;
};

/* A row while it is judged; @tests: rows of its family that can be tested. */
struct evidence_task {
	const struct evidence_in *in;
	const struct evidence_boots *boots; /* [2] */
	size_t tests;
	double *scratch; /* room for both sides' values, twice */
};

/* --- evidence_boots.c --- */

void evidence_boots_init(struct evidence_boots *b,
			 const struct evidence_side *side);
void evidence_boots_release(struct evidence_boots *b);
/* The boots of @metric, in order of their numbers. Runs that did not complete
 * or have no value are left out; event lists count as 0 where absent. */
void evidence_boots_load(struct evidence_boots *b,
			 const struct evidence_side *side,
			 const struct compare_metric *metric);
/* What boot number @i measured, NaN where it has no value. */
double evidence_boots_at(const struct evidence_boots *b, size_t i);
/*
 * Which boots there are that have a complete run: @out_used[number], room for
 * @nr_numbers. Returns how many.
 */
size_t evidence_boots_used(const struct evidence_side *side, char *out_used);
/* How many boots there are, with complete runs or without. */
size_t evidence_boots_count(const struct evidence_side *side);
/* Boots in which @metric is above 0, e.g. a failure. */
size_t evidence_boots_failed(struct evidence_boots *b,
			     const struct evidence_side *side,
			     const struct compare_metric *metric);

/* --- evidence_cluster.c --- */

/* Set @headline of all rows; returns the clusters among the believed ones. */
size_t evidence_cluster(const struct evidence_in *in,
			struct evidence_boots boots[2], struct evidence *e);

/* --- evidence_test.c --- */

/* Fill test, effect, interval, e or p, and detectable of @row. */
void evidence_judge_pairs(const struct evidence_task *t,
			  struct evidence_row *row);
void evidence_judge_sides(const struct evidence_task *t,
			  struct evidence_row *row);
/* @failed of @row->boots failed. */
void evidence_judge_failures(const size_t failed[2], struct evidence_row *row);
/* Pairs whose boots both have a value, into the arrays; returns how many. */
size_t evidence_pairs(const struct evidence_boots boots[2], double *out_base,
		      double *out_head);
/* Whether all values of both sides are one and the same. */
bool evidence_is_constant(const struct evidence_boots boots[2]);

#endif
