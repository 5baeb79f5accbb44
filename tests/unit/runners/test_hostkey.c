// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of runners/hostkey.c. The keys were made for this test; fingerprints
// are what `ssh-keygen -l` (OpenSSH 9.2) printed for them.
#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/spawn.h"
#include "runners/hostkey.h"

#define ED25519 \
	"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB440AOEXhuy+8cr+TXl7antR+wR4L1b6Po1iiwa8OBM"
#define PRINT "SHA256:WhcLJ3+/TxYIDhBXwZE9vcWCAxB7RKLpJFjPFPmH9nc"

static void a_pinned_line_becomes_bytes_and_fingerprint(void **state)
{
	static const char *const lines[] = { ED25519, ED25519 " root@box",
					     ED25519 "\tx" };
	char print[HOSTKEY_FINGERPRINT_BYTES];
	struct hostkey key;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		assert_int_equal(hostkey_parse(lines[i], &key, NULL), 0);
		assert_string_equal(key.type, "ssh-ed25519");
		assert_int_equal(key.len, 51);
		hostkey_fingerprint(key.blob, key.len, print);
		assert_string_equal(print, PRINT);
	}
}

static void bad_lines_are_refused_with_a_way_out(void **state)
{
	static const struct {
		const char *line;
		const char *why;
	} rows[] = {
		{ "", "ssh-keyscan -t ed25519" },
		{ "ssh-ed25519", "no 'ssh-ed25519 AAAA" },
		{ "ssh-ed25519 ", "cut off?" },
		{ "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5", "cut off?" },
		{ "ssh-ed25519 !!!!", "cut off?" },
		{ "ssh-rsa AAAAB3NzaC1yc2EAAAADAQAB", "RSA key" },
		{ "ssh-dss AAAAB3NzaC1kc3M=", "unknown type 'ssh-dss'" },
		{ "ecdsa-sha2-nistp256 AAAAC3NzaC1lZDI1NTE5AAAAIA==",
		  "no valid ecdsa" },
		{ "@revoked ssh-ed25519 AAAA", "unknown type" },
	};
	struct hostkey key = { .type = "kept" };
	struct err err;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(hostkey_parse(rows[i].line, &key, &err),
				 ERR_CONFIG);
		assert_contains(err.text, rows[i].why);
		assert_string_equal(key.type, "kept");
	}
}

static void a_key_longer_than_any_is_refused(void **state)
{
	struct str line = STR_INIT;
	struct hostkey key;
	int i;

	(void)state;
	str_add(&line, "ssh-ed25519 ");
	for (i = 0; i < 100000; i++)
		str_addch(&line, 'A');
	assert_int_equal(hostkey_parse(line.p, &key, NULL), ERR_CONFIG);
	str_release(&line);
}

/* ssh-keygen's key of a type in a fresh file; owned by the caller. */
static char *make_key(const char *dir, const char *type, const char *format)
{
	char *path = xasprintf("%s/%s-%s", dir, type, format);
	const char *const argv[] = { "ssh-keygen", "-q", "-t", type, "-m",
				     format,	   "-N", "",   "-C", "",
				     "-f",	   path, NULL };
	struct spawn what = { .argv = argv };

	assert_int_equal(spawn_capture(&what, NULL, NULL, 60000, NULL), 0);
	return path;
}

static void identities_that_cant_work_are_named(void **state)
{
	char dir[] = "/tmp/drover-hostkey-XXXXXX";
	struct err err = { 0 };
	char *good;
	char *pem;
	char *rfc;

	(void)state;
	assert_non_null(mkdtemp(dir));
	good = make_key(dir, "ed25519", "RFC4716");
	pem = make_key(dir, "rsa", "PEM");
	rfc = make_key(dir, "rsa", "RFC4716");
	assert_int_equal(hostkey_check_identity(good, &err), 0);
	assert_int_equal(hostkey_check_identity(pem, &err), ERR_CONFIG);
	assert_contains(err.text, "ssh-keygen -t ed25519");
	assert_int_equal(hostkey_check_identity(rfc, &err), ERR_CONFIG);
	assert_contains(err.text, "is an RSA key");
	chmod(good, 0640);
	assert_int_equal(hostkey_check_identity(good, &err), ERR_CONFIG);
	assert_contains(err.text, "chmod 600");
	assert_int_equal(hostkey_check_identity("", &err), ERR_CONFIG);
	assert_int_equal(hostkey_check_identity("/nowhere/key", &err),
			 ERR_NOTFOUND);
	assert_contains(err.text, "/nowhere/key");
	free(good);
	free(pem);
	free(rfc);
	file_remove_tree(dir, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pinned_line_becomes_bytes_and_fingerprint),
		cmocka_unit_test(bad_lines_are_refused_with_a_way_out),
		cmocka_unit_test(a_key_longer_than_any_is_refused),
		cmocka_unit_test(identities_that_cant_work_are_named),
	};

	return RUN_TESTS(tests);
}
