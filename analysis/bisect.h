/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The bisection engine: which boots to run next, and which commit changed the
 * metric. Pure: results in, requests and a verdict out; the same start and the
 * same results in the same order give the same answers.
 *
 * The life of a bisection: bisect_new, then bisect_result with what is there
 * already (if anything), then bisect_next and bisect_result in turn until
 * bisect_next returns 0; then bisect_finding says what was found.
 *
 * Commits are named by position (analysis/history.h): 0 is the good commit,
 * bisect_history() has the ids. Boxes are named by their place in the start.
 */
#ifndef ANALYSIS_BISECT_H
#define ANALYSIS_BISECT_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/history.h"
#include "base/err.h"
#include "base/json.h"
#include "base/str.h"

#define BISECT_MAX_BOXES 64
#define BISECT_MAX_RUNS	 1000 /* of one boot */
#define BISECT_MAX_BOOTS 20000

/* A commit of the range, beyond what the history knows about it. */
struct bisect_commit {
	struct history_commit commit;
	/* prior weight against the other commits, > 0; 0 means 1 */
	double weight;
	/* proven to change nothing: same build-id, or files not compiled */
	bool cannot_matter;
};

/* What A/A boots of one kernel said about this benchmark and these boxes. */
struct bisect_calibration {
	/* degrees of freedom behind @sd; 1..1e6 */
	double dof;
	/* standard deviation of one run in a fresh boot, relative, > 0 */
	double sd;
	/* share of the variance that is between boots, 0..1 */
	double boot_share;
	/* deviation between builds that differ in code layout only, relative */
	double layout_sd;
	/* deviation by which a box moves from boot to boot; < 0: not known */
	double drift_sd;
};

/* What things cost, in any unit; > 0. */
struct bisect_cost {
	double build, boot, run;
};

/* A question. Everything is copied by bisect_new. */
struct bisect_start {
	const struct bisect_commit *commits;
	size_t nr_commits;
	const char *good, *bad;
	/* relative effect as first detected, with its error; not 0 */
	double claim;
	/* more is better; only for words */
	bool higher_is_better;
	const char *const *boxes;
	size_t nr_boxes;
	struct bisect_calibration calibration;
	struct bisect_cost cost;
	/* runs that may be spent, 1 or more */
	long budget_runs;
	/* boots wanted at once, e.g. free boxes; 0: the engine's choice */
	int parallel;
};

enum bisect_phase {
	BISECT_DETECT, /* do the two ends differ at all? */
	BISECT_SEARCH, /* where between them? */
	BISECT_VERIFY, /* the suspect against its parent, fresh boots */
	BISECT_DONE,
};

enum bisect_verdict {
	BISECT_UNDECIDED,
	BISECT_CULPRIT,
	BISECT_SET, /* commits that only untestable ones could tell apart */
	BISECT_NOT_REPRODUCED,
	BISECT_RANGE_ONLY, /* would take more runs than the budget has */
	BISECT_INCONCLUSIVE,
	BISECT_LAYOUT_SENSITIVE, /* gone under another code layout */
};

enum bisect_status {
	BISECT_OK,
	BISECT_UNBUILDABLE,
	BISECT_UNBOOTABLE,
	BISECT_INFRA, /* says nothing about the commit; will be asked again */
};

/* One boot to run: @runs runs of the commit's build number @layout. */
struct bisect_boot {
	int commit;
	int box;
	int layout; /* 0: as configured; n: a build with another code layout */
	int runs;
};

/* What to run now. Arrays are borrowed until the next bisect_result. */
struct bisect_ask {
	enum bisect_phase phase;
	const struct bisect_boot *boots; /* in this order on each box */
	size_t nr;
	/* commits worth building meanwhile: the likeliest next tests */
	int speculate[2];
	int nr_speculate;
};

/* What came of one boot. @values: one number per run, in the metric's unit. */
struct bisect_result {
	int commit;
	int box;
	int layout;
	enum bisect_status status;
	const double *values;
	size_t nr_values;
};

/* How often one side was measured. */
struct bisect_side {
	int boots, runs, builds;
};

/* What was found, and how sure that is. Relative effects, not per cent. */
struct bisect_finding {
	enum bisect_verdict verdict;
	/* the culprit, or the set, most probable first; borrowed */
	const int *commits;
	size_t nr_commits;
	/* of the named commits together, or of the likeliest one; 0..1 */
	double posterior;
	/* e-value of the verification, else of the detection; no upper limit */
	double e_value;
	/* effect and its 95 % interval; NaN before there was anything */
	double delta, delta_lo, delta_hi;
	/* the effect under further code layouts; NaN when not measured */
	double layout_delta;
	/* what of the range's effect the culprit surely doesn't explain, so
	 * that another commit has a part in it; NaN when there is none */
	double rest_delta;
	/* the smallest set that holds 90 % of the posterior: its size */
	int candidates_left;
	/* boots before and after the change, of the posterior's opinion */
	struct bisect_side before, after;
	int boots, runs, builds, unbuildable, steps;
	/* which rule ended it, as a sentence; "" before; borrowed */
	const char *reason;
};

/* One line of the log: what a commit showed in one round. */
struct bisect_step {
	enum bisect_phase phase;
	int commit;
	int boots, runs;
	enum bisect_status status;
	/* mean against the good level, relative; NaN when nothing ran */
	double effect;
	/* probability that the commit is affected, after the round */
	double bad;
	/* after the round: size of the 90 % set, and bits still missing */
	int candidates_left;
	double bits;
	double e_value;
};

struct bisect;

/*
 * A bisection, owned by the caller. NULL with ERR_RANGE (a number outside its
 * range), ERR_DATA or ERR_NOTFOUND (the commits, see history_new), ERR_LIMIT.
 */
struct bisect *bisect_new(const struct bisect_start *start, struct err *err);
void bisect_free(struct bisect *b);

/* 1 and what to run, or 0 when there is a verdict. Changes nothing. */
int bisect_next(const struct bisect *b, struct bisect_ask *out);

/*
 * Take results, asked for or not, in the order in which they were measured.
 * ERR_RANGE (a position, a box, a status or a number of values that can't be),
 * ERR_DATA (NaN or infinity), ERR_LIMIT (too many boots); nothing is taken
 * then. After a verdict results are accepted and change nothing.
 */
int bisect_result(struct bisect *b, const struct bisect_result *results,
		  size_t nr, struct err *err);

/* What is known now; @out->verdict is BISECT_UNDECIDED before the end. */
void bisect_finding(const struct bisect *b, struct bisect_finding *out);

/* Names and order of the commits; borrowed. */
const struct history *bisect_history(const struct bisect *b);
size_t bisect_nr_boxes(const struct bisect *b);
const char *bisect_box(const struct bisect *b, size_t box);
/* Place of a box called @name, or -1. */
int bisect_find_box(const struct bisect *b, const char *name);

/* Share of the prior, among the commits, that @commit (1 or more) has. */
double bisect_prior(const struct bisect *b, int commit);
/*
 * Probability that @commit is the culprit; for 0, that there is none. This and
 * the next are NaN as long as nothing was measured.
 */
double bisect_posterior(const struct bisect *b, int commit);
/* Probability that @commit shows the change. */
double bisect_bad(const struct bisect *b, int commit);

size_t bisect_nr_steps(const struct bisect *b);
const struct bisect_step *bisect_step(const struct bisect *b, size_t i);

/* Stable words: "culprit", "not-reproduced", …; "search"; "unbuildable". */
const char *bisect_verdict_to_str(enum bisect_verdict verdict);
const char *bisect_phase_to_str(enum bisect_phase phase);
const char *bisect_status_to_str(enum bisect_status status);
/* ERR_DATA for a word that is none. */
int bisect_status_from_str(const char *word, enum bisect_status *out,
			   struct err *err);

/*
 * Everything needed to continue elsewhere: the start and all results in their
 * order. A new reference; bisect_from_json replays it to the same state.
 */
json_t *bisect_to_json(const struct bisect *b);
/* NULL with ERR_DATA, or what bisect_new and bisect_result say. */
struct bisect *bisect_from_json(const json_t *json, struct err *err);

/*
 * The line protocol (docs/bisect-engine.md): a "start" message, the results in
 * a "result" message, and the answer, "run" or "verdict".
 * NULL or ERR_DATA naming the key, or what bisect_new and bisect_result say.
 */
struct bisect *bisect_from_start_json(const json_t *start, struct err *err);
int bisect_result_json(struct bisect *b, const json_t *boots, struct err *err);
json_t *bisect_answer_json(const struct bisect *b);

/*
 * Append the log as at most @max_lines lines for a mail, the middle left out
 * where it is longer.
 */
void bisect_add_log(const struct bisect *b, int max_lines, struct str *out);

#endif
