/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Run another program from an argument vector: never through a shell. The
 * child gets reset signals, closed descriptors, its own process group and only
 * the environment it is given.
 */
#ifndef BASE_SPAWN_H
#define BASE_SPAWN_H

#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/str.h"

/*
 * What to start. Zero-initialise, then fill in; everything is borrowed for the
 * call. @argv[0] is looked up in PATH of the *caller*; @argv ends with NULL.
 * @env: NULL means PATH, HOME, LANG=C.UTF-8 and TZ=UTC only; else the whole
 * environment, ending with NULL. @dir: NULL keeps the working folder.
 * @in_fd/@out_fd/@err_fd: 0 means /dev/null (so pass real descriptors > 0).
 */
struct spawn {
	const char *const *argv;
	const char *const *env;
	const char *dir;
	int in_fd;
	int out_fd;
	int err_fd;
	/* spawn_capture: bytes for standard input, NULL none; in_fd is unused
	 */
	const void *input;
	size_t input_len;
	/* nice(2) increment for background work; 0 none */
	int nice;
	/* signal the child gets when the starting process dies; 0 none */
	int death_signal;
};

/* Start it. Returns the pid (> 0, its own process group), or ERR_IO. */
pid_t spawn_start(const struct spawn *what, struct err *err);

/*
 * Start it, collect its output and wait. Both streams are drained at once.
 * @out/@errout: appended to, NULL discards; the str's max_bytes is the limit.
 * @timeout_ms: > 0; past it the whole process group is killed.
 * Returns the exit status 0..255 (128+n after signal n), ERR_IO, ERR_TIMEOUT.
 */
int spawn_capture(const struct spawn *what, struct str *out, struct str *errout,
		  long timeout_ms, struct err *err);

/*
 * Run @argv (NULL-terminated) and append its standard output to @out; a
 * non-zero exit is ERR_IO with the first line of standard error.
 */
int spawn_output(const char *const *argv, const char *dir, long timeout_ms,
		 struct str *out, struct err *err);

/* Exit status of a wait(2) status: 0..255, 128+n for signal n. */
int spawn_status(int wait_status);

#endif
