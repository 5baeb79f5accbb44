// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of web-static/html.c: what is hostile stays text.
#include "tests/unit/test.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>

#include "web-static/html.h"

#define FFFD "\xef\xbf\xbd"

/* What commit subjects, box names and error messages may try. */
static const char *const payloads[] = {
	"<script>alert(1)</script>",
	"</title><script>alert(1)</script>",
	"</textarea><script>alert(1)</script>",
	"<img src=x onerror=alert(1)>",
	"<svg onload=alert(1)>",
	"<svg><animate onbegin=alert(1) attributeName=x>",
	"\"><script>alert(1)</script>",
	"'><script>alert(1)</script>",
	"\" onmouseover=\"alert(1)",
	"' onmouseover='alert(1)",
	"` onmouseover=`alert(1)",
	"x onfocus=alert(1) autofocus",
	"javascript:alert(1)",
	"JaVaScRiPt:alert(1)",
	"java\tscript:alert(1)",
	"\001javascript:alert(1)",
	"data:text/html,<script>alert(1)</script>",
	"vbscript:msgbox(1)",
	"//evil.example.org/x",
	"\\\\evil.example.org\\x",
	"http://evil.example.org/\"onclick=\"x",
	"../../../../etc/passwd",
	"..%2f..%2fetc%2fpasswd",
	"&lt;script&gt;",
	"&#60;script&#62;",
	"&amp;lt;",
	"&notanentity",
	"<!-- comment",
	"-->",
	"<![CDATA[ x ]]>",
	"]]>",
	"<?xml version=\"1.0\"?>",
	"<!DOCTYPE html [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>",
	"&x;",
	"<style>*{display:none}</style>",
	"<base href=//evil.example.org>",
	"<meta http-equiv=refresh content=0>",
	"<iframe src=javascript:alert(1)>",
	"<a href=\"x\" style=\"position:fixed\">",
	"<table><tr><td>",
	"</td></tr></table>",
	"\033[31mred\033[0m",
	"\033]0;title\a",
	"\x9b"
	"31m",
	"\r\nSet-Cookie: x=1",
	"a\0b",
	"\x7f\x08\x0b\x0c",
	"\xff\xfe<\0s",
	"\xc0\xbcscript\xc0\xbe",
	"\xe0\x80\xbcscript",
	"\xed\xa0\x80\xed\xb0\x80",
	"\xf4\x90\x80\x80",
	"\xf8\x88\x80\x80\x80",
	"\xe2\x80\xae gnp.exe",
	"\xe2\x81\xa6isolated\xe2\x81\xa9",
	"\xef\xbf\xbe\xef\xbf\xbf",
	"\xef\xbb\xbf<b>",
	"\xe2\x80\xa8line\xe2\x80\xa9paragraph",
	"\xc2\x85\xc2\x9b",
	"=cmd|' /C calc'!A0",
	"%s%s%s%n%n",
	"{{7*7}}${7*7}<%= 7*7 %>",
	"\xe4\xb8",
	"\xf0\x9f\x90\x82 <b>ox</b>",
};
#define NR (sizeof(payloads) / sizeof(payloads[0]))

/* No markup, no quote, no raw ampersand but our own entities, no control. */
static void assert_is_text(const char *s, bool in_attr)
{
	static const char *const entities[] = { "&amp;", "&lt;", "&gt;",
						"&quot;", "&#39;" };

	assert_true(str_is_utf8(s, strlen(s)));
	for (const char *p = s; *p; p++) {
		bool ours = false;

		assert_null(strchr("<>\"'\x7f", *p));
		if ((unsigned char)*p < 0x20)
			assert_true(!in_attr && (*p == '\n' || *p == '\t'));
		for (size_t i = 0; *p == '&' && i < 5; i++)
			ours |= str_starts(p, entities[i]);
		assert_true(*p != '&' || ours);
	}
	assert_null(strstr(s, "\xe2\x80\xae"));
	assert_null(strstr(s, "\xef\xbf\xbe"));
}

static void payloads_stay_text_between_tags(void **state)
{
	(void)state;
	assert_true(NR >= 60);
	for (size_t i = 0; i < NR; i++) {
		struct str s = STR_INIT;

		html_txt(&s, payloads[i]);
		assert_is_text(s.p, false);
		str_reset(&s);
		html_txtf(&s, "%s", payloads[i]);
		assert_is_text(s.p, false);
		str_release(&s);
	}
}

static void payloads_stay_inside_an_attribute(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR; i++) {
		struct str s = STR_INIT;
		size_t len;

		html_attr(&s, "title", payloads[i]);
		len = strlen(" title=\"");
		assert_memory_equal(s.p, " title=\"", len);
		assert_int_equal(s.p[s.len - 1], '"');
		s.p[s.len - 1] = '\0';
		assert_is_text(s.p + len, true);
		str_release(&s);
	}
}

static void payloads_cannot_leave_a_path(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR; i++) {
		struct str s = STR_INIT;

		html_url(&s, payloads[i]);
		for (const char *p = s.p; *p; p++)
			assert_true(isalnum((unsigned char)*p) ||
				    strchr("%-._~/", *p));
		assert_null(strchr(s.p, ':'));
		str_release(&s);
	}
}

static void only_web_addresses_become_links(void **state)
{
	static const struct {
		const char *address;
		bool is_link;
	} rows[] = {
		{ "https://git.example.org/linux.git", true },
		{ "http://example.org/", true },
		{ "javascript:alert(1)", false },
		{ " https://example.org/", false },
		{ "HTTPS://example.org/", false },
		{ "git://example.org/x", false },
		{ "data:text/html,x", false },
		{ "/srv/git/linux", false },
		{ "", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct str s = STR_INIT;

		html_outlink(&s, rows[i].address, "repository");
		assert_int_equal(strstr(s.p, "<a ") != NULL, rows[i].is_link);
		assert_contains(s.p, "repository");
		str_release(&s);
	}
	for (size_t i = 0; i < NR; i++) {
		struct str s = STR_INIT;

		html_outlink(&s, payloads[i], payloads[i]);
		assert_null(strstr(s.p, "<script"));
		assert_null(strstr(s.p, "\" onc"));
		str_release(&s);
	}
}

static void text_comes_out_as_written(void **state)
{
	static const char *const rows[][2] = {
		{ "", "" },
		{ "plain", "plain" },
		{ "a & b", "a &amp; b" },
		{ "1 < 2 > 0", "1 &lt; 2 &gt; 0" },
		{ "\"it's\"", "&quot;it&#39;s&quot;" },
		{ "±2%", "±2%" },
		{ "\xf0\x9f\x90\x82", "\xf0\x9f\x90\x82" },
		{ "a\nb\tc", "a\nb\tc" },
		{ "a\rb", "a" FFFD "b" },
		{ "\xff", FFFD },
		{ "\xe2\x82", FFFD FFFD },
		{ "x\xc3", "x" FFFD },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct str s = STR_INIT;

		html_txt(&s, rows[i][0]);
		assert_string_equal(s.p, rows[i][1]);
		str_release(&s);
	}
}

static void null_prints_nothing(void **state)
{
	struct str s = STR_INIT;

	(void)state;
	html_txt(&s, NULL);
	html_attr(&s, "class", NULL);
	assert_int_equal(s.len, 0);
}

static void bytes_with_nul_are_replaced(void **state)
{
	struct str s = STR_INIT;

	(void)state;
	html_txtn(&s, "a\0b", 3);
	assert_string_equal(s.p, "a" FFFD "b");
	str_release(&s);
}

static void counts_get_commas(void **state)
{
	static const struct {
		long long nr;
		const char *text;
	} rows[] = {
		{ 0, "0" },	     { 37, "37" },
		{ 999, "999" },	     { 1000, "1,000" },
		{ 4812, "4,812" },   { 1234567, "1,234,567" },
		{ -1234, "-1,234" }, { -123, "-123" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct str s = STR_INIT;

		html_count(&s, rows[i].nr);
		assert_string_equal(s.p, rows[i].text);
		str_release(&s);
	}
}

static void durations_have_two_units(void **state)
{
	static const struct {
		double seconds;
		const char *text;
	} rows[] = {
		{ 0, "0 s" },
		{ 119.4, "119 s" },
		{ 125, "2 min 5 s" },
		{ 3600, "1 h 0 min" },
		{ 90061, "25 h 1 min" },
		{ 200000, "2 d 7 h" },
		{ -5, "0 s" },
		{ 1e300, "0 s" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct str s = STR_INIT;

		html_duration(&s, rows[i].seconds);
		assert_string_equal(s.p, rows[i].text);
		str_release(&s);
	}
}

static void times_are_utc_for_people_and_programs(void **state)
{
	struct str s = STR_INIT;

	(void)state;
	html_time(&s, 1791010000);
	assert_string_equal(s.p, "<time datetime=\"2026-10-03T06:46:40Z\">"
				 "2026-10-03 06:46 UTC</time>");
	str_reset(&s);
	html_time(&s, 0);
	assert_string_equal(s.p, "–");
	str_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(payloads_stay_text_between_tags),
		cmocka_unit_test(payloads_stay_inside_an_attribute),
		cmocka_unit_test(payloads_cannot_leave_a_path),
		cmocka_unit_test(only_web_addresses_become_links),
		cmocka_unit_test(text_comes_out_as_written),
		cmocka_unit_test(null_prints_nothing),
		cmocka_unit_test(bytes_with_nul_are_replaced),
		cmocka_unit_test(counts_get_commas),
		cmocka_unit_test(durations_have_two_units),
		cmocka_unit_test(times_are_utc_for_people_and_programs),
	};

	return RUN_TESTS(tests);
}
