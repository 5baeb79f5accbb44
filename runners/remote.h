/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A box as seen over SSH: connect with patience, run a command from words, put
 * a file there. Errors name the box.
 */
#ifndef RUNNERS_REMOTE_H
#define RUNNERS_REMOTE_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"
#include "configs/lab.h"
#include "runners/ssh.h"

#define REMOTE_MAX_WORDS 64

/*
 * @box borrowed; @ssh NULL while not connected; @errs what the last command
 * wrote to standard error (at most 64 KiB).
 */
struct remote {
	const struct lab_box *box;
	struct ssh_target target;
	struct ssh *ssh;
	struct str errs;
};

/* Not connected yet; at the address of @box. */
void remote_init(struct remote *r, const struct lab_box *box);
void remote_release(struct remote *r);
/* Drop the connection; the next remote_connect makes a new one. */
void remote_close(struct remote *r);

/*
 * Connect, again and again for @timeout_s while nobody answers. @gone (may be
 * NULL) is asked between attempts: true ends the wait.
 * ERR_TIMEOUT: nobody answered; ERR_INFRA: key or login refused; ERR_CONFIG.
 */
int remote_connect(struct remote *r, double timeout_s, bool (*gone)(void *arg),
		   void *arg, struct err *err);

/*
 * Run the NULL-terminated words (quoted here) with @input (NULL: none) on
 * standard input. @out: appended to, NULL discards.
 * Returns the exit status, or an error of ssh_exec naming the box.
 */
int remote_exec(struct remote *r, const char *const *words, const char *input,
		struct str *out, double timeout_s, struct err *err);

/* As remote_exec, but any other status than 0 is ERR_INFRA with its words. */
int remote_do(struct remote *r, const char *const *words, const char *input,
	      struct str *out, double timeout_s, struct err *err);

/* Write @len bytes to @path on the box. ERR_INFRA, e.g. when its disk is full.
 */
int remote_put(struct remote *r, const char *path, const void *data, size_t len,
	       double timeout_s, struct err *err);

/* The current boot_id into @out. */
int remote_boot_id(struct remote *r, char out[40], struct err *err);

#endif
