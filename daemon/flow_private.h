/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the files of the flows share; nobody else includes this. A flow keeps no
 * state of its own: each call reads what it needs from the database, so that it
 * can be killed anywhere and asked again.
 */
#ifndef DAEMON_FLOW_PRIVATE_H
#define DAEMON_FLOW_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/bisect.h"
#include "analysis/compare.h"
#include "analysis/matrix.h"
#include "analysis/noise.h"
#include "base/err.h"
#include "base/json.h"
#include "base/str.h"
#include "daemon/daemon.h"
#include "runners/repo.h"

/* Shown of a commit in sentences. */
#define FLOW_SHA_SHOWN 12

/*
 * A comparison with its context: @row is db_flow_context(), owned. @id, @job_id
 * and @options are taken from it. @uses_kernel: its box boots the commit under
 * test, so artifacts are needed.
 */
struct flow {
	struct daemon *d;
	json_t *row;
	long long id;
	long long job_id;
	const json_t *options;
	bool uses_kernel;
};

/* --- flow_data.c: what is known --- */

int flow_open(struct daemon *d, long long comparison_id, struct flow *out,
	      struct err *err);
void flow_close(struct flow *f);
/* Members of the row; "" and 0 when missing. */
const char *flow_text(const struct flow *f, const char *key);
long long flow_int(const struct flow *f, const char *key);

/* How a box of this spec (entry of the lab file) treats kernels. */
struct flow_box_kind {
	bool uses_kernel; /* boots the kernel under test */
	bool simulated;	  /* time is counted in instructions */
};
int flow_box_kind(const json_t *spec, struct flow_box_kind *out,
		  struct err *err);

/*
 * One plan with the headline's values; in plan order. Strings are borrowed from
 * the array's owner.
 */
struct flow_boot {
	long long plan_id, commit_id, box_id, layout;
	const char *box, *state, *failure, *why;
	double *values; /* owned by the array */
	size_t nr;
};
struct flow_boots {
	struct flow_boot *v;
	size_t nr;
	json_t *plans;
};
/* Plans of the comparison (@step_id 0) or of a step; @metric may be "". */
int flow_boots_load(const struct flow *f, long long step_id, const char *metric,
		    struct flow_boots *out, struct err *err);
void flow_boots_release(struct flow_boots *b);
double flow_boot_mean(const struct flow_boot *b);
/* Whether one of them is still to be run. */
bool flow_boots_open(const struct flow_boots *b);

/* All samples of one commit; failed runs as incomplete ones. */
struct flow_side {
	struct matrix matrix;
	size_t boots, runs, failed;
};
int flow_side_load(const struct flow *f, long long commit_id, bool all,
		   struct flow_side *out, struct err *err);
void flow_side_release(struct flow_side *s);

/*
 * Queue one boot: its artifact is made where the box needs one. @layout is that
 * of the code, 0 as configured.
 */
struct flow_want {
	long long commit_id, box_id, step_id;
	long long layout, nr_runs;
	bool uses_kernel;
};
int flow_want_boot(const struct flow *f, const struct flow_want *want,
		   struct err *err);

/* Runs in a boot, pairs in the first round, pairs at most. */
long long flow_runs_per_boot(const struct flow *f);
int flow_planned_pairs(const struct flow *f);
int flow_max_pairs(const struct flow *f);
double flow_min_effect(const struct flow *f);
/*
 * Which side of pair number @pair of the comparison or bisection @id boots
 * first, 0 or 1: the same pair gets the same order, whoever asks.
 */
size_t flow_pair_first(long long id, size_t pair);

/* Append 0123456789ab ("subject"), safe for a terminal. */
void flow_add_commit(struct str *out, const char *sha, const char *subject);

/* --- flow_evidence.c: what stands beside the verdict --- */

/* Sentences on invariants that differ between the boots of two commits. */
json_t *flow_invariants_differ(const struct flow *f, long long base_id,
			       long long head_id, struct err *err);
/* Names of failures that all runs of head have and no run of base. */
json_t *flow_new_failures(const struct comparison *c);

/* --- flow.c: what follows --- */

/*
 * A comparison's state has been set: go on with its bisection, or, when it was
 * the job's last, write the report.
 */
int flow_after_verdict(const struct flow *f, struct err *err);

/* --- flow_compare.c --- */

int flow_compare_start(const struct flow *f, struct err *err);
/* All boots have ended: verdict, further pairs, or a bisection. */
int flow_compare_look(const struct flow *f, struct err *err);
/* End a comparison without a verdict, with its reason. */
int flow_compare_fail(const struct flow *f, const char *why, struct err *err);

/* --- flow_range.c: the commits between base and head --- */

/*
 * @v for bisect_new, the good commit first; @info: [{"sha", "subject",
 * "weight", "idle"}] in the same order, of a long range the good commit alone.
 * @nr_idle of them can't have changed anything.
 */
struct flow_range {
	struct bisect_commit *v;
	size_t nr;
	size_t nr_idle;
	json_t *info;
	struct repo_range nodes; /* what @v points into */
};
int flow_range_load(const struct repo *repo, const struct flow *f,
		    struct flow_range *out, struct err *err);
void flow_range_release(struct flow_range *r);
/* Whether a file of a kernel tree can change how the kernel runs. */
bool flow_range_file_matters(const char *path);

/* --- flow_prior.c: commits that are likelier than others --- */

/*
 * Raise the weight of commits that touch a file in which a function lives whose
 * share of the profile moved between base and head; those get "hot": "FILE has
 * FUNCTION" in @range's info. Where nothing was profiled nothing happens; what
 * can't be read is passed over. ERR_IO.
 */
int flow_prior_raise(const struct flow *f, const struct repo *repo,
		     struct flow_range *range, struct err *err);

/* --- flow_bisect.c, flow_bisect_step.c, flow_bisect_end.c --- */

/*
 * A bisection that is going on: @row is db_bisect_of(), @engine its engine.
 * @boxes: [{"id", "name", "simulated", "uses_kernel"}] by the engine's numbers.
 */
struct flow_bisect {
	const struct flow *f;
	long long id;
	json_t *row;
	const json_t *start;
	const json_t *boxes;
	struct bisect *engine;
};
int flow_bisect_open(const struct flow *f, struct flow_bisect *out,
		     struct err *err);
void flow_bisect_close(struct flow_bisect *b);

/*
 * Begin: range, boxes, noise and first results out of the comparison's boots;
 * flow_bisect_look() asks for more. @metric: NULL for the headline; @claim: its
 * relative change as detected, 0 to take it from the boots. Errors other than
 * the database's say why it can't be bisected; nothing was written then.
 */
int flow_bisect_start(const struct flow *f, const char *metric, double claim,
		      struct err *err);
/*
 * When no boot of the bisection is open: feed what the last step brought, ask
 * for the next, or end. What stands in the way, the database apart, ends the
 * bisection as failed and is no error.
 */
int flow_bisect_look(const struct flow *f, struct err *err);
/* Ask the engine: the next step's rows, or the end. */
int flow_bisect_next(const struct flow_bisect *b, struct err *err);
/*
 * The engine has a verdict; or, with @limit, a sentence, it was not let go on:
 * inconclusive then. Does not end yet while an accused commit's revert is to be
 * measured.
 */
int flow_bisect_end(const struct flow_bisect *b, const char *limit,
		    struct err *err);
/* It is over without one: @state stopped or failed. */
int flow_bisect_give_up(const struct flow_bisect *b, const char *state,
			const char *why, struct err *err);
/*
 * The box that a boot goes to, of @ready (db_flow_boxes): the one asked for, by
 * its number, while it is ready, else the next one that is. NULL: none.
 */
const json_t *flow_bisect_ready_box(const struct flow_bisect *b,
				    const json_t *ready, int asked);
/*
 * Store a step as bisect_step.ask_json has it, queue its boots, and store what
 * the engine knows now; the bisection goes on.
 */
int flow_bisect_add_step(const struct flow_bisect *b, const struct repo *repo,
			 const json_t *ask, struct err *err);
/* What a boot that ended says about its commit. */
enum bisect_status flow_boot_status(const struct flow_boot *boot);
/* Row id of the commit whose kernel is measured for @sha of the engine. */
int flow_bisect_commit(const struct flow_bisect *b, const struct repo *repo,
		       const char *sha, long long *out, struct err *err);
/* What the engine believes now, for bisect_step and the pages. */
json_t *flow_bisect_posterior(const struct flow_bisect *b);
/*
 * Subject of a commit of the range, "" when unknown; borrowed. The start has
 * those of a short range, the others are read from the repository and kept in
 * the bisection's @row.
 */
const char *flow_bisect_subject(const struct flow_bisect *b, const char *sha);
const char *flow_subject(const struct flow *f, json_t *row, const char *sha);
/* Row id of a commit of the repository, inserted when missing. */
int flow_commit_id(const struct flow *f, const struct repo *repo,
		   const char *sha, long long *out, struct err *err);

/* --- flow_bisect_feed.c: the first results --- */

/*
 * Give a new engine what was measured of @metric: @boots of the comparison, or
 * all of an earlier bisection that came to no verdict.
 */
int flow_bisect_feed(const struct flow *f, const char *metric,
		     const struct flow_boots *boots, struct bisect *engine,
		     struct err *err);

/* --- flow_bisect_same.c: kernels of the same bits --- */

/* plan.failure of a boot that wasn't needed: cancelled, the kernel was known */
#define FLOW_SAME_KERNEL "same"
/*
 * Merge the commits whose kernels have one build-id, as far as the history lets
 * us. The engine's positions may change.
 */
int flow_bisect_merge_same(const struct flow_bisect *b, struct err *err);
/* ERR_USAGE when base and head are one kernel: there is nothing to find. */
int flow_bisect_check_ends(const struct flow *f, struct err *err);

/* --- flow_bisect_status.c: a bisection as op bisect tells it --- */

/* New reference, or NULL. */
json_t *flow_bisect_describe(const struct flow_bisect *b, struct err *err);

/* --- flow_report.c, flow_folder.c --- */

/*
 * All comparisons of a job have ended: folder and outbox row, where there is
 * something to say. Does nothing while one is open.
 */
int flow_report_job(struct daemon *d, long long job_id, struct err *err);

#endif
