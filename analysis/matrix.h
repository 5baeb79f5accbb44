/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A matrix: metric -> one value per run, for one side (one commit) of a
 * comparison. The memory form of the matrix.json that lkp-tests keeps beside
 * its runs, and of what the database holds.
 */
#ifndef ANALYSIS_MATRIX_H
#define ANALYSIS_MATRIX_H

#include <stddef.h>

#include "base/err.h"
#include "base/json.h"

#define MATRIX_MAX_METRICS    ((size_t)200000)
#define MATRIX_MAX_RUNS	      ((size_t)10000)
#define MATRIX_MAX_NAME_BYTES ((size_t)4096)

/* The runs that did not complete have a value other than 0 in this row. */
#define MATRIX_INCOMPLETE "last_state.is_incomplete_run"

/*
 * One row. @value[i] is run i's scalar in the metric's unit, NaN where the run
 * has none; runs at and past @nr have none either.
 */
struct matrix_metric {
	char *name;
	double *value;
	size_t nr;
	size_t alloc;
};

/* @metric is sorted by name (bytes). @runs: how many runs there were. */
struct matrix {
	struct matrix_metric *metric;
	size_t nr;
	size_t alloc;
	size_t runs;
};

#define MATRIX_INIT           \
	{                     \
		NULL, 0, 0, 0 \
	}

void matrix_init(struct matrix *m);
void matrix_release(struct matrix *m);

/*
 * Run @run (0-based) measured @value for @name; NaN is "no value". Raises
 * @runs. ERR_LIMIT past the maxima above, ERR_DATA for an empty name or an
 * infinite value; @m unchanged then. O(log nr), plus the shift of the rows
 * behind a new name: cheap when names come sorted.
 */
int matrix_set(struct matrix *m, const char *name, size_t run, double value,
	       struct err *err);

/* The row called @name, or NULL; borrowed from @m until it changes. */
const struct matrix_metric *matrix_find(const struct matrix *m,
					const char *name);

/* Whether any row's name starts with @family and a dot. */
int matrix_has_family(const struct matrix *m, const char *family);

/*
 * Fill the empty @m from matrix.json: {"metric": [number|null, …]}. A plain
 * number counts as one run. Rows with anything else in them (strings, objects)
 * are left out; "stats_source" only says how many runs there were. Integers may
 * be of any size. @name stands in errors. ERR_DATA, ERR_LIMIT; @m may hold a
 * part then.
 */
int matrix_parse(struct matrix *m, const char *text, size_t len,
		 const char *name, struct err *err);
int matrix_from_json(struct matrix *m, const json_t *obj, const char *name,
		     struct err *err);

/* The same object again; NaN becomes null. New reference. */
json_t *matrix_to_json(const struct matrix *m);

#endif
