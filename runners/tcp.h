/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A TCP connection that notices a dead network: for the SSH client. */
#ifndef RUNNERS_TCP_H
#define RUNNERS_TCP_H

#include "base/err.h"

/* Unacknowledged data or silence for so long ends a connection. */
#define TCP_DEAD_MS 15000

/*
 * Connect to @host (name or address) by @deadline_ns (clock_mono_ns). Returns
 * a non-blocking descriptor with TCP_NODELAY, keepalive and TCP_USER_TIMEOUT
 * set. ERR_TIMEOUT (refused, unreachable, no answer), ERR_CONFIG (no such
 * host), ERR_IO.
 */
int tcp_connect(const char *host, int port, long long deadline_ns,
		struct err *err);

/*
 * Wait until @fd is ready for @events (poll.h). 1 ready, 0 at the deadline,
 * ERR_IO.
 */
int tcp_wait(int fd, short events, long long deadline_ns, struct err *err);

#endif
