/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Mail messages: one part of plain UTF-8 text that reaches its reader as it was
 * written, built so that no value can add a header or a recipient. The only
 * place that knows GMime.
 *
 * A mail travels as JSON (outbox row, task.json, `report --mail-preview`):
 * {"message_id", "subject", "body", "headers": {"from", "to": [], "cc": [],
 * "in_reply_to", "references": []}, "ascii": false, "date_s"}; "references" may
 * also be one string, identifiers go with or without <>.
 */
#ifndef DAEMON_MIME_H
#define DAEMON_MIME_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/json.h"
#include "base/str.h"

#define MIME_MAX_BODY_BYTES ((size_t)8 << 20)
#define MIME_MAX_RECIPIENTS 50
#define MIME_MAX_LINE_BYTES 998 /* RFC 5322, 2.1.1 */
#define MIME_MAX_ADDRESS    254 /* RFC 5321, 4.5.3.1.3 */
#define MIME_MAX_REFERENCES 100
#define MIME_MAX_SUBJECT    900
#define MIME_MAX_ID	    250

/*
 * Append the message (RFC 5322, CRLF line ends, 7-bit bytes only) of @mail.
 * The body goes as 7bit when it is ASCII in lines of up to 998 bytes, else as
 * quoted-printable; "ascii": true writes +- for ± and '?' for what ASCII lacks.
 * Control characters in subject, names and body become '?', line ends LF.
 * @date_s: UTC seconds for Date, where the mail has no "date_s" of its own.
 * ERR_DATA: a value is missing, an address or identifier malformed, no
 * recipient; ERR_LIMIT: too long, too many. @out unchanged on error.
 */
int mime_build(const json_t *mail, long long date_s, struct str *out,
	       struct err *err);

/*
 * Bare addresses of To and Cc in that order, each once ("Name <a@b>" is cut to
 * "a@b"); new reference, NULL with ERR_DATA or ERR_LIMIT on error.
 */
json_t *mime_recipients(const json_t *mail, struct err *err);

/*
 * Append the bare address in @text ("a@b" or "Name <a@b>"), checked: ASCII,
 * RFC 5322 dot-atom before the @, a host name after it. ERR_DATA otherwise.
 */
int mime_address(const char *text, struct str *out, struct err *err);

/* Whether @id, without <>, may stand in Message-ID: "left@right", no blanks. */
bool mime_id_valid(const char *id);

/*
 * Append @text with what ASCII lacks written in ASCII: " ±" becomes "+-", so
 * that columns stay where they are, dashes, quotes and ≤ ≥ × get their usual
 * stand-ins, the rest '?'.
 */
void mime_add_ascii(struct str *out, const char *text);

#endif
