// SPDX-License-Identifier: GPL-3.0-or-later
// What a mail is made of, checked: addresses, identifiers, their lists.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "daemon/mime.h"
#include "daemon/mime_private.h"

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

int mime_split_address(const char *text, struct str *name, struct str *addr,
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
	int rc = mime_split_address(text, &name, &addr, err);

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

const json_t *mime_headers(const json_t *mail)
{
	return json_object_get(mail, "headers");
}

int mime_each_address(const json_t *mail, const char *key, mime_address_fn *add,
		      void *ctx, struct err *err)
{
	const json_t *list = json_object_get(mime_headers(mail), key);
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

int mime_read_recipients(const json_t *mail, json_t *list, struct err *err)
{
	int rc = mime_each_address(mail, "to", add_recipient, list, err);

	if (!rc)
		rc = mime_each_address(mail, "cc", add_recipient, list, err);
	if (!rc && !json_array_size(list))
		rc = err_set(err, ERR_DATA,
			     "mail: no recipient: set mail.to or submit with "
			     "--cc");
	return rc;
}

json_t *mime_recipients(const json_t *mail, struct err *err)
{
	json_t *list = json_array();

	if (!mime_read_recipients(mail, list, err))
		return list;
	json_decref(list);
	return NULL;
}

int mime_add_id(struct str *out, const char *text, const char *what,
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
			     : mime_add_id(out, word, "reference", err);
	}
	free(copy);
	return rc;
}

int mime_references(const json_t *mail, struct str *out, struct err *err)
{
	const json_t *refs = json_object_get(mime_headers(mail), "references");
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

		rc = mime_add_id(out, id ? id : "", "reference", err);
		if (rc)
			break;
	}
	return rc;
}
