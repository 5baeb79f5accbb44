// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of runners/quote.c: hostile words through the shells that are here.
#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/rand.h"
#include "base/spawn.h"
#include "runners/quote.h"

/* Words that mean something to a shell, to git or to a terminal. */
static const char *const hostile[] = {
	"",
	" ",
	"'",
	"''",
	"'\\''",
	"\"",
	"\\",
	"\\\\'",
	"$HOME",
	"${IFS}",
	"$(touch canary)",
	"`touch canary`",
	"$((1/0))",
	"a;touch${IFS}canary",
	"a$(id)",
	"-x",
	"--",
	"--help",
	"-e",
	"~",
	"~root",
	"a=b",
	"PATH=/nowhere",
	"*",
	"?",
	"[a-z]*",
	"/*",
	"{a,b}",
	"!",
	"!!",
	"#",
	"# comment",
	"a#b",
	"|",
	"||",
	"&",
	"&&",
	"; exit 7",
	"\n",
	"\n\n",
	"a\nexit 7\n",
	"'\nexit 7\n'",
	"\r",
	"\r\n",
	"\t",
	"\v\f",
	"\b\b\b",
	"\033[31m",
	"\033]0;title\007",
	"\x7f",
	"\xff\xfe",
	"\xc0\x80",
	"\xe2\x80\xae",
	"caf\xc3\xa9",
	"\xc3",
	">canary",
	"<canary",
	"2>&1",
	"<<EOF",
	"(touch canary)",
	")",
	"}",
	"{",
	"case",
	"if",
	"then",
	"fi",
	"done",
	"$'\\x41'",
	"$\"x\"",
	"$@",
	"$*",
	"$#",
	"$?",
	"$$",
	"$0",
	"%s",
	"%n%n%n",
	"%%",
	"\\0",
	"\\n",
	"\\c",
	"'\"'\"'",
	"\"'\"'\"",
	"';touch canary;'",
	"\";touch canary;\"",
	"\\';touch canary;\\'",
	"'$(touch canary)'",
	"''$(touch canary)''",
	"a b  c",
	" lead",
	"trail ",
	"trail\n",
	"..",
	"../../etc/passwd",
	"/dev/null",
	"con:fig",
	"x^y",
	"@{u}",
	"HEAD@{1}",
	"refs/heads/a;b",
	"v6.1..v6.2",
	"origin/master~3^2",
	"stress-ng --pipe 1",
	"0",
	"-0",
	"+",
	",",
	"%",
	"@",
	":",
	"a:b",
	".",
};

/* What @shell makes of the quoted words, one NUL behind each. */
static void words_of(const char *shell, const char *const *argv, size_t nr,
		     struct str *out)
{
	const char *sh[] = { shell, "-c", NULL, NULL };
	const char *busybox[] = { "busybox", "ash", "-c", NULL, NULL };
	bool is_busybox = !strcmp(shell, "busybox");
	struct str script = STR_INIT;
	struct spawn what = { .argv = is_busybox ? busybox : sh };
	struct err err = { 0 };
	size_t i;

	str_add(&script, "printf '%s\\0'");
	for (i = 0; i < nr; i++) {
		str_addch(&script, ' ');
		quote_add(&script, argv[i]);
	}
	*(is_busybox ? &busybox[3] : &sh[2]) = script.p;
	if (spawn_capture(&what, out, NULL, 20000, &err))
		fail_msg("%s: %s", shell, err.text);
	str_release(&script);
}

static void assert_same_words(const char *const *argv, size_t nr)
{
	static const char *const shells[] = { "sh", "bash", "busybox" };
	struct str out = STR_INIT;
	const char *p;
	size_t i;
	size_t k;

	for (k = 0; k < ARRAY_SIZE(shells); k++) {
		str_reset(&out);
		words_of(shells[k], argv, nr, &out);
		p = out.p;
		for (i = 0; i < nr; i++) {
			assert_true(p < out.p + out.len);
			assert_string_equal(p, argv[i]);
			p += strlen(p) + 1;
		}
		assert_true(p == out.p + out.len);
	}
	str_release(&out);
}

static void hostile_words_come_back_unchanged(void **state)
{
	(void)state;
	assert_true(ARRAY_SIZE(hostile) > 100);
	assert_same_words(hostile, ARRAY_SIZE(hostile));
}

static void every_byte_alone_and_at_either_end(void **state)
{
	char *words[255 * 3];
	size_t nr = 0;
	size_t i;
	int c;

	(void)state;
	for (c = 1; c < 256; c++) {
		words[nr++] = xasprintf("%c", c);
		words[nr++] = xasprintf("%cx", c);
		words[nr++] = xasprintf("x%c", c);
	}
	assert_same_words((const char *const *)words, nr);
	for (i = 0; i < nr; i++)
		free(words[i]);
}

static void random_bytes_come_back_unchanged(void **state)
{
	static const char special[] = "'\"\\$`\n;&|()<>*?~#!={}[] a-";
	char words[300][40];
	const char *argv[300];
	struct rand r;
	size_t i;
	size_t k;
	size_t len;

	(void)state;
	rand_seed(&r, 7);
	for (i = 0; i < ARRAY_SIZE(argv); i++) {
		len = (size_t)rand_below(&r, sizeof(words[i]));
		for (k = 0; k < len; k++)
			words[i][k] =
				rand_below(&r, 4)
					? special[rand_below(
						  &r, sizeof(special) - 1)]
					: (char)(1 + rand_below(&r, 255));
		words[i][len] = '\0';
		argv[i] = words[i];
	}
	assert_same_words(argv, ARRAY_SIZE(argv));
}

static void plain_words_stay_readable(void **state)
{
	const char *const argv[] = { "stress-ng", "--pipe", "2", "a b", NULL };
	struct str out = STR_INIT;

	(void)state;
	quote_add_argv(&out, argv);
	assert_string_equal(out.p, "stress-ng --pipe 2 'a b'");
	str_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hostile_words_come_back_unchanged),
		cmocka_unit_test(every_byte_alone_and_at_either_end),
		cmocka_unit_test(random_bytes_come_back_unchanged),
		cmocka_unit_test(plain_words_stay_readable),
	};

	return RUN_TESTS(tests);
}
