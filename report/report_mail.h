/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The report mail: everything that is said comes in as data, the text goes out.
 * The order of the parts is the one that readers of robot reports know; what is
 * new is the part that says how sure the lab is.
 */
#ifndef REPORT_REPORT_MAIL_H
#define REPORT_REPORT_MAIL_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/compare.h"
#include "base/str.h"

/* What the mail can claim. */
enum report_kind {
	REPORT_CULPRIT,	       /* bisected, and verified against the parent */
	REPORT_COMPARISON,     /* two commits compared, nothing bisected */
	REPORT_PATCH,	       /* a mailed patch against its base */
	REPORT_RANGE_ONLY,     /* finding the commit would cost too much */
	REPORT_NOT_REPRODUCED, /* measured again, it was not there */
	REPORT_LAYOUT,	       /* gone under a second code layout */
	REPORT_INCONCLUSIVE,   /* a set of commits is left */
};

enum report_layout {
	REPORT_LAYOUT_UNCHECKED,
	REPORT_LAYOUT_HOLDS, /* the effect is there under a second layout */
	REPORT_LAYOUT_GONE,
};

/* @sha: 40 digits. @posterior: 0..1; 0 or NaN when there is none. */
struct report_commit {
	const char *sha;
	const char *subject;
	double posterior;
};

/* "linus/master" and the sha that was tested there. */
struct report_still {
	const char *tree;
	const char *sha;
};

struct report_param {
	const char *key;
	const char *value;
};

/* Another test on which the commit matters. */
struct report_other {
	const char *change; /* "stress-ng: stress-ng.tee.ops_per_sec 3.1% …" */
	const char *machine;		  /* as report_add_machine() words it */
	const struct report_param *param; /* sorted by key */
	size_t nr_params;
};

/* A further test's table. */
struct report_table {
	const char *tbox;
	const char *machine;
	const char *text;
};

/* How sure we are. NaN and 0 mean "not known", and are left out. */
struct report_confidence {
	double posterior;  /* of the culprit, 0..1 */
	size_t candidates; /* commits in the range that was searched */
	double e_value;	   /* e-process against "no change" */
	double e_needed;   /* what an accusation needs: 100 */
	double effect_pct; /* of the headline, relative, also of @absolute */
	double ci_lo_pct, ci_hi_pct; /* its 95 % interval */
	double detectable_pct;	     /* smallest change seen in 4 of 5 tries */
	/* [0] base, [1] head; of a search, commits before the culprit, and the
	 * culprit and later ones */
	size_t boots[2];
	size_t runs[2];
	/* of the two commits in @tables, where that is less than the above */
	size_t table_boots[2];
	size_t table_runs[2];
	/* the good and the bad end of what was searched; NULL: no search */
	const char *range[2];
	size_t builds; /* of the whole search */
	enum report_layout layout;
	const char *revert; /* on head, in one line; NULL: not tried */
	/* the box's A/A boots of this benchmark: how many, in how many ways
	 * they were split into two sides, how many of those looked like a
	 * change; 0 trials: not calibrated, or not any more */
	size_t aa_boots;
	size_t aa_alarms;
	size_t aa_trials;
	double aa_days;	  /* since then */
	double aa_sd_pct; /* deviation of one run in a fresh boot */
	bool aa_stale;	  /* the caveats say why */
	/* for REPORT_RANGE_ONLY: runs it would take, and the budget */
	double runs_needed;
	double runs_budget;
};

/*
 * All strings are borrowed; NULL leaves out the line. @commit.sha and @metric
 * must be there, and @base.sha unless one commit is named (REPORT_CULPRIT,
 * REPORT_LAYOUT). Text from outside may hold anything: control characters are
 * replaced.
 */
struct report_mail {
	enum report_kind kind;
	struct report_commit commit; /* culprit, head, or patch on its base */
	struct report_commit base; /* parent, base, or good end of the range */
	const char *tree;	   /* short name for the subject: "mainline" */
	const char *tree_url;
	const char *branch;
	const char *subsys; /* NULL: from the commit's subject */

	/* a mailed patch (REPORT_PATCH) */
	const char *patch_url;
	const char *patch_base;
	const char *patch_link;
	const char *patch_subject;
	const char *tested_by; /* "drover <drover@example.org>" if it helps */

	/* the headline */
	const char *metric;  /* "stress-ng.pipeherd.ops_per_sec" */
	const char *meaning; /* one line: what it measures */
	double change;	     /* percent, or a difference if @absolute */
	int direction;	     /* kpi_direction() */
	bool absolute;
	bool unchanged; /* a comparison that found nothing */

	const struct report_still *still;
	size_t nr_still;
	const struct report_commit *fixed_by;

	const char *testcase;
	const char *config;
	const char *compiler;
	const char *machine;
	const struct report_param *param;
	size_t nr_params;
	const char *command; /* the benchmark's, as a shell takes it */
	const struct report_other *other;
	size_t nr_others;

	const char *reported_by; /* "drover <drover@example.org>" */
	const char *closes;	 /* URL of this report */
	const char *regzbot;	 /* "v6.1..v6.2": a line for regzbot */

	const char *materials; /* URL or path of the artifact folder */
	const char *tables;    /* text of the headline test's table */
	const struct report_table *further;
	size_t nr_further;

	struct report_confidence confidence;
	const char *const *bisect_log; /* one line per step; shown in ten */
	size_t nr_bisect_log;
	const struct report_commit *left; /* candidates left, likeliest first */
	size_t nr_left;
	const char *const *differed; /* what should not have, a sentence each */
	size_t nr_differed;
	bool invariants_checked;    /* so that "nothing differed" may be said */
	const char *const *caveats; /* sentences, e.g. simulated time */
	size_t nr_caveats;

	const char *contact; /* who runs the lab: "lab@example.org" */
	const char *lab;     /* first line of the signature */
	const char *lab_url;
	bool ascii; /* "+-" for the plus-minus sign */
};

/*
 * Make @metric of a comparison, commit @side against the base, the headline:
 * fills metric, meaning, change, direction, absolute, unchanged. Borrowed.
 */
void report_set_headline(struct report_mail *mail,
			 const struct compare_metric *metric, size_t side);

/* The body, UTF-8, lines ended by newline. */
void report_mail(const struct report_mail *in, struct str *out);

/* The Subject: one line without the header's name. */
void report_subject(const struct report_mail *in, struct str *out);

/*
 * The verdict in one sentence, for command line, pages and the daemon's log.
 * No newline.
 */
void report_verdict(const struct report_mail *in, struct str *out);

/*
 * "<YYYYMMDDHHMM.<sha7>-drover@host>" without the outer brackets: the name of
 * the artifact folder, and the Message-ID's inside. @wall_s: UTC. Characters
 * that don't belong into a host name are dropped.
 */
void report_add_id(struct str *out, long long wall_s, const char *sha,
		   const char *host);

/* "224 threads 2 sockets <model> (<codename>) with 512G memory"; unknown parts
 * (0, NULL) are left out. NUMA nodes are told where sockets aren't known. */
struct report_machine {
	unsigned threads;
	unsigned sockets;
	unsigned nodes;
	const char *model;
	const char *codename;
	unsigned long long memory_bytes;
};
void report_add_machine(struct str *out, const struct report_machine *m);

/* Parts that report_mail() is made of, each in its file. */

/* "How sure we are" to "what differed": item 10. */
void report_add_confidence(const struct report_mail *in, struct str *out);

/* "9.7% regression", "no change". */
void report_add_change(const struct report_mail *in, struct str *out);

#endif
