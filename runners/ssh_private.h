/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A session and how to wait for it. The only file that includes libssh2. */
#ifndef RUNNERS_SSH_PRIVATE_H
#define RUNNERS_SSH_PRIVATE_H

#include <libssh2.h>

#include "runners/ssh.h"

/* @in: received and not yet handed out; @errors: of the dialogue. */
struct ssh {
	int fd;
	LIBSSH2_SESSION *session;
	LIBSSH2_CHANNEL *channel;
	struct str in;
	struct str errors;
};

/* Wait for what the last EAGAIN wants: 0, ERR_TIMEOUT, ERR_IO. */
int ssh_wait_ready(struct ssh *s, long long deadline_ns, struct err *err);

/* ERR_INFRA with what the library says of its last error. */
int ssh_lost(struct ssh *s, const char *doing, struct err *err);

/* Repeat @call until it is no longer EAGAIN; jumps out on a deadline. */
#define SSH_AGAIN(s, rc, call, deadline_ns, err)                      \
	do {                                                          \
		int wait_rc_;                                         \
		(rc) = (call);                                        \
		if ((rc) != LIBSSH2_ERROR_EAGAIN)                     \
			break;                                        \
		wait_rc_ = ssh_wait_ready((s), (deadline_ns), (err)); \
		if (wait_rc_)                                         \
			return wait_rc_;                              \
	} while (1)

#endif
