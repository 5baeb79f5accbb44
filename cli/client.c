// SPDX-License-Identifier: GPL-3.0-or-later
// Asking droverd over its Unix socket.
#include "cli/client.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "cli/args.h"
#include "configs/options.h"

/* A report with its tables is the largest reply. */
#define REPLY_MAX_BYTES	 ((size_t)64 << 20)
#define REPLY_TIMEOUT_MS 60000L

static int socket_path(char **out, struct err *err)
{
	struct config cfg;
	int rc;

	if (args_common.socket) {
		*out = xstrdup(args_common.socket);
		return 0;
	}
	rc = config_load(&cfg, NULL, 0, err);
	if (rc)
		return rc;
	*out = xstrdup(cfg.socket);
	config_release(&cfg);
	return 0;
}

static int connect_to(const char *path, struct err *err)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd;

	if (strlen(path) >= sizeof(addr.sun_path))
		return err_set(err, ERR_CONFIG,
			       "%s: longer than a socket "
			       "path can be (%zu bytes)",
			       path, sizeof(addr.sun_path) - 1);
	memcpy(addr.sun_path, path, strlen(path) + 1);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return err_errno(err, ERR_IO, "socket");
	if (!connect(fd, (struct sockaddr *)&addr, sizeof(addr)))
		return fd;
	if (errno == EACCES)
		err_set(err, ERR_DENIED,
			"%s: you may not talk to droverd; "
			"its users are in the socket's group",
			path);
	else
		err_set(err, ERR_INFRA,
			"no droverd listens at %s: start it "
			"(droverd), or name its socket with --socket",
			path);
	close(fd);
	return err->code;
}

int client_open(struct client *c, struct err *err)
{
	char *path = NULL;
	int rc;

	c->fd = -1;
	str_init(&c->buf);
	c->buf.max_bytes = REPLY_MAX_BYTES;
	rc = socket_path(&path, err);
	if (rc)
		return rc;
	rc = connect_to(path, err);
	free(path);
	if (rc < 0)
		return rc;
	c->fd = rc;
	return 0;
}

void client_close(struct client *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
	str_release(&c->buf);
}

int client_send(struct client *c, json_t *request, struct err *err)
{
	struct str line = STR_INIT;
	const char *p;
	int rc = 0;

	json_add_text(&line, request);
	json_decref(request);
	str_addch(&line, '\n');
	for (p = line.p; p < line.p + line.len && !rc;) {
		ssize_t n = send(c->fd, p, (size_t)(line.p + line.len - p),
				 MSG_NOSIGNAL);

		if (n < 0 && errno != EINTR)
			rc = err_errno(err, ERR_INFRA, "droverd went away");
		if (n > 0)
			p += n;
	}
	str_release(&line);
	return rc;
}

/* Take one line out of the buffer and parse it; NULL with code 0: none yet. */
static json_t *take_line(struct client *c, struct err *err)
{
	char *end = c->buf.len ? memchr(c->buf.p, '\n', c->buf.len) : NULL;
	json_t *frame;
	size_t len;

	if (!end)
		return NULL;
	len = (size_t)(end - c->buf.p);
	frame = json_parse(c->buf.p, len, "droverd's reply", err);
	memmove(c->buf.p, end + 1, c->buf.len - len);
	c->buf.len -= len + 1;
	return frame;
}

json_t *client_next(struct client *c, long timeout_ms, struct err *err)
{
	long long deadline_ns = clock_mono_ns() + timeout_ms * 1000000LL;
	char buf[65536];

	err->code = 0;
	for (;;) {
		struct pollfd p = { c->fd, POLLIN, 0 };
		json_t *frame = take_line(c, err);
		long long left_ms = (deadline_ns - clock_mono_ns()) / 1000000;
		ssize_t n;

		if (frame || err->code)
			return frame;
		if (c->buf.cut) {
			err_set(err, ERR_LIMIT, "droverd's reply is too long");
			return NULL;
		}
		if (timeout_ms >= 0 && left_ms <= 0) {
			err_set(err, ERR_TIMEOUT, "no answer from droverd");
			return NULL;
		}
		if (poll(&p, 1, timeout_ms < 0 ? -1 : (int)left_ms) <= 0)
			continue;
		n = read(c->fd, buf, sizeof(buf));
		if (n > 0) {
			str_addn(&c->buf, buf, (size_t)n);
		} else if (n == 0 || errno != EINTR) {
			err_set(err, ERR_INFRA, "droverd went away");
			return NULL;
		}
	}
}

int client_reply_check(const json_t *reply, struct err *err)
{
	int code;

	if (json_opt_bool(reply, "ok", false))
		return 0;
	code = err_code_from_str(json_opt_str(reply, "code", "infra"));
	return err_set(err, code ? code : ERR_INFRA, "%s",
		       json_opt_str(reply, "error", "droverd refused"));
}

json_t *client_ask(json_t *request, struct err *err)
{
	json_t *reply = NULL;
	struct client c;

	if (client_open(&c, err)) {
		json_decref(request);
		return NULL;
	}
	if (!client_send(&c, request, err))
		reply = client_next(&c, REPLY_TIMEOUT_MS, err);
	client_close(&c);
	if (reply && client_reply_check(reply, err)) {
		json_decref(reply);
		return NULL;
	}
	return reply;
}

int client_fail(const char *command, const struct err *err)
{
	fprintf(stderr, "drover %s: %s\n", command, err->text);
	return err_exit_code(err->code);
}
