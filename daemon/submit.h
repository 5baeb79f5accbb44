/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A submission checked and resolved: everything that can be refused is refused
 * here, before a transaction is open.
 */
#ifndef DAEMON_SUBMIT_H
#define DAEMON_SUBMIT_H

#include "daemon/daemon.h"
#include "db/db_box.h"
#include "db/db_repo.h"

/*
 * @base, @head: rows to insert (id 0). @merge_base: "" or 40 digits, owned.
 * @note: owned, "" for none. @atomic: jobs as jobs/job.h writes them, owned;
 * @warnings: sentences on the kernel configuration, owned;
 * @boxes: ready ones of one group. Texts are borrowed from the request.
 */
struct submit {
	struct db_repo repo;
	struct db_commit base;
	struct db_commit head;
	struct db_ids boxes;
	char *merge_base;
	char *note;
	json_t *atomic;
	json_t *options;
	json_t *warnings;
	const char *name;
	const char *yaml;
	const char *client_key;
	long long prio;
	long long calibrate; /* boots of one kernel; 0: a comparison */
	bool dry_run;
};

/*
 * Read a request of op submit. @out is initialised here (submit_release), also
 * on error. ERR_DATA, ERR_RANGE, ERR_USAGE, ERR_LIMIT (the request);
 * ERR_NOTFOUND (repository, commit, box); ERR_CONFIG (a job that can't run).
 */
int submit_read(struct daemon *d, const json_t *request, struct submit *out,
		struct err *err);
void submit_release(struct submit *s);

#endif
