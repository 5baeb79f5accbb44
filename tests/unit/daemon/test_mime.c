// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of daemon/mime.c.
#include "tests/unit/test.h"

#include <stdlib.h>

#include "base/json.h"
#include "base/mem.h"
#include "daemon/mime.h"

#define DATE_S 1769904000 /* 2026-02-01 00:00:00 UTC */

static json_t *mail(const char *subject, const char *body)
{
	return json_pack("{s:s, s:o, s:o, s:{s:s, s:[s], s:[s]}}", "message_id",
			 "202602010000.abcdef0-drover@lab.example.org",
			 "subject", json_text(subject, strlen(subject)), "body",
			 json_text(body, strlen(body)), "headers", "from",
			 "Drover <drover@example.org>", "to", "dev@example.org",
			 "cc", "List <list@example.org>");
}

static char *built(json_t *m)
{
	struct str out = STR_INIT;
	struct err err = { 0 };

	if (mime_build(m, DATE_S, &out, &err))
		fail_msg("%s", err.text);
	json_decref(m);
	return str_detach(&out);
}

/* Everything behind the first empty line. */
static const char *body_of(const char *message)
{
	const char *p = strstr(message, "\r\n\r\n");

	assert_non_null(p);
	return p + 4;
}

static void headers_say_what_was_given(void **state)
{
	char *m = built(mail("[tree:main]  0123456789:  pipe 9.7% regression",
			     "text\n"));

	(void)state;
	assert_contains(m, "Message-ID: <202602010000.abcdef0-drover@lab."
			   "example.org>\r\n");
	assert_contains(m, "Date: Sun, 01 Feb 2026 00:00:00 +0000\r\n");
	assert_contains(m, "Auto-Submitted: auto-generated\r\n");
	assert_contains(m, "Subject: [tree:main]  0123456789:  pipe 9.7% ");
	assert_contains(m, "From: Drover <drover@example.org>\r\n");
	assert_contains(m, "To: dev@example.org\r\n");
	assert_contains(m, "Cc: List <list@example.org>\r\n");
	assert_contains(m, "MIME-Version: 1.0\r\n");
	assert_contains(m, "text/plain; charset=");
	assert_null(strstr(m, "multipart"));
	assert_null(strstr(m, "In-Reply-To"));
	free(m);
}

static void plain_ascii_stays_as_it_is(void **state)
{
	char *m = built(mail("s", "a  b\n.\n..c\n     \\          |   \n"));

	(void)state;
	assert_contains(m, "Content-Transfer-Encoding: 7bit\r\n");
	assert_string_equal(body_of(m),
			    "a  b\r\n.\r\n..c\r\n     \\          |   \r\n");
	free(m);
}

static void other_bodies_become_quoted_printable(void **state)
{
	static const struct {
		const char *body;
		const char *wire;
	} rows[] = {
		{ "1.00 \u00b1  3%\n", "1.00 =C2=B1  3%\r\n" },
		{ "a=b \u00b1\n", "a=3Db =C2=B1\r\n" },
		{ "\u00b1 end \n", "=C2=B1 end=20\r\n" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		char *m = built(mail("s", rows[i].body));

		assert_contains(m, "Transfer-Encoding: quoted-printable\r\n");
		assert_string_equal(body_of(m), rows[i].wire);
		free(m);
	}
}

static void every_byte_is_ascii_and_every_line_short(void **state)
{
	struct str body = STR_INIT;
	const char *p;
	char *m;
	int i;

	(void)state;
	for (i = 0; i < 999; i++)
		str_addch(&body, 'x');
	str_add(&body, "\nFrom me\n\u00b1\n");
	m = built(mail("\u00b1 subject \xc3\xa9", body.p));
	assert_contains(m, "quoted-printable");
	for (p = m; *p; p += strcspn(p, "\n") + 1) {
		assert_in_range(strcspn(p, "\n"), 0, 998);
		assert_int_equal(p[strcspn(p, "\n") - 1], '\r');
	}
	for (p = m; *p; p++)
		assert_in_range((unsigned char)*p, 1, 126);
	free(m);
	str_release(&body);
}

static void line_ends_and_controls_are_made_harmless(void **state)
{
	char *m = built(mail("s", "a\r\nb\rc\033[2Jd\x01"));

	(void)state;
	assert_string_equal(body_of(m), "a\r\nb\r\nc?[2Jd?\r\n");
	free(m);
}

static void a_value_cannot_add_a_header(void **state)
{
	static const char *const evil[] = {
		"x\r\nBcc: evil@example.org",
		"x\nBcc: evil@example.org",
		"x\rBcc: evil@example.org",
		"x\r\n\r\nbody",
		"x\r\n Bcc: folded",
		"\xe2\x80\xa8"
		"Bcc: y",
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(evil); i++) {
		json_t *m = mail(evil[i], "b\n");
		char *name = xasprintf("%s <a@example.org>", evil[i]);
		char *text;

		json_object_set_new(json_object_get(m, "headers"), "from",
				    json_string(name));
		text = built(m);
		assert_null(strstr(text, "\nBcc:"));
		assert_null(strstr(text, "\n Bcc:"));
		assert_string_equal(body_of(text), "b\r\n");
		free(name);
		free(text);
	}
}

/*
 * Expected: a reader sees what the commit's subject says.
 * Buggy: "=?utf-8?Q?=1B?=" in it went out as it was, and was decoded.
 */
static void what_looks_encoded_is_not_decoded(void **state)
{
	char *m = built(mail("[=?utf-8?Q?x?=]  a", "b"));

	(void)state;
	assert_contains(m, "Subject: [= utf-8?Q?x?=]  a\r\n");
	free(m);
}

static void ascii_keeps_the_columns(void **state)
{
	json_t *m =
		mail("9 \u00b1 1", "      1.00 \u00b1  3%\n\u20ac \u2264\n");
	char *text;

	(void)state;
	json_object_set_new(m, "ascii", json_true());
	text = built(m);
	assert_contains(text, "Subject: 9+- 1\r\n");
	assert_string_equal(body_of(text), "      1.00+-  3%\r\n? <=\r\n");
	free(text);
}

static void replies_belong_to_their_thread(void **state)
{
	json_t *m = mail("s", "b");
	json_t *h = json_object_get(m, "headers");
	char *text;

	(void)state;
	json_object_set_new(h, "in_reply_to", json_string("<p@example.org>"));
	text = built(json_incref(m));
	assert_contains(text, "In-Reply-To: <p@example.org>\r\n");
	assert_contains(text, "References: <p@example.org>\r\n");
	free(text);
	json_object_set_new(
		h, "references",
		json_pack("[s, s]", "root@example.org", "p@example.org"));
	text = built(m);
	assert_contains(text,
			"References: <root@example.org> <p@example.org>\r\n");
	free(text);
}

static void malformed_values_are_refused(void **state)
{
	static const struct {
		const char *key;
		const char *value;
		const char *says;
	} rows[] = {
		{ "from", "nobody", "mail address" },
		{ "from", "a@b@c", "mail address" },
		{ "from", "a b@example.org", "mail address" },
		{ "from", "x <a@example.org> y", "mail address" },
		{ "from", "a@example.org\r\nRCPT TO:b@c", "mail address" },
		{ "from", "a..b@example.org", "mail address" },
		{ "from", "a@-example.org", "mail address" },
		{ "from", "\xc3\xa4@example.org", "mail address" },
		{ "in_reply_to", "x y@example.org", "In-Reply-To" },
		{ "in_reply_to", "x", "In-Reply-To" },
		{ "references", "a@b <c", "reference" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		json_t *m = mail("s", "b");
		struct str out = STR_INIT;
		struct err err = { 0 };

		json_object_set_new(json_object_get(m, "headers"), rows[i].key,
				    json_string(rows[i].value));
		assert_int_equal(mime_build(m, DATE_S, &out, &err), ERR_DATA);
		assert_contains(err.text, rows[i].says);
		assert_int_equal(out.len, 0);
		json_decref(m);
	}
}

static void what_is_missing_is_named(void **state)
{
	static const char *const keys[] = { "message_id", "subject", "body" };
	struct str out = STR_INIT;
	struct err err = { 0 };
	json_t *m;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		m = mail("s", "b");
		json_object_del(m, keys[i]);
		assert_int_equal(mime_build(m, DATE_S, &out, &err), ERR_DATA);
		assert_contains(err.text, keys[i]);
		json_decref(m);
	}
	m = mail("s", "b");
	json_object_del(json_object_get(m, "headers"), "to");
	json_object_del(json_object_get(m, "headers"), "cc");
	assert_int_equal(mime_build(m, DATE_S, &out, NULL), ERR_DATA);
	assert_int_equal(mime_build(m, DATE_S, &out, &err), ERR_DATA);
	assert_contains(err.text, "no recipient");
	json_decref(m);
}

static void each_recipient_is_there_once(void **state)
{
	json_t *m = mail("s", "b");
	json_t *cc = json_object_get(json_object_get(m, "headers"), "cc");
	struct err err = { 0 };
	json_t *got;

	(void)state;
	json_array_append_new(cc, json_string("D <DEV@example.org>"));
	json_array_append_new(cc, json_string("x@example.org"));
	got = mime_recipients(m, &err);
	assert_int_equal(json_array_size(got), 3);
	assert_string_equal(json_string_value(json_array_get(got, 0)),
			    "dev@example.org");
	assert_string_equal(json_string_value(json_array_get(got, 1)),
			    "list@example.org");
	json_decref(got);
	while (json_array_size(cc) <= MIME_MAX_RECIPIENTS)
		json_array_append_new(cc, json_string("x@example.org"));
	assert_null(mime_recipients(m, &err));
	assert_int_equal(err.code, ERR_LIMIT);
	json_decref(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(headers_say_what_was_given),
		cmocka_unit_test(plain_ascii_stays_as_it_is),
		cmocka_unit_test(other_bodies_become_quoted_printable),
		cmocka_unit_test(every_byte_is_ascii_and_every_line_short),
		cmocka_unit_test(line_ends_and_controls_are_made_harmless),
		cmocka_unit_test(a_value_cannot_add_a_header),
		cmocka_unit_test(what_looks_encoded_is_not_decoded),
		cmocka_unit_test(ascii_keeps_the_columns),
		cmocka_unit_test(replies_belong_to_their_thread),
		cmocka_unit_test(malformed_values_are_refused),
		cmocka_unit_test(what_is_missing_is_named),
		cmocka_unit_test(each_recipient_is_there_once),
	};

	return RUN_TESTS(tests);
}
