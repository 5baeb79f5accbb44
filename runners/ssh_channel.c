// SPDX-License-Identifier: GPL-3.0-or-later
// One command at a time over an open session, whole or as a dialogue.
//
// Two rules come from the library: after LIBSSH2_ERROR_EAGAIN that left bytes
// to send, the same call must be repeated before any other; and both streams
// of a channel must be drained, or a flood on one of them stops the other.
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "runners/ssh_private.h"
#include "runners/tcp.h"

#define LINE_MAX_BYTES ((size_t)64 << 10)
#define CHUNK_BYTES    32768

/* Whether the last call must be repeated before any other. */
static bool must_repeat(struct ssh *s, long rc)
{
	return rc == LIBSSH2_ERROR_EAGAIN &&
	       (libssh2_session_block_directions(s->session) &
		LIBSSH2_SESSION_BLOCK_OUTBOUND);
}

/* For loops that a box could keep busy without ever letting them wait. */
static int check_time(long long deadline_ns, struct err *err)
{
	if (clock_mono_ns() < deadline_ns)
		return 0;
	return err_set(err, ERR_TIMEOUT, "no end of its output in time");
}

static int open_channel(struct ssh *s, long long deadline_ns, struct err *err)
{
	int rc = 0;

	while (!s->channel) {
		int ret;

		s->channel = libssh2_channel_open_session(s->session);
		if (s->channel)
			break;
		rc = libssh2_session_last_errno(s->session);
		if (rc != LIBSSH2_ERROR_EAGAIN)
			return ssh_lost(s, "opening a channel", err);
		ret = ssh_wait_ready(s, deadline_ns, err);
		if (ret)
			return ret;
	}
	return 0;
}

int ssh_start(struct ssh *s, const char *command, long long deadline_ns,
	      struct err *err)
{
	int ret;
	int rc;

	if (s->channel)
		return err_set(err, ERR_INFRA, "its last command never ended");
	str_reset(&s->in);
	str_reset(&s->errors);
	ret = open_channel(s, deadline_ns, err);
	if (ret)
		return ret;
	SSH_AGAIN(s, rc, libssh2_channel_exec(s->channel, command), deadline_ns,
		  err);
	return rc ? ssh_lost(s, "starting a command", err) : 0;
}

/*
 * Read what is there from one stream: > 0 bytes, 0 nothing now (or the end),
 * negative an error.
 */
static ssize_t read_some(struct ssh *s, int stream, char *buf,
			 long long deadline_ns, struct err *err)
{
	ssize_t n;
	int ret;

	for (;;) {
		n = libssh2_channel_read_ex(s->channel, stream, buf,
					    CHUNK_BYTES);
		if (n >= 0)
			return n;
		if (n != LIBSSH2_ERROR_EAGAIN)
			return ssh_lost(s, "reading", err);
		if (!must_repeat(s, (long)n))
			return 0;
		ret = ssh_wait_ready(s, deadline_ns, err);
		if (ret)
			return ret;
	}
}

/*
 * Whether a stream has data that libssh2 took off the socket already, maybe
 * while it read the other one: the socket says nothing about these any more.
 */
static bool is_queued(struct ssh *s)
{
	return libssh2_poll_channel_read(s->channel, 0) > 0 ||
	       libssh2_poll_channel_read(s->channel, 1) > 0;
}

/*
 * Empty both streams into @out and @errout (NULL discards). 1: some came, or is
 * there to be taken by another call; 0: nothing before the socket has more.
 */
static int drain(struct ssh *s, struct str *out, struct str *errout,
		 long long deadline_ns, struct err *err)
{
	struct str *to[2] = { out, errout };
	char buf[CHUNK_BYTES];
	int some = 0;
	ssize_t n;
	int i;

	for (i = 0; i < 2; i++) {
		n = read_some(s, i ? SSH_EXTENDED_DATA_STDERR : 0, buf,
			      deadline_ns, err);
		if (n < 0)
			return (int)n;
		if (n && to[i])
			str_addn(to[i], buf, (size_t)n);
		some |= n > 0;
	}
	return some || is_queued(s);
}

/* Write a piece of the input: bytes taken, 0 when the window is full. */
static ssize_t write_some(struct ssh *s, const char *data, size_t len,
			  long long deadline_ns, struct err *err)
{
	ssize_t n;
	int ret;

	for (;;) {
		n = libssh2_channel_write(s->channel, data,
					  len < CHUNK_BYTES ? len
							    : CHUNK_BYTES);
		if (n >= 0)
			return n;
		if (n != LIBSSH2_ERROR_EAGAIN)
			return ssh_lost(s, "sending", err);
		if (!must_repeat(s, (long)n))
			return 0;
		ret = ssh_wait_ready(s, deadline_ns, err);
		if (ret)
			return ret;
	}
}

static int send_eof(struct ssh *s, long long deadline_ns, struct err *err)
{
	int rc;

	SSH_AGAIN(s, rc, libssh2_channel_send_eof(s->channel), deadline_ns,
		  err);
	return rc ? ssh_lost(s, "sending", err) : 0;
}

/* Send a piece of the input, and the end of input behind the last one. */
static int feed(struct ssh *s, struct ssh_io *io, bool *open,
		long long deadline_ns, struct err *err)
{
	ssize_t n = 0;
	int ret;

	if (io->len)
		n = write_some(s, io->input, io->len, deadline_ns, err);
	if (n < 0)
		return (int)n;
	io->input += n;
	io->len -= (size_t)n;
	if (io->len || !*open)
		return n > 0;
	ret = send_eof(s, deadline_ns, err);
	*open = false;
	return ret ? ret : 1;
}

static int check_size(const struct str *text, struct err *err)
{
	if (!text || !text->cut)
		return 0;
	return err_set(err, ERR_LIMIT, "the box sent more than %zu bytes",
		       text->max_bytes);
}

/* Input in, output out, until the command closes its output. */
static int pump(struct ssh *s, const struct ssh_io *what, long long deadline_ns,
		struct err *err)
{
	struct ssh_io io = *what;
	bool open = true;
	int fed;
	int got;
	int ret;

	for (;;) {
		fed = feed(s, &io, &open, deadline_ns, err);
		if (fed < 0)
			return fed;
		got = drain(s, io.out, io.errout, deadline_ns, err);
		if (got < 0)
			return got;
		ret = check_size(io.out, err);
		if (!ret)
			ret = check_size(io.errout, err);
		if (!ret && !fed && !got) {
			if (libssh2_channel_eof(s->channel))
				return 0;
			ret = ssh_wait_ready(s, deadline_ns, err);
		} else if (!ret) {
			ret = check_time(deadline_ns, err);
		}
		if (ret)
			return ret;
	}
}

/* Close the channel and fetch the exit status. */
static int end_channel(struct ssh *s, long long deadline_ns, struct err *err)
{
	char *sig = NULL;
	int status;
	int rc;

	SSH_AGAIN(s, rc, libssh2_channel_close(s->channel), deadline_ns, err);
	if (!rc)
		SSH_AGAIN(s, rc, libssh2_channel_wait_closed(s->channel),
			  deadline_ns, err);
	if (rc)
		return ssh_lost(s, "closing a channel", err);
	status = libssh2_channel_get_exit_status(s->channel);
	libssh2_channel_get_exit_signal(s->channel, &sig, NULL, NULL, NULL,
					NULL, NULL);
	if (sig)
		status = 128 + (strcmp(sig, "KILL") ? 15 : 9);
	libssh2_free(s->session, sig);
	SSH_AGAIN(s, rc, libssh2_channel_free(s->channel), deadline_ns, err);
	s->channel = NULL;
	return status & 0xff;
}

int ssh_exec(struct ssh *s, const char *command, const struct ssh_io *io,
	     long long deadline_ns, struct err *err)
{
	int ret = ssh_start(s, command, deadline_ns, err);

	if (!ret)
		ret = pump(s, io, deadline_ns, err);
	return ret ? ret : end_channel(s, deadline_ns, err);
}

/* --- dialogue ------------------------------------------------------------ */

int ssh_send(struct ssh *s, const char *text, long long deadline_ns,
	     struct err *err)
{
	size_t len = strlen(text);
	ssize_t n;
	int ret;

	while (len) {
		n = write_some(s, text, len, deadline_ns, err);
		if (n < 0)
			return (int)n;
		text += n;
		len -= (size_t)n;
		if (n)
			continue;
		ret = ssh_wait_ready(s, deadline_ns, err);
		if (ret)
			return ret;
	}
	return 0;
}

/* Move the first whole line of what was received into @line. */
static bool take_line(struct ssh *s, struct str *line)
{
	char *end = memchr(s->in.p, '\n', s->in.len);
	size_t len;

	if (!end)
		return false;
	len = (size_t)(end - s->in.p);
	str_reset(line);
	str_addn(line, s->in.p, len);
	s->in.len -= len + 1;
	memmove(s->in.p, end + 1, s->in.len);
	s->in.p[s->in.len] = '\0';
	return true;
}

int ssh_recv_line(struct ssh *s, struct str *line, long long deadline_ns,
		  struct err *err)
{
	int some;

	for (;;) {
		if (take_line(s, line))
			return 1;
		if (s->in.len > LINE_MAX_BYTES)
			return err_set(err, ERR_LIMIT,
				       "the box sent an endless line");
		some = drain(s, &s->in, &s->errors, deadline_ns, err);
		if (some < 0)
			return some;
		if (!some && libssh2_channel_eof(s->channel))
			return 0;
		some = some ? check_time(deadline_ns, err)
			    : ssh_wait_ready(s, deadline_ns, err);
		if (some)
			return some;
	}
}

int ssh_finish(struct ssh *s, long long deadline_ns, struct err *err)
{
	const struct ssh_io nothing = { 0 };
	int ret = pump(s, &nothing, deadline_ns, err);

	return ret ? ret : end_channel(s, deadline_ns, err);
}

const char *ssh_errors(const struct ssh *s)
{
	return s->errors.p;
}
