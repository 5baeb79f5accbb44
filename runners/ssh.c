// SPDX-License-Identifier: GPL-3.0-or-later
// The only file that sees libssh2: a non-blocking session with own deadlines.
//
// Two rules come from the library: after LIBSSH2_ERROR_EAGAIN that left bytes
// to send, the same call must be repeated before any other; and both streams
// of a channel must be drained, or a flood on one of them stops the other.
#include "runners/ssh.h"

#include <libssh2.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "runners/hostkey.h"
#include "runners/tcp.h"

#define CONNECT_S	 4
#define HANDSHAKE_S	 60
#define CLOSE_S		 2
#define LINE_MAX_BYTES	 ((size_t)64 << 10)
#define ERRORS_MAX_BYTES ((size_t)4 << 10)
#define CHUNK_BYTES	 32768

/* @in: received and not yet handed out; @errors: of the dialogue. */
struct ssh {
	int fd;
	LIBSSH2_SESSION *session;
	LIBSSH2_CHANNEL *channel;
	struct str in;
	struct str errors;
};

long long ssh_deadline(double seconds)
{
	return clock_mono_ns() + (long long)(seconds * 1e9);
}

static long long sooner(long long a_ns, long long b_ns)
{
	return a_ns < b_ns ? a_ns : b_ns;
}

const char *ssh_library(void)
{
	return "libssh2 " LIBSSH2_VERSION;
}

/* Whether the last call must be repeated before any other. */
static bool must_repeat(struct ssh *s, long rc)
{
	return rc == LIBSSH2_ERROR_EAGAIN &&
	       (libssh2_session_block_directions(s->session) &
		LIBSSH2_SESSION_BLOCK_OUTBOUND);
}

/* Wait for what the last EAGAIN wants: 0, ERR_TIMEOUT, ERR_IO. */
static int wait_ready(struct ssh *s, long long deadline_ns, struct err *err)
{
	int dirs = libssh2_session_block_directions(s->session);
	short events = 0;
	int n;

	if (dirs & LIBSSH2_SESSION_BLOCK_OUTBOUND)
		events |= POLLOUT;
	if ((dirs & LIBSSH2_SESSION_BLOCK_INBOUND) || !events)
		events |= POLLIN;
	n = tcp_wait(s->fd, events, deadline_ns, err);
	if (n < 0)
		return n;
	return n ? 0 : err_set(err, ERR_TIMEOUT, "no answer in time");
}

/* For loops that a box could keep busy without ever letting them wait. */
static int check_time(long long deadline_ns, struct err *err)
{
	if (clock_mono_ns() < deadline_ns)
		return 0;
	return err_set(err, ERR_TIMEOUT, "no end of its output in time");
}

static int lost(struct ssh *s, const char *doing, struct err *err)
{
	char *text = NULL;

	libssh2_session_last_error(s->session, &text, NULL, 0);
	return err_set(err, ERR_INFRA, "connection lost while %s: %s", doing,
		       text && *text ? text : "closed by the box");
}

/* Repeat @call until it is no longer EAGAIN; jumps out on a deadline. */
#define AGAIN(s, rc, call, deadline_ns, err)                      \
	do {                                                      \
		int wait_rc_;                                     \
		(rc) = (call);                                    \
		if ((rc) != LIBSSH2_ERROR_EAGAIN)                 \
			break;                                    \
		wait_rc_ = wait_ready((s), (deadline_ns), (err)); \
		if (wait_rc_)                                     \
			return wait_rc_;                          \
	} while (1)

/* --- connecting ---------------------------------------------------------- */

static void init_library(void)
{
	/* our own allocation aborts, so this can only fail by our mistake */
	if (libssh2_init(0))
		abort();
}

/* The server speaks first; until then there may be nobody behind the port. */
static int wait_banner(struct ssh *s, long banner_ms, long long deadline_ns,
		       struct err *err)
{
	long long until_ns = ssh_deadline((double)banner_ms / 1000);
	int n = tcp_wait(s->fd, POLLIN, sooner(until_ns, deadline_ns), err);

	if (n < 0)
		return n;
	return n ? 0
		 : err_set(err, ERR_TIMEOUT, "connected, but no SSH banner");
}

static int handshake(struct ssh *s, const struct hostkey *pin,
		     long long deadline_ns, struct err *err)
{
	int rc;

	s->session = libssh2_session_init();
	if (!s->session)
		return err_set(err, ERR_IO, "libssh2: out of memory");
	libssh2_session_set_blocking(s->session, 0);
	libssh2_session_method_pref(s->session, LIBSSH2_METHOD_HOSTKEY,
				    pin->type);
	AGAIN(s, rc, libssh2_session_handshake(s->session, s->fd), deadline_ns,
	      err);
	if (rc == LIBSSH2_ERROR_KEX_FAILURE || rc == LIBSSH2_ERROR_METHOD_NONE)
		return err_set(err, ERR_INFRA,
			       "the box offers no %s host key, which is the "
			       "kind that is pinned",
			       pin->type);
	if (rc)
		return err_set(err, ERR_TIMEOUT,
			       "SSH handshake failed (libssh2 error %d)", rc);
	return 0;
}

static int check_hostkey(struct ssh *s, const struct hostkey *pin,
			 struct err *err)
{
	char got_print[HOSTKEY_FINGERPRINT_BYTES];
	char pin_print[HOSTKEY_FINGERPRINT_BYTES];
	const char *got;
	size_t len;
	int type;

	got = libssh2_session_hostkey(s->session, &len, &type);
	if (!got)
		return err_set(err, ERR_INFRA, "the box showed no host key");
	if (len == pin->len && !memcmp(got, pin->blob, len))
		return 0;
	hostkey_fingerprint(got, len, got_print);
	hostkey_fingerprint(pin->blob, pin->len, pin_print);
	return err_set(err, ERR_INFRA,
		       "host key is %s, pinned is %s; nothing was sent to log "
		       "in. If the box was installed anew, pin its new key in "
		       "the lab file (host_key), else find out who answers at "
		       "its address",
		       got_print, pin_print);
}

static int login(struct ssh *s, const struct ssh_target *target,
		 long long deadline_ns, struct err *err)
{
	int rc;

	AGAIN(s, rc,
	      libssh2_userauth_publickey_fromfile_ex(
		      s->session, target->user, (unsigned)strlen(target->user),
		      NULL, target->identity, ""),
	      deadline_ns, err);
	if (!rc)
		return 0;
	if (rc == LIBSSH2_ERROR_SOCKET_DISCONNECT ||
	    rc == LIBSSH2_ERROR_SOCKET_RECV || rc == LIBSSH2_ERROR_SOCKET_SEND)
		return err_set(err, ERR_TIMEOUT, "closed during login");
	return err_set(err, ERR_INFRA,
		       "login as %s with %s was refused; add its .pub line to "
		       "~%s/.ssh/authorized_keys on the box",
		       target->user, target->identity, target->user);
}

static int open_session(struct ssh *s, const struct ssh_target *target,
			const struct hostkey *pin, long long deadline_ns,
			struct err *err)
{
	int ret;

	s->fd = tcp_connect(target->address, target->port,
			    sooner(ssh_deadline(CONNECT_S), deadline_ns), err);
	if (s->fd < 0)
		return s->fd;
	ret = wait_banner(s, target->banner_ms, deadline_ns, err);
	if (ret)
		return ret;
	deadline_ns = sooner(ssh_deadline(HANDSHAKE_S), deadline_ns);
	ret = handshake(s, pin, deadline_ns, err);
	if (!ret)
		ret = check_hostkey(s, pin, err);
	if (!ret)
		ret = login(s, target, deadline_ns, err);
	return ret;
}

int ssh_open(const struct ssh_target *target, long long deadline_ns,
	     struct ssh **out, struct err *err)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct hostkey pin;
	struct ssh *s;
	int ret;

	*out = NULL;
	ret = hostkey_parse(target->host_key, &pin, err);
	if (!ret)
		ret = hostkey_check_identity(target->identity, err);
	if (ret)
		return ret;
	pthread_once(&once, init_library);
	s = xcalloc(1, sizeof(*s));
	str_init(&s->in);
	str_init(&s->errors);
	s->errors.max_bytes = ERRORS_MAX_BYTES;
	ret = open_session(s, target, &pin, deadline_ns, err);
	if (ret)
		ssh_free(&s);
	*out = s;
	return ret;
}

void ssh_free(struct ssh **s)
{
	if (!*s)
		return;
	/* no farewell: a peer that is gone must not cost another timeout */
	if ((*s)->fd > 0)
		close((*s)->fd);
	if ((*s)->session)
		libssh2_session_free((*s)->session);
	str_release(&(*s)->in);
	str_release(&(*s)->errors);
	free(*s);
	*s = NULL;
}

/* --- one command --------------------------------------------------------- */

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
			return lost(s, "opening a channel", err);
		ret = wait_ready(s, deadline_ns, err);
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
	AGAIN(s, rc, libssh2_channel_exec(s->channel, command), deadline_ns,
	      err);
	return rc ? lost(s, "starting a command", err) : 0;
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
			return lost(s, "reading", err);
		if (!must_repeat(s, (long)n))
			return 0;
		ret = wait_ready(s, deadline_ns, err);
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
			return lost(s, "sending", err);
		if (!must_repeat(s, (long)n))
			return 0;
		ret = wait_ready(s, deadline_ns, err);
		if (ret)
			return ret;
	}
}

static int send_eof(struct ssh *s, long long deadline_ns, struct err *err)
{
	int rc;

	AGAIN(s, rc, libssh2_channel_send_eof(s->channel), deadline_ns, err);
	return rc ? lost(s, "sending", err) : 0;
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
			ret = wait_ready(s, deadline_ns, err);
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

	AGAIN(s, rc, libssh2_channel_close(s->channel), deadline_ns, err);
	if (!rc)
		AGAIN(s, rc, libssh2_channel_wait_closed(s->channel),
		      deadline_ns, err);
	if (rc)
		return lost(s, "closing a channel", err);
	status = libssh2_channel_get_exit_status(s->channel);
	libssh2_channel_get_exit_signal(s->channel, &sig, NULL, NULL, NULL,
					NULL, NULL);
	if (sig)
		status = 128 + (strcmp(sig, "KILL") ? 15 : 9);
	libssh2_free(s->session, sig);
	AGAIN(s, rc, libssh2_channel_free(s->channel), deadline_ns, err);
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
		ret = wait_ready(s, deadline_ns, err);
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
			    : wait_ready(s, deadline_ns, err);
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
