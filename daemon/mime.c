// SPDX-License-Identifier: GPL-3.0-or-later
// Mail messages through GMime, from checked values only.
#include "daemon/mime.h"

#include <ctype.h>
#include <gmime/gmime.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"

#define MAX_LOCAL_PART 64
#define MAX_NAME       200

/* RFC 5322 3.2.3: atext, and the dot of a dot-atom. */
static bool is_local_char(char c)
{
	return isalnum((unsigned char)c) ||
	       (c && strchr("!#$%&'*+-/=?^_`{|}~.", c));
}

static bool is_host(const char *s)
{
	const char *p;

	if (!isalnum((unsigned char)*s))
		return false;
	for (p = s; *p; p++) {
		if (!isalnum((unsigned char)*p) && *p != '-' && *p != '.')
			return false;
		if (*p == '.' && (p[1] == '.' || !p[1]))
			return false;
	}
	return true;
}

static bool is_dot_atom(const char *s, size_t len)
{
	size_t i;

	if (!len || len > MAX_LOCAL_PART || s[0] == '.' || s[len - 1] == '.')
		return false;
	for (i = 0; i < len; i++) {
		if (!is_local_char(s[i]) || (s[i] == '.' && s[i + 1] == '.'))
			return false;
	}
	return true;
}

static bool is_bare_address(const char *s)
{
	const char *at = strchr(s, '@');

	return at && strlen(s) <= MIME_MAX_ADDRESS &&
	       is_dot_atom(s, (size_t)(at - s)) && is_host(at + 1);
}

/* Split "Name <a@b>" or "a@b"; ERR_DATA unless the address is well formed. */
static int split_address(const char *text, struct str *name, struct str *addr,
			 struct err *err)
{
	const char *open = strrchr(text, '<');
	size_t len = strlen(text);

	if (open) {
		if (len < 2 || text[len - 1] != '>')
			goto bad;
		str_addn(addr, open + 1, len - (size_t)(open - text) - 2);
		str_addn(name, text, (size_t)(open - text));
		str_rtrim(name);
	} else {
		str_add(addr, text);
	}
	if (is_bare_address(addr->p) && name->len <= MAX_NAME)
		return 0;
bad:
	return err_set(err, ERR_DATA,
		       "mail address \"%.100s\": expected \"user@host\" or "
		       "\"Name <user@host>\"",
		       text);
}

int mime_address(const char *text, struct str *out, struct err *err)
{
	struct str name = STR_INIT;
	struct str addr = STR_INIT;
	int rc = split_address(text, &name, &addr, err);

	if (!rc)
		str_add(out, addr.p);
	str_release(&name);
	str_release(&addr);
	return rc;
}

bool mime_id_valid(const char *id)
{
	const char *at = strchr(id, '@');
	const char *p;

	if (!at || at == id || !at[1] || strchr(at + 1, '@') ||
	    strlen(id) > MIME_MAX_ID)
		return false;
	for (p = id; *p; p++) {
		if (!isgraph((unsigned char)*p) || strchr("<>()\\\"", *p))
			return false;
	}
	return true;
}

void mime_add_ascii(struct str *out, const char *text)
{
	static const struct {
		const char *utf8;
		const char *ascii;
	} rows[] = {
		{ " \u00b1", "+-" }, { "\u00b1", "+-" }, { "\u2013", "-" },
		{ "\u2014", "-" },   { "\u2018", "'" },	 { "\u2019", "'" },
		{ "\u201c", "\"" },  { "\u201d", "\"" }, { "\u2264", "<=" },
		{ "\u2265", ">=" },  { "\u00d7", "x" },	 { "\u2026", "..." },
		{ "\u00a0", " " },   { "\u2192", "->" }, { "\u03c3", "sd" },
	};
	size_t i;

	while (*text) {
		for (i = 0; i < ARRAY_SIZE(rows); i++) {
			if (str_starts(text, rows[i].utf8))
				break;
		}
		if (i < ARRAY_SIZE(rows)) {
			str_add(out, rows[i].ascii);
			text += strlen(rows[i].utf8);
		} else if ((unsigned char)*text < 0x80) {
			str_addch(out, *text++);
		} else {
			str_addch(out, '?');
			/* the continuation bytes belong to the same letter */
			while ((*++text & 0xc0) == 0x80)
				;
		}
	}
}

/* --- reading the JSON --- */

static const json_t *headers_of(const json_t *mail)
{
	return json_object_get(mail, "headers");
}

/* Call @add for each address under headers.@key. */
typedef int address_fn(void *ctx, const char *text, struct err *err);

static int each_address(const json_t *mail, const char *key, address_fn *add,
			void *ctx, struct err *err)
{
	const json_t *list = json_object_get(headers_of(mail), key);
	const json_t *item;
	size_t i;
	int rc = 0;

	if (list && !json_is_array(list))
		return err_set(err, ERR_DATA, "mail: headers.%s: not a list",
			       key);
	if (json_array_size(list) > MIME_MAX_RECIPIENTS)
		return err_set(err, ERR_LIMIT,
			       "mail: %zu addresses in %s, at most %d allowed",
			       json_array_size(list), key, MIME_MAX_RECIPIENTS);
	json_array_foreach(list, i, item)
	{
		if (!json_is_string(item))
			return err_set(err, ERR_DATA,
				       "mail: headers.%s[%zu]: not a string",
				       key, i);
		rc = add(ctx, json_string_value(item), err);
		if (rc)
			break;
	}
	return rc;
}

static int add_recipient(void *ctx, const char *text, struct err *err)
{
	struct str addr = STR_INIT;
	json_t *list = ctx;
	size_t i = 0;
	int rc = mime_address(text, &addr, err);

	while (!rc && i < json_array_size(list) &&
	       strcasecmp(json_string_value(json_array_get(list, i)), addr.p) !=
		       0)
		i++;
	if (!rc && i == json_array_size(list))
		json_array_append_new(list, json_string(addr.p));
	str_release(&addr);
	return rc;
}

static int read_recipients(const json_t *mail, json_t *list, struct err *err)
{
	int rc = each_address(mail, "to", add_recipient, list, err);

	if (!rc)
		rc = each_address(mail, "cc", add_recipient, list, err);
	if (!rc && !json_array_size(list))
		rc = err_set(err, ERR_DATA,
			     "mail: no recipient: set mail.to or submit with "
			     "--cc");
	return rc;
}

json_t *mime_recipients(const json_t *mail, struct err *err)
{
	json_t *list = json_array();

	if (!read_recipients(mail, list, err))
		return list;
	json_decref(list);
	return NULL;
}

/* Identifier with or without <> into @out as "<left@right>". */
static int add_id(struct str *out, const char *text, const char *what,
		  struct err *err)
{
	size_t len = strlen(text);
	char *bare = len > 2 && text[0] == '<' && text[len - 1] == '>'
			     ? xstrndup(text + 1, len - 2)
			     : xstrdup(text);
	int rc = 0;

	if (!mime_id_valid(bare))
		rc = err_set(err, ERR_DATA,
			     "mail: %s \"%.100s\": expected \"left@right\" "
			     "without blanks",
			     what, text);
	else
		str_addf(out, "%s<%s>", out->len ? " " : "", bare);
	free(bare);
	return rc;
}

static int add_id_words(struct str *out, const char *text, struct err *err)
{
	char *copy = xstrdup(text);
	char *rest = copy;
	char *word;
	size_t nr = 0;
	int rc = 0;

	while (!rc && (word = strsep(&rest, " \t\r\n"))) {
		if (!*word)
			continue;
		rc = ++nr > MIME_MAX_REFERENCES
			     ? err_set(err, ERR_LIMIT,
				       "mail: more than %d references",
				       MIME_MAX_REFERENCES)
			     : add_id(out, word, "reference", err);
	}
	free(copy);
	return rc;
}

static int read_references(const json_t *mail, struct str *out, struct err *err)
{
	const json_t *refs = json_object_get(headers_of(mail), "references");
	const json_t *item;
	size_t i;
	int rc = 0;

	if (json_is_string(refs))
		return add_id_words(out, json_string_value(refs), err);
	if (json_array_size(refs) > MIME_MAX_REFERENCES)
		return err_set(err, ERR_LIMIT, "mail: more than %d references",
			       MIME_MAX_REFERENCES);
	json_array_foreach(refs, i, item)
	{
		const char *id = json_string_value(item);

		rc = add_id(out, id ? id : "", "reference", err);
		if (rc)
			break;
	}
	return rc;
}

/* --- building --- */

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
	int rc = split_address(text, &name, &addr, err);

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

	rc = json_need_str(headers_of(mail), "from", &from, err);
	if (rc)
		return err_wrap(err, "mail: headers");
	b->type = GMIME_ADDRESS_TYPE_FROM;
	rc = add_mailbox(b, from, err);
	b->type = GMIME_ADDRESS_TYPE_TO;
	if (!rc)
		rc = each_address(mail, "to", add_mailbox, b, err);
	b->type = GMIME_ADDRESS_TYPE_CC;
	if (!rc)
		rc = each_address(mail, "cc", add_mailbox, b, err);
	return rc;
}

static void set_header(GMimeMessage *msg, const char *name, const char *value)
{
	if (*value)
		g_mime_object_set_header(GMIME_OBJECT(msg), name, value, NULL);
}

static int add_thread(struct builder *b, const json_t *mail, struct err *err)
{
	const char *reply = json_opt_str(headers_of(mail), "in_reply_to", "");
	struct str id = STR_INIT;
	struct str refs = STR_INIT;
	int rc = 0;

	if (*reply)
		rc = add_id(&id, reply, "In-Reply-To", err);
	if (!rc)
		rc = read_references(mail, &refs, err);
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
		rc = add_id(&id_header, id, "message_id", err);
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
	rc = read_recipients(mail, rcpts, err);
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
