/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An affinity x threads sweep of two kernels: one t-test per row, and the
 * profile of one function per NUMA node beside it.
 */
#ifndef ANALYSIS_SWEEP_H
#define ANALYSIS_SWEEP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/json.h"

#define SWEEP_MAX_ROWS	  4096
#define SWEEP_MAX_NODES	  64
#define SWEEP_NID_UNKNOWN (-1)

/* One side of one row. */
struct sweep_side {
	size_t n;
	double avg;
	double std_pct; /* sample deviation in percent of avg; 0 below 2 runs */
	int nid;	/* NUMA node of the object under test; -1: unknown */
};

struct sweep_row {
	char *affinity; /* "unbound", "node0", … */
	long long threads;
	struct sweep_side base;
	struct sweep_side test;
	double diff_pct; /* of the base's average */
	/* 100 * (1 - p) of Welch's two-sided test; NaN below 2 runs a side */
	double confidence_pct;
};

struct sweep {
	char *metric; /* "tps" */
	struct sweep_row *row;
	size_t nr;
};

#define SWEEP_INIT            \
	{                     \
		NULL, NULL, 0 \
	}

/*
 * Append a row. @base, @test: nr_base/nr_test scores, 1 or more each, finite;
 * not kept. ERR_DATA, ERR_RANGE, ERR_LIMIT.
 */
struct sweep_input {
	const char *affinity;
	long long threads;
	const double *base;
	size_t nr_base;
	const double *test;
	size_t nr_test;
	int base_nid;
	int test_nid;
};
int sweep_add(struct sweep *s, const struct sweep_input *in, struct err *err);

/*
 * Fill the empty @s from samples.json: {"metric", "rows": [{"affinity",
 * "nr_threads", "base": […], "test": […], "base_nid", "test_nid"}]}. @name
 * stands in errors. ERR_DATA, ERR_LIMIT. Release @s even then.
 */
int sweep_from_json(struct sweep *s, const json_t *obj, const char *name,
		    struct err *err);
void sweep_release(struct sweep *s);

/* Base and test share of one function, in percent of the samples there. */
struct sweep_share {
	bool known;
	double base;
	double test;
};

/* @share[0] is all nodes, @share[1 + n] node n; only the first where pinned. */
struct sweep_profile_row {
	char *affinity;
	long long threads;
	struct sweep_share *share;
};

struct sweep_profile {
	char *symbol; /* the function */
	char *unit;   /* "profile%" */
	size_t nr_nodes;
	struct sweep_profile_row *row;
	size_t nr;
};

#define SWEEP_PROFILE_INIT             \
	{                              \
		NULL, NULL, 0, NULL, 0 \
	}

/*
 * Fill the empty @p from profile-FUNC.json: {"symbol", "unit", "rows":
 * [{"affinity", "nr_threads", "all_nodes": [base, test], "nodeN": …}]}.
 * ERR_DATA, ERR_LIMIT. Release @p even then.
 */
int sweep_profile_from_json(struct sweep_profile *p, const json_t *obj,
			    const char *name, struct err *err);
void sweep_profile_release(struct sweep_profile *p);

#endif
