/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of the bisection engine share; nobody else includes this. */
#ifndef ANALYSIS_BISECT_PRIVATE_H
#define ANALYSIS_BISECT_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/bisect.h"

/* The e-value at which a difference counts as there: false alarms ≤ 1 %. */
#define BISECT_E_ENOUGH 100
/* log(0.01): a difference of half the claim is given up below this. */
#define BISECT_LLR_FUTILE (-4.6)
#define BISECT_MAX_ASK	  256 /* boots in one request */

/* One boot that was measured. */
struct bisect_obs {
	int commit, box, build, layout, runs;
	double raw; /* mean of the runs, in the metric's unit */
	double y;   /* raw against the box's good level: raw / level − 1 */
	double h;   /* variance of the mean against that of one run, (0,1] */
	double w;   /* weight: 1, down to OUTLIER_WEIGHT for an outlier */
	bool fresh; /* asked for by a verification */
};

/* A kernel that was built: a commit in one code layout. */
struct bisect_build {
	int commit, layout, nr_obs;
	bool failed;
};

/* What is known about one commit, by position. */
struct bisect_state {
	double weight; /* prior, 0 for one that can't matter */
	double post;   /* posterior of being the culprit */
	double bad;    /* posterior of showing the change */
	int nr_obs;
	int nr_unbootable;
	bool untestable;
};

/* Candidates that no tested commit tells apart. */
struct bisect_class {
	int first; /* a member */
	double weight;
	double post;
	double delta; /* effect, if the culprit is in this class */
	double sxx;   /* information on it, in units of 1/s² */
	double flat;  /* the effect without the prior */
	double log_l;
};

/* Head against base, or suspect against parent, boot by boot. */
struct bisect_contrast {
	/* the question: two commits, fresh boots only, variance of a code
	 * layout, effect that @llr asks about */
	int good, bad;
	bool fresh;
	double tau2, effect;
	/* the answer */
	int pairs, layouts;
	double delta, se2;
	double dof; /* behind @se2 */
	double e_value;
	double llr; /* of the asked effect against none */
};

struct bisect_verify {
	int culprit;   /* position, or a set's first */
	int bad, good; /* the commits compared */
	int failed;
	int doubts;	  /* rounds after the fresh boots convinced */
	int failed_pairs; /* of @culprit's contrast when it failed last */
};

struct bisect {
	struct bisect_start start; /* copied; its commits are not kept */
	json_t *start_json;	   /* as it was given, but the commits */
	char **boxes;
	struct history *history;
	int nr; /* history_nr() */

	struct bisect_state *commits;
	int *class_of;
	int *dist; /* edges to the nearest untestable commit */
	struct bisect_class *classes;
	int nr_classes;
	double none; /* posterior of "no culprit" */
	double total_weight;

	struct bisect_obs *obs;
	size_t nr_obs, obs_alloc;
	struct bisect_build *builds;
	size_t nr_builds, builds_alloc;
	int nr_unbuildable;
	int runs; /* spent */
	int runs_per_boot;

	double s2;	   /* variance of one run, relative, as of now */
	double dof;	   /* behind it */
	double drift;	   /* of a box from boot to boot, in units of s */
	double offset_var; /* of a box's level, in units of s2 */
	double delta;	   /* effect in the likeliest class */
	double claim;	   /* effect to expect: the prior's mean */

	enum bisect_phase phase;
	struct bisect_verify verify;
	double e_value;
	struct bisect_boot ask[BISECT_MAX_ASK];
	size_t nr_ask;
	int speculate[2];
	int nr_speculate;

	enum bisect_verdict verdict;
	const char *reason;
	int *named;
	size_t nr_named;

	struct bisect_step *steps;
	size_t nr_steps, steps_alloc;
	json_t *results; /* what was taken, for bisect_to_json */
};

/* --- bisect_model.c: the posterior --- */

/* A commit was measured for the first time: split the classes. */
void bisect_model_split(struct bisect *b, int commit);
/* Recompute everything that the results say. */
void bisect_model_update(struct bisect *b);
/* Class of the highest posterior. */
int bisect_model_top(const struct bisect *b);

/* --- bisect_robust.c: boots that are no news --- */

/* Recompute the weights of all boots. True when one changed much. */
bool bisect_robust_weights(struct bisect *b);
/* Cost of a residual of @u standard deviations: u²/2, bounded. */
double bisect_robust_cost(double u);

/* --- bisect_drift.c: boxes that move --- */

/* Step of a box's random walk from boot to boot, in units of s. */
double bisect_drift_step(const struct bisect *b);

/* --- bisect_choose.c: the next test --- */

/* Bits that a test tells about a yes/no of probability @p at distance @d. */
double bisect_choose_bits(double p, double d);
/* Ask for the boots that say most for their cost. False: nothing to ask. */
bool bisect_choose(struct bisect *b);
/* Ask for tests inside class @c only. False: it can't be split. */
bool bisect_choose_inside(struct bisect *b, int c);

/* --- bisect_ask.c: the boots of a test --- */

/* Ask for @nr boots of @commit in @layout, spread over the boxes. */
void bisect_ask_add(struct bisect *b, int commit, int layout, int nr);
/* Ask for pairs of @good and @bad, same box, order drawn, @nr of them. */
void bisect_ask_pairs(struct bisect *b, int good, int bad, int layout, int nr);
/* The build of @commit with the fewest boots, NULL when there is none;
 * *@out_next: a layout unused. */
const struct bisect_build *bisect_ask_least_measured(const struct bisect *b,
						     int commit, int *out_next);
/* How many boots at once. */
int bisect_ask_parallel(const struct bisect *b);

/* --- bisect_detect.c: is there anything? --- */

/* Compare all boots of two commits: fills in the answer to @out's question. */
void bisect_contrast(const struct bisect *b, struct bisect_contrast *out);
/* Pairs of boots that one code layout is worth, by the costs; 2..64. */
int bisect_pairs_per_layout(const struct bisect *b);
/* One round of BISECT_DETECT: asks, ends, or goes on to the search. */
void bisect_detect(struct bisect *b);
/* Runs that finding an effect of @delta will take, all in all. */
double bisect_detect_plan(const struct bisect *b, double delta);

/* --- bisect_verify.c: are we sure? --- */

/* Whether class @c is one commit that is measured, as a parent of it is. */
bool bisect_verify_is_built(const struct bisect *b, int c);
/* Whether class @c can be accused now: starts a verification. */
bool bisect_verify_start(struct bisect *b, int c);
/* One round of BISECT_VERIFY: asks, ends, or goes back to the search. */
void bisect_verify(struct bisect *b);

/* --- bisect_start.c: the question --- */

int bisect_start_check(const struct bisect_start *s, struct err *err);
struct history *bisect_start_history(const struct bisect_start *s,
				     struct err *err);
void bisect_start_commits(struct bisect *b, const struct bisect_start *s);
/* Runs that a boot should have. */
int bisect_start_runs(const struct bisect_start *s);

/* --- bisect_json.c --- */

/* Keep @start but its commits (the history has them), and later results, for
 * bisect_to_json. */
json_t *bisect_keep_start(const struct bisect_start *start);
/* The start with the commits as in a start message; a new reference. */
json_t *bisect_whole_start(const struct bisect *b);
void bisect_keep(struct bisect *b, const struct bisect_result *r, size_t nr);

/* --- bisect_range.c: the commits of a record as one text --- */

/* What a text says, with what it points into; owned. */
struct bisect_range {
	struct bisect_commit *v;
	size_t nr;
	const char **parents;
	char *text;
};

/* The text as a new reference; NULL where an id has blanks in it. */
json_t *bisect_range_to_json(const struct bisect *b);
/* ERR_DATA, with the number of the line. */
int bisect_range_parse(const char *text, struct bisect_range *out,
		       struct err *err);
void bisect_range_release(struct bisect_range *r);

/* --- bisect_rest.c --- */

/* bisect_finding.rest_delta */
double bisect_rest(const struct bisect *b);

/* --- bisect_log.c --- */

void bisect_log_round(struct bisect *b, const struct bisect_result *r,
		      size_t nr, enum bisect_phase phase);

/* --- bisect.c --- */

void bisect_end(struct bisect *b, enum bisect_verdict verdict,
		const char *reason);
/* Size of the smallest set that holds 90 % of the posterior. */
int bisect_left(const struct bisect *b);
/* Entropy of the posterior in bits. */
double bisect_missing_bits(const struct bisect *b);

#endif
