// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of configs/kconfig_lint.c: which settings are warned of.
#include "tests/unit/test.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "configs/kconfig_lint.h"

static size_t lint(const char *text, json_t **out)
{
	*out = json_array();
	return kconfig_lint(text, strlen(text), *out);
}

static void only_what_is_on_is_warned_of(void **state)
{
	static const struct {
		const char *text;
		size_t nr;
	} rows[] = {
		{ "CONFIG_KASAN=y\n", 1 },
		{ "CONFIG_KASAN=y", 1 },
		{ "CONFIG_KASAN=n\n", 0 },
		{ "# CONFIG_KASAN is not set\n", 0 },
		{ "CONFIG_KASAN_STACK=y\nCONFIG_HAVE_KASAN=y\n", 0 },
		{ "CONFIG_KASAN=y\nCONFIG_KASAN=n\n", 0 },
		{ "CONFIG_KASAN=y\n# CONFIG_KASAN is not set\n", 0 },
		{ "# CONFIG_KASAN is not set\nCONFIG_KASAN=y\r\n", 1 },
		{ "#CONFIG_KASAN=y\n# CONFIG_KASAN=y\n", 0 },
		{ "CONFIG_XFS_DEBUG=y\nCONFIG_LOCKDEP=y\n", 2 },
		{ "CONFIG_BTRFS_DEBUG=m\n", 1 },
		{ "CONFIG_KFENCE=y\n", 1 },
		{ "CONFIG_KFENCE=y\nCONFIG_KFENCE_SAMPLE_INTERVAL=100\n", 1 },
		{ "CONFIG_KFENCE=y\nCONFIG_KFENCE_SAMPLE_INTERVAL=0\n", 0 },
		{ "CONFIG_DEBUG_KERNEL=y\nCONFIG_SCHED_DEBUG=y\n", 0 },
		{ "CONFIG_\nCONFIG_KASAN\nCONFIG_KASAN=\n=\n\n", 0 },
		{ "", 0 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		json_t *got;

		if (lint(rows[i].text, &got) != rows[i].nr)
			fail_msg("%s: not %zu warnings", rows[i].text,
				 rows[i].nr);
		json_decref(got);
	}
}

static void the_sentence_says_what_why_and_what_to_do(void **state)
{
	json_t *got;

	(void)state;
	lint("CONFIG_XFS_DEBUG=y\n", &got);
	assert_string_equal(
		json_string_value(json_array_get(got, 0)),
		"CONFIG_XFS_DEBUG=y: allocation groups are chosen at random "
		"and structures checked, so that no two runs are alike; set "
		"CONFIG_XFS_DEBUG=n, unless that is what is to be measured");
	assert_int_equal(kconfig_lint("CONFIG_XFS_DEBUG=y", 18, got), 0);
	assert_int_equal(json_array_size(got), 1);
	json_decref(got);
}

static void every_row_is_found(void **state)
{
	const struct kconfig_lint *row;

	(void)state;
	for (row = kconfig_lint_table; row->option; row++) {
		char text[200];
		json_t *got;

		snprintf(text, sizeof(text), "CONFIG_A=y\nCONFIG_%s=y\n",
			 row->option);
		assert_int_equal(lint(text, &got), 1);
		json_decref(got);
	}
}

static void bytes_that_are_no_text_are_no_trouble(void **state)
{
	static const char text[] = "CONFIG_KASAN=y\0\n\377CONFIG_\n\0CONFIG_K";
	json_t *got = json_array();

	(void)state;
	kconfig_lint(text, sizeof(text), got);
	kconfig_lint(NULL, 0, got);
	json_decref(got);
}

/* What comes with Drover must not be warned of. */
static void our_own_fragments_are_clean(void **state)
{
	static const char *const names[] = {
		"configs/kconfig/lab-slim.config",
		"configs/kconfig/lab-full.config"
	};
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct str text = STR_INIT;
		json_t *got = json_array();

		assert_int_equal(file_read(names[i], 1 << 20, &text, NULL), 0);
		assert_int_equal(kconfig_lint(text.p, text.len, got), 0);
		json_decref(got);
		str_release(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_what_is_on_is_warned_of),
		cmocka_unit_test(the_sentence_says_what_why_and_what_to_do),
		cmocka_unit_test(every_row_is_found),
		cmocka_unit_test(bytes_that_are_no_text_are_no_trouble),
		cmocka_unit_test(our_own_fragments_are_clean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
