// SPDX-License-Identifier: GPL-3.0-or-later
// Mail messages through GMime, from checked values only.
#include "daemon/mime.h"

#include <gmime/gmime.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "daemon/mime_private.h"

/*
 * Text of a header: printable, one line, and with nothing in it that already
 * looks like an encoded word: readers would decode that.
 */
static char *header_text(const char *text, bool ascii)
{
	struct str clean = STR_INIT;
	struct str out = STR_INIT;
	char *p;

	clean.max_bytes = MIME_MAX_SUBJECT;
	str_add_term(&clean, text, false);
	while (clean.cut && !str_is_utf8(clean.p, clean.len))
		clean.p[--clean.len] = '\0';
	while ((p = strstr(clean.p, "=?")))
		p[1] = ' ';
	if (ascii)
		mime_add_ascii(&out, clean.p);
	else
		str_add(&out, clean.p);
	str_release(&clean);
	return str_detach(&out);
}

/* The body in LF lines without control characters, ending with a newline. */
static char *body_text(const char *text, bool ascii)
{
	struct str lines = STR_INIT;
	struct str clean = STR_INIT;
	struct str out = STR_INIT;
	const char *p;

	for (p = text; *p; p++) {
		if (*p == '\r' && p[1] == '\n')
			continue;
		str_addn(&lines, *p == '\r' ? "\n" : p, 1);
	}
	str_add_term(&clean, lines.p, true);
	if (!clean.len || clean.p[clean.len - 1] != '\n')
		str_addch(&clean, '\n');
	if (ascii)
		mime_add_ascii(&out, clean.p);
	else
		str_add(&out, clean.p);
	str_release(&lines);
	str_release(&clean);
	return str_detach(&out);
}

/*
 * Quoted-printable also for a line that begins with "From ": mbox writers
 * would put a '>' in front of it.
 */
static bool fits_7bit(const char *body)
{
	const char *p = body;

	while (*p) {
		size_t n = strcspn(p, "\n");
		size_t i;

		if (n > MIME_MAX_LINE_BYTES || str_starts(p, "From "))
			return false;
		for (i = 0; i < n; i++) {
			if ((unsigned char)p[i] >= 0x80)
				return false;
		}
		p += n + (p[n] == '\n');
	}
	return true;
}

struct builder {
	GMimeMessage *msg;
	GMimeAddressType type;
	bool ascii;
};

static int add_mailbox(void *ctx, const char *text, struct err *err)
{
	struct builder *b = ctx;
	struct str name = STR_INIT;
	struct str addr = STR_INIT;
	char *clean;
	int rc = mime_split_address(text, &name, &addr, err);

	if (!rc) {
		clean = header_text(name.p, b->ascii);
		g_mime_message_add_mailbox(b->msg, b->type,
					   *clean ? clean : NULL, addr.p);
		free(clean);
	}
	str_release(&name);
	str_release(&addr);
	return rc;
}

static int add_addresses(struct builder *b, const json_t *mail, struct err *err)
{
	const char *from;
	int rc;

	rc = json_need_str(mime_headers(mail), "from", &from, err);
	if (rc)
		return err_wrap(err, "mail: headers");
	b->type = GMIME_ADDRESS_TYPE_FROM;
	rc = add_mailbox(b, from, err);
	b->type = GMIME_ADDRESS_TYPE_TO;
	if (!rc)
		rc = mime_each_address(mail, "to", add_mailbox, b, err);
	b->type = GMIME_ADDRESS_TYPE_CC;
	if (!rc)
		rc = mime_each_address(mail, "cc", add_mailbox, b, err);
	return rc;
}

static void set_header(GMimeMessage *msg, const char *name, const char *value)
{
	if (*value)
		g_mime_object_set_header(GMIME_OBJECT(msg), name, value, NULL);
}

static int add_thread(struct builder *b, const json_t *mail, struct err *err)
{
	const char *reply = json_opt_str(mime_headers(mail), "in_reply_to", "");
	struct str id = STR_INIT;
	struct str refs = STR_INIT;
	int rc = 0;

	if (*reply)
		rc = mime_add_id(&id, reply, "In-Reply-To", err);
	if (!rc)
		rc = mime_references(mail, &refs, err);
	if (!rc) {
		set_header(b->msg, "In-Reply-To", id.p);
		/* RFC 5322 3.6.4: a reply always refers to its parent */
		set_header(b->msg, "References", refs.len ? refs.p : id.p);
	}
	str_release(&id);
	str_release(&refs);
	return rc;
}

static int add_head(struct builder *b, const json_t *mail, long long date_s,
		    struct err *err)
{
	const char *id;
	const char *subject;
	struct str id_header = STR_INIT;
	char *text;
	GDateTime *date;
	int rc;

	rc = json_need_str(mail, "message_id", &id, err);
	if (!rc)
		rc = json_need_str(mail, "subject", &subject, err);
	if (!rc)
		rc = mime_add_id(&id_header, id, "message_id", err);
	if (rc) {
		str_release(&id_header);
		return rc;
	}
	date = g_date_time_new_from_unix_utc(
		json_opt_int(mail, "date_s", date_s));
	if (date) {
		g_mime_message_set_date(b->msg, date);
		g_date_time_unref(date);
	}
	text = header_text(subject, b->ascii);
	g_mime_message_set_subject(b->msg, text, "utf-8");
	free(text);
	set_header(b->msg, "Message-ID", id_header.p);
	str_release(&id_header);
	return 0;
}

static void add_body(GMimeMessage *msg, const char *body)
{
	GMimePart *part = g_mime_part_new_with_type("text", "plain");
	GMimeStream *stream =
		g_mime_stream_mem_new_with_buffer(body, strlen(body));
	GMimeDataWrapper *content = g_mime_data_wrapper_new_with_stream(
		stream, GMIME_CONTENT_ENCODING_DEFAULT);

	g_mime_object_set_content_type_parameter(GMIME_OBJECT(part), "charset",
						 "UTF-8");
	g_mime_part_set_content(part, content);
	g_mime_part_set_content_encoding(
		part, fits_7bit(body) ? GMIME_CONTENT_ENCODING_7BIT
				      : GMIME_CONTENT_ENCODING_QUOTEDPRINTABLE);
	g_mime_message_set_mime_part(msg, GMIME_OBJECT(part));
	g_object_unref(content);
	g_object_unref(stream);
	g_object_unref(part);
}

static void write_out(GMimeMessage *msg, struct str *out)
{
	GMimeFormatOptions *format = g_mime_format_options_new();
	GByteArray *bytes = g_byte_array_new();
	GMimeStream *stream = g_mime_stream_mem_new_with_byte_array(bytes);

	g_mime_format_options_set_newline_format(format,
						 GMIME_NEWLINE_FORMAT_DOS);
	g_mime_object_write_to_stream(GMIME_OBJECT(msg), format, stream);
	g_mime_stream_flush(stream);
	str_addn(out, bytes->data, bytes->len);
	g_object_unref(stream); /* takes the byte array along */
	g_mime_format_options_free(format);
}

static int check_body(const json_t *mail, const char **out, struct err *err)
{
	int rc = json_need_str(mail, "body", out, err);

	if (!rc && strlen(*out) > MIME_MAX_BODY_BYTES)
		rc = err_set(err, ERR_LIMIT,
			     "mail: body of %zu bytes, at most %zu allowed",
			     strlen(*out), MIME_MAX_BODY_BYTES);
	return rc;
}

int mime_build(const json_t *mail, long long date_s, struct str *out,
	       struct err *err)
{
	struct builder b = { NULL, GMIME_ADDRESS_TYPE_FROM,
			     json_opt_bool(mail, "ascii", false) };
	json_t *rcpts = json_array();
	const char *body;
	char *clean;
	int rc;

	g_mime_init();
	b.msg = g_mime_message_new(TRUE);
	rc = mime_read_recipients(mail, rcpts, err);
	if (!rc)
		rc = check_body(mail, &body, err);
	if (!rc)
		rc = add_addresses(&b, mail, err);
	if (!rc)
		rc = add_head(&b, mail, date_s, err);
	if (!rc)
		rc = add_thread(&b, mail, err);
	if (!rc) {
		/* RFC 3834: so that no answering machine answers us */
		set_header(b.msg, "Auto-Submitted", "auto-generated");
		set_header(b.msg, "User-Agent", "drover/" DROVER_VERSION);
		clean = body_text(body, b.ascii);
		add_body(b.msg, clean);
		free(clean);
		write_out(b.msg, out);
	}
	g_object_unref(b.msg);
	json_decref(rcpts);
	return rc;
}
