/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processes that the daemon started itself, and what to do when one ends. */
#ifndef DAEMON_CHILD_H
#define DAEMON_CHILD_H

#include "base/spawn.h"
#include "daemon/daemon.h"

/* @status as spawn_status() gives it; @id what child_start was given. */
typedef void child_fn(struct daemon *d, int status, long long id);

/* Start and remember it: the pid, or ERR_IO. @ended is called in the loop. */
pid_t child_start(struct daemon *d, const struct spawn *what, child_fn *ended,
		  long long id, struct err *err);

/* Collect those that have ended (after SIGCHLD) and call their functions. */
void child_reap(struct daemon *d);

/* Forget all; they go on by themselves. */
void child_forget(struct daemon *d);

#endif
