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
/* The script that makes both kernels and runs the job again. */
void flow_folder_script(const struct flow_paper *p, const char *id,
			struct str *out);

#endif
