/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The controller's side of box/supervisor.sh: take the box with a token, run a
 * command under a lease, survive a short loss of the connection, fetch what
 * the run left behind.
 */
#ifndef RUNNERS_SUPERVISE_H
#define RUNNERS_SUPERVISE_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"
#include "runners/remote.h"
#include "runners/run.h"

/*
 * How a run ended. @why: "exit", "timeout", "lease", "stopped", "fenced",
 * "full" (no space for the output) or "lost" (no word of its guard);
 * @start_s, @end_s uptimes of the box.
 */
struct supervise_end {
	char why[16];
	int status;
	double start_s;
	double end_s;
};

/*
 * Upload the scripts and take the box for the attempt of @spec: what an older
 * attempt left running is killed. ERR_INFRA (a newer attempt runs there, disk
 * full, lost), ERR_TIMEOUT.
 */
int supervise_claim(struct remote *r, const struct run_spec *spec,
		    struct err *err);

/*
 * The sampling list of the monitors for box/monitor.sh: lines
 * "INTERVAL NAMES PATH", files that several monitors read only once. Pure.
 */
void supervise_monitors(const char *const *monitors, struct str *out);

/*
 * Run @argv as number @seq and wait for its end, renewing the lease. The
 * connection may break and come back within the lease; @boot_id tells whether
 * it is still the same boot then. @gone, @arg: as for
 * remote_connect.
 * Returns 0 with *@out, however the run ended; ERR_INFRA when the box was lost
 * (or runs another boot now), ERR_TIMEOUT when it never said how it ended.
 */
struct supervise_run {
	struct run *run;
	struct remote *remote;
	int seq;
	const char *boot_id;
	const char *const *argv;
	bool (*gone)(void *arg);
	void *arg;
};
int supervise_run(const struct supervise_run *what, struct supervise_end *out,
		  struct err *err);

/* Fetch the files of run @seq, as spool_parse wants them. Appends to @out. */
int supervise_collect(struct remote *r, const struct run_spec *spec, int seq,
		      struct str *out, struct err *err);

/* End everything of this token and remove its files; failures don't matter. */
void supervise_release(struct remote *r, const struct run_spec *spec);

/* "done STATUS WHY START END" or "lost" into *@out; false on anything else. */
bool supervise_parse_end(const char *line, struct supervise_end *out);

#endif
