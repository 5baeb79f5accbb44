/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the supervisor sends back after a run: framed files, the ticks of all
 * monitors in one of them, the kernel log before and after. Pure: bytes in,
 * the files that jobs/collect.h wants out.
 */
#ifndef RUNNERS_SPOOL_H
#define RUNNERS_SPOOL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

#define SPOOL_FILE_MAX_BYTES ((size_t)4 << 20)
#define SPOOL_MON_MAX_BYTES  ((size_t)16 << 20)
#define SPOOL_MAX_BYTES	     ((size_t)40 << 20)
#define SPOOL_MAX_FILES	     64

/* @name as in jobs/collect.h; @cut: the box had more of it. */
struct spool_file {
	char name[64];
	struct str data;
	bool cut;
};

struct spool {
	struct spool_file v[SPOOL_MAX_FILES];
	size_t nr;
};

/*
 * Parse the output of `supervisor.sh collect`. @monitors: NULL-terminated names
 * that are wanted (at most 48); the ticks of others are dropped. Files of a
 * run: stdout, stderr, workload.yaml, time, nodes, dmesg (only the lines since
 * the run began), mon-<name>.
 * @out is initialised here (spool_release), also on error. ERR_DATA when the
 * frames make no sense or the end is missing.
 */
int spool_parse(const char *text, size_t len, const char *const *monitors,
		struct spool *out, struct err *err);
void spool_release(struct spool *spool);

/* The file called @name, borrowed, or NULL. */
const struct spool_file *spool_find(const struct spool *spool,
				    const char *name);

/*
 * Split sampling output ("@ UPTIME", "= NAMES", content) into one buffer per
 * monitor; appended to @spool as "mon-<name>".
 */
void spool_split(const char *text, size_t len, const char *const *monitors,
		 struct spool *spool);

/*
 * The part of the kernel log @text behind the last line equal to @mark (as
 * `dmesg | tail -n 1` gave it before the run); all of it when there is none.
 * Borrowed from @text.
 */
const char *spool_new_dmesg(const char *text, const char *mark);

/* Append the last line of @text that isn't blank, at most 200 bytes. */
void spool_last_line(const struct str *text, struct str *out);

#endif
