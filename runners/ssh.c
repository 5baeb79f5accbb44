// SPDX-License-Identifier: GPL-3.0-or-later
// A non-blocking session with own deadlines: connecting, host key, login.
#include "runners/ssh.h"

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "runners/hostkey.h"
#include "runners/ssh_private.h"
#include "runners/tcp.h"

#define CONNECT_S	 4
#define HANDSHAKE_S	 60
#define ERRORS_MAX_BYTES ((size_t)4 << 10)

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

int ssh_wait_ready(struct ssh *s, long long deadline_ns, struct err *err)
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

int ssh_lost(struct ssh *s, const char *doing, struct err *err)
{
	char *text = NULL;

	libssh2_session_last_error(s->session, &text, NULL, 0);
	return err_set(err, ERR_INFRA, "connection lost while %s: %s", doing,
		       text && *text ? text : "closed by the box");
}

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
	SSH_AGAIN(s, rc, libssh2_session_handshake(s->session, s->fd),
		  deadline_ns, err);
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

	SSH_AGAIN(s, rc,
		  libssh2_userauth_publickey_fromfile_ex(
			  s->session, target->user,
			  (unsigned)strlen(target->user), NULL,
			  target->identity, ""),
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
