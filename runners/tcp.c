// SPDX-License-Identifier: GPL-3.0-or-later
// TCP with deadlines. A dead network shows only through TCP_USER_TIMEOUT:
// libssh2's keepalive goes on saying "ok" after the packets are dropped.
#include "runners/tcp.h"

#include <errno.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"

#define KEEPALIVE_IDLE_S  5
#define KEEPALIVE_EVERY_S 3

int tcp_wait(int fd, short events, long long deadline_ns, struct err *err)
{
	struct pollfd pfd = { .fd = fd, .events = events };
	long long left_ms;
	int n;

	do {
		left_ms = (deadline_ns - clock_mono_ns()) / 1000000 + 1;
		if (left_ms <= 0)
			return 0;
		n = poll(&pfd, 1, left_ms > INT_MAX ? INT_MAX : (int)left_ms);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return err_errno(err, ERR_IO, "poll");
	return n > 0;
}

static void set_option(int fd, int level, int name, int value)
{
	/* a socket without one of these still works, only less well */
	if (setsockopt(fd, level, name, &value, sizeof(value)))
		errno = 0;
}

static void tune(int fd)
{
	set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
	set_option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, TCP_DEAD_MS);
	set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
	set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, KEEPALIVE_IDLE_S);
	set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, KEEPALIVE_EVERY_S);
}

/* The outcome of a non-blocking connect: 0 or an errno. */
static int connect_result(int fd, long long deadline_ns)
{
	int failed = 0;
	socklen_t len = sizeof(failed);
	int n = tcp_wait(fd, POLLOUT, deadline_ns, NULL);

	if (n == 0)
		return ETIMEDOUT;
	if (n < 0 || getsockopt(fd, SOL_SOCKET, SO_ERROR, &failed, &len))
		return EIO;
	return failed;
}

static int connect_one(const struct addrinfo *ai, long long deadline_ns,
		       struct err *err)
{
	int fd = socket(ai->ai_family,
			ai->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int failed = 0;

	if (fd < 0)
		return err_errno(err, ERR_IO, "socket");
	tune(fd);
	if (connect(fd, ai->ai_addr, ai->ai_addrlen))
		failed = errno == EINPROGRESS ? connect_result(fd, deadline_ns)
					      : errno;
	if (!failed)
		return fd;
	close(fd);
	errno = failed;
	return err_errno(err, ERR_TIMEOUT, "connect");
}

int tcp_connect(const char *host, int port, long long deadline_ns,
		struct err *err)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	struct addrinfo *list;
	struct addrinfo *ai;
	char service[16];
	int fd = ERR_TIMEOUT;
	int rc;

	snprintf(service, sizeof(service), "%d", port);
	rc = getaddrinfo(host, service, &hints, &list);
	if (rc)
		return err_set(err, rc == EAI_AGAIN ? ERR_TIMEOUT : ERR_CONFIG,
			       "can't resolve '%s': %s", host,
			       gai_strerror(rc));
	for (ai = list; ai && fd < 0; ai = ai->ai_next)
		fd = connect_one(ai, deadline_ns, err);
	freeaddrinfo(list);
	return fd;
}
