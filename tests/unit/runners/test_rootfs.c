// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of runners/rootfs.c and runners/cpio.c: the initramfs of a box, read
// back with the cpio program.
#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "base/spawn.h"
#include "runners/cpio.h"
#include "runners/rootfs.h"

static char top[] = "/tmp/drover-test-rootfs-XXXXXX";
/* The initramfs that most tests look at, made by the first; owned. */
static char *shared;

static int set_up(void **state)
{
	char *path;

	(void)state;
	if (!mkdtemp(top))
		return -1;
	path = file_join(top, "key");
	file_write_atomic(path, "secret key\n", 11, 0600, NULL);
	free(path);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	free(shared);
	return file_remove_tree(top, NULL);
}

static bool has(const char *program)
{
	const char *const argv[] = { "sh", "-c",    "command -v \"$1\"",
				     "sh", program, NULL };
	struct spawn what = { .argv = argv };

	return !spawn_capture(&what, NULL, NULL, 5000, NULL);
}

static bool have_all(void)
{
	static const char *const needed[] = { "cpio",	   "busybox",
					      "stress-ng", "sysbench",
					      "kexec",	   "numactl" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(needed); i++)
		if (!has(needed[i]))
			return false;
	return true;
}

/* What cpio prints for @file with @how ("tv"), as text owned by the caller. */
static char *run_cpio(const char *file, const char *how)
{
	char *command = xasprintf("cpio -i%s --quiet <%s", how, file);
	const char *const argv[] = { "sh", "-c", command, NULL };
	struct str out = STR_INIT;
	struct err err = { 0 };

	if (spawn_output(argv, top, 20000, &out, &err))
		fail_msg("%s", err.text);
	free(command);
	return str_detach(&out);
}

static char *build(const char *name, const char *const *programs)
{
	char *path = file_join(top, name);
	char *key = file_join(top, "key");
	struct rootfs r = { path, key, "ssh-ed25519 AAAA", programs };
	struct err err = { 0 };

	if (rootfs_build(&r, &err))
		fail_msg("%s", err.text);
	free(key);
	return path;
}

/* Made once: it is large. */
static const char *shared_box(void)
{
	static const char *const more[] = { "env", NULL };

	if (!shared)
		shared = build("box", more);
	return shared;
}

static void an_archive_holds_what_was_added(void **state)
{
	char *path = file_join(top, "small");
	char *listing;
	struct cpio c;

	(void)state;
	if (!has("cpio"))
		skip();
	cpio_init(&c, 100000);
	cpio_add_dir(&c, "etc", 0755);
	cpio_add_file(&c, "etc/odd", 0640, "12345", 5);
	cpio_add_link(&c, "lib", "usr/lib");
	cpio_add_char(&c, "console", 0600, 5, 1);
	assert_int_equal(cpio_end(&c, NULL), 0);
	assert_int_equal(
		file_write_atomic(path, c.bytes.p, c.bytes.len, 0600, NULL), 0);
	listing = run_cpio(path, "tv");
	assert_contains(listing, "drwxr-xr-x   2 root");
	assert_contains(listing, "-rw-r-----   1 root     root            5 ");
	assert_contains(listing, "lib -> usr/lib");
	assert_contains(listing, "crw-------   1 root     root       5,   1 ");
	free(listing);
	listing = run_cpio(path, " --to-stdout etc/odd");
	assert_string_equal(listing, "12345");
	free(listing);
	cpio_release(&c);
	free(path);
}

static void an_archive_has_a_maximum(void **state)
{
	struct err err = { 0 };
	struct cpio c;

	(void)state;
	cpio_init(&c, 300);
	cpio_add_file(&c, "a", 0600, "0123456789", 10);
	cpio_add_file(&c, "b", 0600, "0123456789", 10);
	assert_int_equal(cpio_end(&c, &err), ERR_LIMIT);
	cpio_release(&c);
}

static void a_box_has_programs_libraries_and_keys(void **state)
{
	static const char *const parts[] = {
		"\ninit\n",
		"\nusr/sbin/sshd\n",
		"\nusr/bin/stress-ng\n",
		"\nusr/bin/busybox\n",
		"/libc.so.6\n",
		"ld-linux-x86-64.so.2\n",
		"\nusr/bin/mount\n",
		"\netc/ssh/ssh_host_ed25519_key\n",
		"\nusr/bin/env\n",
	};
	const char *path;
	char *listing;
	char *text;
	size_t i;

	(void)state;
	if (!have_all())
		skip();
	path = shared_box();
	listing = run_cpio(path, "t");
	for (i = 0; i < ARRAY_SIZE(parts); i++)
		assert_contains(listing, parts[i]);
	text = run_cpio(path, " --to-stdout root/.ssh/authorized_keys");
	assert_string_equal(text, "ssh-ed25519 AAAA\n");
	free(text);
	text = run_cpio(path, " --to-stdout etc/ssh/ssh_host_ed25519_key");
	assert_string_equal(text, "secret key\n");
	free(text);
	free(listing);
}

static void every_folder_comes_before_its_content(void **state)
{
	char *listing;
	char *save = NULL;
	char *line;
	char *seen;

	(void)state;
	if (!have_all())
		skip();
	listing = run_cpio(shared_box(), "t");
	seen = xasprintf("\n%s", listing);
	for (line = strtok_r(listing, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		char *slash = strrchr(line, '/');
		char *parent;
		const char *at;

		if (!slash)
			continue;
		parent = xasprintf("\n%.*s\n", (int)(slash - line), line);
		at = strstr(seen, parent);
		/* the line itself stands at the same place in both texts */
		assert_non_null(at);
		assert_true(at - seen < line - listing);
		free(parent);
	}
	free(seen);
	free(listing);
}

static void equal_inputs_give_equal_bytes(void **state)
{
	char a_sum[SHA256_HEX_BYTES];
	char b_sum[SHA256_HEX_BYTES];
	static const char *const more[] = { "env", NULL };
	char *again;

	(void)state;
	if (!have_all())
		skip();
	again = build("again", more);
	assert_int_equal(sha256_file(shared_box(), a_sum, NULL), 0);
	assert_int_equal(sha256_file(again, b_sum, NULL), 0);
	assert_string_equal(a_sum, b_sum);
	free(again);
}

static void a_program_that_is_missing_is_named(void **state)
{
	static const char *const more[] = { "no-such-benchmark", NULL };
	char *path = file_join(top, "none");
	char *key = file_join(top, "key");
	struct rootfs r = { path, key, "k", more };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(rootfs_build(&r, &err), ERR_NOTFOUND);
	assert_contains(err.text, "is not installed here");
	assert_false(file_exists(path));
	free(path);
	free(key);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_archive_holds_what_was_added),
		cmocka_unit_test(an_archive_has_a_maximum),
		cmocka_unit_test(a_box_has_programs_libraries_and_keys),
		cmocka_unit_test(every_folder_comes_before_its_content),
		cmocka_unit_test(equal_inputs_give_equal_bytes),
		cmocka_unit_test(a_program_that_is_missing_is_named),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
