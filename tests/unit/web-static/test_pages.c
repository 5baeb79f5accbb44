// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of the pages as pure functions: whatever the database holds, in every
// one of its texts, comes out as text.
#include "tests/unit/test.h"

#include <math.h>

#include <stdbool.h>
#include <stdlib.h>

#include "web-static/html.h"
#include "web-static/layout.h"
#include "web-static/page.h"
#include "web-static/page_bisect.h"
#include "web-static/page_box.h"
#include "web-static/page_commit.h"
#include "web-static/page_feed.h"
#include "web-static/page_index.h"
#include "web-static/page_job.h"

static const char *const payloads[] = {
	"<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>",
	"' onmouseover='alert(1)",   "]]></title><svg onload=alert(1)>",
	"javascript:alert(1)",	     "-->\r\n<!--",
	"\xe2\x80\xaetxt.exe",
};

/* Every tag that our pages have. */
static const char *const tags[] = {
	"!DOCTYPE html",
	"html",
	"head",
	"meta",
	"title",
	"link",
	"script",
	"body",
	"a",
	"header",
	"nav",
	"ul",
	"li",
	"main",
	"p",
	"h1",
	"h2",
	"h3",
	"span",
	"div",
	"section",
	"table",
	"thead",
	"tbody",
	"caption",
	"tr",
	"th",
	"td",
	"time",
	"code",
	"pre",
	"footer",
	"figure",
	"figcaption",
	"svg",
	"path",
	"rect",
	"line",
	"text",
	"circle",
	"details",
	"summary",
	"strong",
	"?xml",
	"feed",
	"id",
	"author",
	"name",
	"updated",
	"entry",
	"br",
};

static bool is_ours(const char *name)
{
	name += *name == '/';
	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
		size_t len = strlen(tags[i]);

		if (!strncmp(name, tags[i], len) && strchr(" >/\n", name[len]))
			return true;
	}
	return false;
}

/* Tags are ours, attributes are quoted and hold no '<', no handler is there. */
static void assert_well_made(const char *html)
{
	assert_true(str_is_utf8(html, strlen(html)));
	for (const char *p = html; (p = strchr(p, '<')) != NULL; p++) {
		bool quoted = false;
		const char *q;

		if (!is_ours(p + 1))
			fail_msg("strange tag: %.60s", p);
		for (q = p + 1; *q && (quoted || *q != '>'); q++) {
			if (*q == '"')
				quoted = !quoted;
			assert_int_not_equal(*q, '<');
			assert_false(!quoted && !strncmp(q, " on", 3));
		}
	}
	assert_null(strstr(html, "href=\"javascript:"));
	assert_null(strstr(html, "\xe2\x80\xae"));
}

/* A copy with @text in the place of every string. */
static json_t *poison(const json_t *v, const char *text)
{
	json_t *out;
	const char *key;
	size_t i;
	json_t *item;

	if (json_is_string(v))
		return json_string(text);
	if (json_is_array(v)) {
		out = json_array();
		json_array_foreach(v, i, item)
			json_array_append_new(out, poison(item, text));
		return out;
	}
	if (!json_is_object(v))
		return json_deep_copy(v);
	out = json_object();
	json_object_foreach((json_t *)v, key, item)
		json_object_set_new(out, key, poison(item, text));
	return out;
}

/* The page of good data and of poisoned data; both must be well made. */
static void try_page(void (*page)(struct str *out, const json_t *data),
		     const char *text)
{
	struct err err = { 0 };
	json_t *data = json_parse(text, strlen(text), "test", &err);
	struct str out = STR_INIT;

	if (!data)
		fail_msg("%s", err.text);
	page(&out, data);
	assert_well_made(out.p);
	for (size_t i = 0; i < sizeof(payloads) / sizeof(payloads[0]); i++) {
		json_t *bad = poison(data, payloads[i]);

		str_reset(&out);
		page(&out, bad);
		assert_well_made(out.p);
		json_decref(bad);
	}
	/* and of nothing at all */
	str_reset(&out);
	json_object_clear(data);
	page(&out, data);
	assert_well_made(out.p);
	str_release(&out);
	json_decref(data);
}

#define ROW                                                                  \
	"{\"id\": 1, \"state\": \"done\", \"verdict\": \"regression\","      \
	" \"headline\": \"m\", \"direction\": \"lower\", \"change_pct\":"    \
	" 4.5, \"e_value\": 120.5, \"why\": \"w\", \"ended_s\": 1791010000," \
	" \"path\": \"p\", \"tbox_group\": \"g\", \"base_sha\": \"aa\","     \
	" \"head_sha\": \"0123456789abcdef\", \"head_subject\": \"s\","      \
	" \"page\": \"c/x/\", \"sha\": \"0123456789abcdef\","                \
	" \"subject\": \"t\", \"name\": \"n\", \"kind\": \"run\","           \
	" \"box\": \"b\", \"started_s\": 1, \"failure\": \"infra\","         \
	" \"folder\": \"/f\", \"runs\": 2, \"at_s\": 5, \"text\": \"e\","    \
	" \"layout\": 0, \"key\": \"k\", \"build_id\": \"i\","               \
	" \"seconds\": 7.5, \"message_id\": \"m@x\", \"last_error\": \"l\"," \
	" \"eta_s\": 90, \"done\": 1, \"total\": 2, \"prio\": 3,"            \
	" \"hw\": {\"model\": \"x\", \"nr_cpus\": 4}, \"culprit_sha\":"      \
	" \"ffff456789abcdef\", \"culprit_subject\": \"c\","                 \
	" \"created_s\": 9, \"metric\": \"q\", \"sd_ratio\": 0.01}"

static void the_front_page(void **state)
{
	(void)state;
	try_page(page_index_html,
		 "{\"generated_at_s\": 1791052000, \"regressions\": [" ROW
		 "], \"queue\": [" ROW "], \"boxes\": [" ROW
		 "], \"reports\": [" ROW "]}");
}

static void job_pages(void **state)
{
	(void)state;
	try_page(page_job_html,
		 "{\"id\": 3, \"name\": \"j\", \"state\": \"running\","
		 " \"why\": \"w\", \"yaml\": \"a: b\", \"merge_base\": \"m\","
		 " \"base_sha\": \"aaaa\", \"base_subject\": \"x\","
		 " \"head_sha\": \"bbbb\", \"head_subject\": \"y\","
		 " \"repo\": \"r\", \"branch\": \"b\", \"nr_events\": 99,"
		 " \"comparisons\": [" ROW "], \"artifacts\": [" ROW
		 "], \"attempts\": [" ROW "], \"events\": [" ROW
		 "], \"mails\": [" ROW "]}");
}

static void box_pages(void **state)
{
	(void)state;
	try_page(page_box_html,
		 "{\"name\": \"n\", \"state\": \"ready\", \"tags\": \"t\","
		 " \"hw\": {\"model\": \"m\", \"nodes\": 2, \"list\": [1]},"
		 " \"spec\": {\"host_key\": \"k\", \"boot\": {\"method\":"
		 " \"qemu\"}}, \"calibrations\": [" ROW "], \"queue\": [" ROW
		 "], \"boots\": [" ROW "]}");
}

static void commit_pages(void **state)
{
	(void)state;
	try_page(page_commit_html,
		 "{\"sha\": \"0123\", \"subject\": \"s\", \"author\": \"a\","
		 " \"authored_s\": 5, \"repo\": \"r\", \"url\":"
		 " \"https://git.example.org/\", \"comparisons\": [" ROW
		 "], \"regressions\": [" ROW "], \"artifacts\": [" ROW "]}");
}

#define LOG_ROW                                                  \
	"{\"round\": 1, \"phase\": \"verify\", \"sha\": \"01\"," \
	" \"subject\": \"s\", \"status\": \"ok\", \"boots\": 1," \
	" \"runs\": 2, \"values\": [1.5, 2.5, null, \"x\"],"     \
	" \"effect_pct\": -3.5, \"bad\": 0.9, \"candidates_left\": 3}"

static void bisection_pages(void **state)
{
	(void)state;
	try_page(page_bisect_html,
		 "{\"id\": 1, \"verdict\": \"culprit\", \"state\": \"done\","
		 " \"commits\": [\"01\"], \"posterior\": 0.99, \"why\": \"w\","
		 " \"base_sha\": \"00\", \"head_sha\": \"02\", \"headline\":"
		 " \"m\", \"change_pct\": -3, \"comparison_page\": \"c/x/\","
		 " \"steps\": [{\"seq\": 1, \"note\": \"n\", \"why\": \"y\","
		 "   \"result\": null}],"
		 " \"start\": {\"nr_commits\": 3, \"metric\": \"m\","
		 "  \"commits\": [" ROW ", {\"sha\": \"01\", \"hot\": \"f\"},"
		 "   {\"sha\": \"03\", \"subject\": \"s\", \"idle\": true,"
		 "    \"why\": \"merge\"}, {\"sha\": \"04\"}]},"
		 " \"cost\": {\"builds\": 2, \"unused\": 1,"
		 "  \"unused_seconds\": 9},"
		 " \"evidence\": {\"revert\": {\"outcome\": \"back\","
		 "  \"say\": \"gives it back\"}},"
		 " \"told\": {\"none\": 0.01, \"good_values\": [1, 2],"
		 "  \"candidates\": [{\"sha\": \"01\", \"subject\": \"s\","
		 "   \"prior\": 0.5, \"posterior\": 0.99, \"bad\": 1,"
		 "   \"boots\": 1, \"runs\": 2, \"status\": \"ok\"}],"
		 "  \"log\": [" LOG_ROW "], \"finding\": {\"reason\": \"r\","
		 "   \"delta_pct\": -3, \"lo_pct\": -4, \"hi_pct\": -2,"
		 "   \"e_value\": 200}}}");
}

static void what_can_not_matter_is_told_with_its_reason(void **state)
{
	static const char text[] =
		"{\"id\": 1, \"state\": \"running\", \"headline\": \"m\","
		" \"start\": {\"metric\": \"other\", \"commits\": ["
		"  {\"sha\": \"good\"},"
		"  {\"sha\": \"one\", \"hot\": \"a.c has <f>\"},"
		"  {\"sha\": \"two\", \"idle\": true, \"why\": \"files\"},"
		"  {\"sha\": \"three\", \"idle\": true, \"why\": \"side\"},"
		"  {\"sha\": \"four\"}]},"
		" \"told\": {\"candidates\": [{\"sha\": \"one\"}]}}";
	json_t *data = json_parse(text, strlen(text), "test", NULL);
	struct str out = STR_INIT;

	(void)state;
	page_bisect_html(&out, data);
	assert_contains(out.p, "Which commit changed other");
	assert_contains(out.p, "1 touch no file that the kernel is built from; "
			       "1 came in through such merges only; "
			       "1 were built into the bits of another commit.");
	assert_contains(out.p,
			"four</span> </td><td class=\"text\">built into");
	assert_contains(out.p, "one</span> a.c has &lt;f&gt;");
	str_release(&out);
	json_decref(data);
}

static void a_revert_on_head_is_a_fact(void **state)
{
	static const char text[] =
		"{\"id\": 1, \"state\": \"done\", \"verdict\": \"culprit\","
		" \"commits\": [\"01\"], \"told\": {\"finding\": {}},"
		" \"evidence\": {\"revert\": {\"outcome\": \"conflict\","
		"  \"say\": \"doesn't apply: <x>\"}}}";
	json_t *data = json_parse(text, strlen(text), "test", NULL);
	struct str out = STR_INIT;

	(void)state;
	page_bisect_html(&out, data);
	assert_contains(out.p, "Reverted on head");
	assert_contains(out.p, "apply: &lt;x&gt;");
	str_release(&out);
	json_decref(data);
}

static void without_a_replay_the_stored_steps_are_shown(void **state)
{
	static const char text[] =
		"{\"id\": 1, \"state\": \"running\", \"told_why\": \"why<\","
		" \"steps\": [{\"seq\": 1, \"note\": \"first note\","
		" \"result\": null}]}";
	json_t *data = json_parse(text, strlen(text), "test", NULL);
	struct str out = STR_INIT;

	(void)state;
	page_bisect_html(&out, data);
	assert_contains(out.p, "be replayed: why&lt;");
	assert_contains(out.p, "first note");
	assert_contains(out.p, "under way");
	str_release(&out);
	json_decref(data);
}

static void feed(struct str *out, const json_t *data)
{
	page_feed_atom(out, json_object_get(data, "rows"),
		       "https://lab.example.org/", 1791040000);
}

static void the_feed(void **state)
{
	(void)state;
	try_page(feed, "{\"rows\": [" ROW ", " ROW "]}");
}

static void links_lead_up_as_deep_as_the_page_lies(void **state)
{
	static const char *const rows[][2] = {
		{ "", "" },
		{ "r/", "../" },
		{ "b/1/", "../../" },
		{ "c/a..b/job/box/all/2/", "../../../../../../" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(layout_up(rows[i][0]), rows[i][1]);
}

static void a_change_says_its_direction_in_words_and_sign(void **state)
{
	static const struct {
		double pct;
		const char *direction;
		const char *text;
	} rows[] = {
		{ -9.7, "higher",
		  "<span class=\"change worse\">▼ -9.7%</span>" },
		{ -9.7, "lower",
		  "<span class=\"change better\">▼ -9.7%</span>" },
		{ 4.25, "higher",
		  "<span class=\"change better\">▲ +4.2%</span>" },
		{ 4.25, NULL, "<span class=\"change\">▲ +4.2%</span>" },
		{ 0, "higher", "<span class=\"change\">= +0.0%</span>" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct str s = STR_INIT;

		layout_change(&s, rows[i].pct, rows[i].direction);
		assert_string_equal(s.p, rows[i].text);
		str_release(&s);
	}
}

static void probabilities_never_claim_too_much(void **state)
{
	static const struct {
		double p;
		const char *text;
	} rows[] = {
		{ 1, "&gt;99.9%" }, { 0.9999, "&gt;99.9%" },
		{ 0.987, "98.7%" }, { 0.0004, "&lt;0.1%" },
		{ 0, "&lt;0.1%" },  { NAN, "–" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct str s = STR_INIT;

		page_percent(&s, rows[i].p);
		assert_string_equal(s.p, rows[i].text);
		str_release(&s);
	}
}

static void folder_names_are_harmless(void **state)
{
	static const char *const rows[][2] = {
		{ "stress-ng/pipe-60s-100%", "stress-ng-pipe-60s-100" },
		{ "../../etc", "etc" },
		{ "..", "x" },
		{ "", "x" },
		{ "a//b  c", "a-b-c" },
		{ "~1", "1" },
		{ "\xc3\xa4\xc3\xb6", "x" },
		{ "<script>", "script" },
		{ "0123456789abcdef", "0123456789" },
		{ "-.hidden", "hidden" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct str s = STR_INIT;

		site_slug(&s, rows[i][0], i == 8 ? 10 : 80);
		assert_string_equal(s.p, rows[i][1]);
		str_release(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_front_page),
		cmocka_unit_test(job_pages),
		cmocka_unit_test(box_pages),
		cmocka_unit_test(commit_pages),
		cmocka_unit_test(bisection_pages),
		cmocka_unit_test(what_can_not_matter_is_told_with_its_reason),
		cmocka_unit_test(a_revert_on_head_is_a_fact),
		cmocka_unit_test(without_a_replay_the_stored_steps_are_shown),
		cmocka_unit_test(the_feed),
		cmocka_unit_test(links_lead_up_as_deep_as_the_page_lies),
		cmocka_unit_test(a_change_says_its_direction_in_words_and_sign),
		cmocka_unit_test(probabilities_never_claim_too_much),
		cmocka_unit_test(folder_names_are_harmless),
	};

	return RUN_TESTS(tests);
}
