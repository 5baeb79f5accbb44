/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Carry one finished message to a mail server, one envelope per recipient, and
 * say for each what became of it. The only place that knows libcurl.
 */
#ifndef DAEMON_SMTP_H
#define DAEMON_SMTP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

/*
 * Where to deliver; all borrowed while the session lives. @tls is "none",
 * "starttls" (required, not merely tried) or "tls" (from the first byte).
 * @user: "" for no login. @ca_file: "" for the system's certificates.
 * @timeout_s: for one recipient, connection included.
 */
struct smtp_server {
	const char *host;
	long port;
	const char *tls;
	const char *user;
	const char *password;
	const char *ca_file;
	long timeout_s;
};

/*
 * What became of one recipient. LATER: the server said "not now" (4xx) or the
 * connection broke on the way; whether a message whose reply got lost was
 * delivered nobody knows, so it goes again under the same Message-ID. DOWN:
 * nothing about the recipient: no connection, no trust, no login, the sender
 * refused; asking for further recipients is useless.
 */
enum smtp_fate { SMTP_ACCEPTED, SMTP_REFUSED, SMTP_LATER, SMTP_DOWN };

/* @code: the server's last reply, 0 for none. @text: a sentence. */
struct smtp_reply {
	enum smtp_fate fate;
	long code;
	char text[512];
};

struct smtp;

/*
 * A session with @server; connects with the first mail and keeps the connection
 * for the next. ERR_CONFIG: host, port or tls make no sense, or a password
 * would cross the network unencrypted (loopback is let through).
 */
int smtp_open(const struct smtp_server *server, struct smtp **out,
	      struct err *err);
/* End the session; *@s becomes NULL, NULL is fine. */
void smtp_close(struct smtp **s);

/*
 * Deliver @message (CRLF line ends, ends with CRLF) from @from to @rcpt, both
 * bare addresses checked by mime_address(). Fills @out and never fails.
 */
void smtp_send(struct smtp *s, const char *from, const char *rcpt,
	       const struct str *message, struct smtp_reply *out);

/*
 * The rule behind smtp_send, apart for its tests. @sent: the exchange ended
 * well; @verb: the last command sent ("MAIL", "RCPT", "DATA", …, "" before the
 * first); @code: the last reply. After DATA the message itself was answered.
 */
enum smtp_fate smtp_judge(bool sent, const char *verb, long code);

#endif
