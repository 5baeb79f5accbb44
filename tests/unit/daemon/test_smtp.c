// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of daemon/smtp.c: what follows from a reply, and what is refused before
// anything is sent. Real exchanges: tests/flow/mail.sh.
#include "tests/unit/test.h"

#include "base/mem.h"
#include "daemon/smtp.h"

static void replies_decide_what_follows(void **state)
{
	static const struct {
		bool sent;
		const char *verb;
		long code;
		enum smtp_fate fate;
	} rows[] = {
		{ true, "DATA", 250, SMTP_ACCEPTED },
		{ false, "RCPT", 550, SMTP_REFUSED },
		{ false, "DATA", 554, SMTP_REFUSED },
		{ false, "RCPT", 451, SMTP_LATER },
		{ false, "DATA", 452, SMTP_LATER },
		/* the connection broke after DATA: nobody knows */
		{ false, "DATA", 0, SMTP_LATER },
		{ false, "RCPT", 421, SMTP_DOWN },
		/* nothing of this is the recipient's fault */
		{ false, "", 0, SMTP_DOWN },
		{ false, "", 554, SMTP_DOWN },
		{ false, "EHLO", 0, SMTP_DOWN },
		{ false, "STARTTLS", 454, SMTP_DOWN },
		{ false, "AUTH", 535, SMTP_DOWN },
		{ false, "MAIL", 550, SMTP_DOWN },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(
			smtp_judge(rows[i].sent, rows[i].verb, rows[i].code),
			rows[i].fate);
}

static void senseless_servers_are_refused(void **state)
{
	static const struct {
		const char *host;
		long port;
		const char *tls;
		const char *user;
		const char *says;
	} rows[] = {
		{ "", 25, "none", "", "mail.host" },
		{ "a/b", 25, "none", "", "mail.host" },
		{ "a@b", 25, "none", "", "mail.host" },
		{ "a\r\nb", 25, "none", "", "mail.host" },
		{ "-a", 25, "none", "", "mail.host" },
		{ "a", 0, "none", "", "mail.port" },
		{ "a", 65536, "none", "", "mail.port" },
		{ "a", 25, "maybe", "", "mail.tls" },
		{ "mail.example.org", 25, "none", "me", "unencrypted" },
		{ "128.0.0.1", 25, "none", "me", "unencrypted" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct smtp_server s = { rows[i].host,
					 rows[i].port,
					 rows[i].tls,
					 rows[i].user,
					 "secret",
					 "",
					 5 };
		struct smtp *smtp = NULL;
		struct err err = { 0 };

		assert_int_equal(smtp_open(&s, &smtp, &err), ERR_CONFIG);
		assert_contains(err.text, rows[i].says);
		assert_null(strstr(err.text, "secret"));
		assert_null(smtp);
	}
}

static void loopback_may_log_in_without_tls(void **state)
{
	static const char *const hosts[] = { "127.0.0.1", "127.9.9.9", "::1",
					     "localhost" };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(hosts); i++) {
		struct smtp_server s = { hosts[i], 2525, "none", "me",
					 "pw",	   "",	 5 };
		struct smtp *smtp = NULL;

		assert_int_equal(smtp_open(&s, &smtp, NULL), 0);
		smtp_close(&smtp);
		assert_null(smtp);
		smtp_close(&smtp);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(replies_decide_what_follows),
		cmocka_unit_test(senseless_servers_are_refused),
		cmocka_unit_test(loopback_may_log_in_without_tls),
	};

	return RUN_TESTS(tests);
}
