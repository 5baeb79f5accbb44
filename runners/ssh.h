/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SSH to a box: one connection, one command at a time, every step with an
 * absolute deadline. The box is taken for an attacker: its key is pinned, its
 * output is bounded.
 */
#ifndef RUNNERS_SSH_H
#define RUNNERS_SSH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

/*
 * Where to go. @host_key is the pinned line ("ssh-ed25519 AAAA…"), @identity a
 * private key file without passphrase; @banner_ms: how long a connected peer
 * may stay silent before the attempt is given up (a virtual network accepts
 * connections long before its guest runs). Strings are borrowed.
 */
struct ssh_target {
	const char *address;
	int port;
	const char *user;
	const char *host_key;
	const char *identity;
	long banner_ms;
};

struct ssh;

/* Deadlines are values of clock_mono_ns(). */
long long ssh_deadline(double seconds);

/*
 * One attempt to connect, check the pinned key and log in. *@out is owned by
 * the caller (ssh_free), NULL on error.
 * ERR_TIMEOUT: nobody there (yet): refused, silent, closed; worth another try.
 * ERR_CONFIG: key files or pinned key unusable. ERR_INFRA: another host key
 * than the pinned one (nothing was sent to log in then), or login refused.
 */
int ssh_open(const struct ssh_target *target, long long deadline_ns,
	     struct ssh **out, struct err *err);
/* Close; NULL is fine. *@s becomes NULL. */
void ssh_free(struct ssh **s);

/*
 * What goes into a command and comes out. @input: NULL or @len bytes for its
 * standard input, borrowed. @out, @errout: appended to; NULL discards.
 */
struct ssh_io {
	const char *input;
	size_t len;
	struct str *out;
	struct str *errout;
};

/*
 * Run @command (a line for the box's shell: quote words by quote_add) until it
 * ends. Returns the exit status 0..255 (128+n after a signal); ERR_TIMEOUT;
 * ERR_INFRA when the connection is lost; ERR_LIMIT when an output exceeds its
 * max_bytes. After an error the connection is only good for ssh_free.
 */
int ssh_exec(struct ssh *s, const char *command, const struct ssh_io *io,
	     long long deadline_ns, struct err *err);

/*
 * The same as a dialogue: start @command, then send and receive lines.
 * ssh_recv_line replaces @line by the next line of standard output without its
 * newline: 1, or 0 at the end of the output; ERR_TIMEOUT (nothing by then: the
 * connection stays usable), ERR_INFRA (lost), ERR_LIMIT (a longer line than
 * 64 KiB). Standard error is kept, its first 4 KiB, for ssh_errors.
 */
int ssh_start(struct ssh *s, const char *command, long long deadline_ns,
	      struct err *err);
int ssh_send(struct ssh *s, const char *text, long long deadline_ns,
	     struct err *err);
int ssh_recv_line(struct ssh *s, struct str *line, long long deadline_ns,
		  struct err *err);
/* Wait for the command's end: its exit status, ERR_TIMEOUT, ERR_INFRA. */
int ssh_finish(struct ssh *s, long long deadline_ns, struct err *err);
/* What the command of the dialogue wrote to standard error; borrowed. */
const char *ssh_errors(const struct ssh *s);

/* "libssh2 1.10.0", for the log. */
const char *ssh_library(void);

#endif
