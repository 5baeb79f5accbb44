/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Everything that a report says about one comparison, gathered from the
 * database: the words are report/'s.
 */
#ifndef DAEMON_FLOW_PAPER_H
#define DAEMON_FLOW_PAPER_H

#include "daemon/flow_private.h"
#include "report/axes.h"
#include "report/report_mail.h"

#define FLOW_PAPER_LOG	   64
#define FLOW_PAPER_CAVEATS 8

/*
 * @f: the comparison, borrowed strings come from it. @bisect: its newest
 * bisection or NULL. Sides: the culprit's parent and the culprit where one was
 * found and both were measured, else base and head. All owned; @mail points
 * into the rest.
 */
struct flow_paper {
	struct flow f;
	json_t *bisect;
	bool culprit;
	char sha[2][REPO_SHA_BYTES];
	char *subject[2];
	long long commit_id[2];
	struct flow_side side[2];
	struct comparison cmp;
	struct axes axes;
	struct str table;
	struct str machine;
	struct str config;
	struct str command;
	char *caveat[FLOW_PAPER_CAVEATS];
	const char *log[FLOW_PAPER_LOG];
	json_t *differ;
	const char **differed;
	struct report_param *params;
	struct report_commit *left;
	struct report_mail mail;
};

/* Gather everything; close it also after an error. */
int flow_paper_open(struct daemon *d, long long comparison_id,
		    struct flow_paper *out, struct err *err);
void flow_paper_close(struct flow_paper *p);
/* Fill @p->mail and what it points into from the rest. */
int flow_paper_words(struct flow_paper *p, struct err *err);

/* "regression", "improvement", … of the comparison; "" while it is open. */
const char *flow_paper_verdict(const struct flow_paper *p);
bool flow_paper_changed(const struct flow_paper *p);

/*
 * Write the artifact folder of report @id: report.txt (@text), the matrices of
 * both sides, axes.json, job.yaml, config, reproduce, bisect.log. Files that
 * have their content already stay. *@out_path: the folder, owned by the caller.
 */
int flow_folder_write(const struct flow_paper *p, const char *id,
		      const char *text, char **out_path, struct err *err);
/* "<artifact_dir>/reports/<id>"; owned by the caller. */
char *flow_folder_path(const struct daemon *d, const char *id);
/* The benchmark's command line; nothing where there is none. */
void flow_folder_add_command(const struct flow_paper *p, struct str *out);
/* The script that makes both kernels and runs the job again. */
void flow_folder_script(const struct flow_paper *p, const char *id,
			struct str *out);

/* --- flow_report.c --- */

/* @score: 0 nothing changed; more is graver. */
struct flow_ranked {
	long long id;
	double score;
};
/* All comparisons of a job, the gravest first; owned by the caller (free). */
int flow_rank(struct daemon *d, long long job_id, struct flow_ranked **out,
	      size_t *out_nr, struct err *err);

/*
 * A report: its main comparison, and what the job's other changed ones add.
 * Zero-initialise; close it also after an error.
 */
struct flow_letter {
	struct flow_paper main;
	struct flow_paper *others;
	size_t nr_others;
	struct report_other *rows;
	struct report_table *tables;
	struct str *changes;
};
int flow_letter_open(struct daemon *d, const struct flow_ranked *v, size_t nr,
		     struct flow_letter *l, struct err *err);
void flow_letter_close(struct flow_letter *l);
/* Say where report @id lies; *@owned holds the text (free). */
void flow_letter_set_materials(struct flow_letter *l, const char *id,
			       char **owned);

/* --- flow_mail.c --- */

/*
 * An identifier that no other report has: when the job's last run began, the
 * commit, the host of mail.from.
 */
int flow_mail_make_id(struct daemon *d, const struct flow_paper *p,
		      struct str *out, struct err *err);
/*
 * Queue @text for the recipients of the configuration and of the job, or say in
 * the job's log why nobody gets it and that it lies in @path.
 */
int flow_mail_queue(const struct flow_paper *p, const char *id,
		    const char *text, const char *path, struct err *err);

#endif
