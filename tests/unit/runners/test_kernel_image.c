// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of the check that an image holds the kernel that was linked: folders as
// kbuild leaves them, with a setup header made here.
#include "tests/unit/test.h"

#include <endian.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/spawn.h"
#include "base/str.h"
#include "runners/kernel_image.h"

#define IMAGE	"arch/x86/boot/bzImage"
#define PACKED	"arch/x86/boot/compressed/vmlinux.bin.gz"
#define SECTORS 2
#define OFFSET	64

static char out[] = "/tmp/drover-test-image-XXXXXX";

static void shell(const char *script)
{
	const char *argv[] = { "sh", "-c", script, "sh", out, NULL };

	struct str said = STR_INIT;

	assert_int_equal(spawn_output(argv, NULL, 30000, &said, NULL), 0);
	str_release(&said);
}

static int set_up(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(out));
	shell("mkdir -p $1/arch/x86/boot/compressed; cd $1;"
	      "echo 'int main(void) { return 0; }' >a.c;"
	      "cc -Wl,--build-id=sha1 a.c -o vmlinux;"
	      "echo 'int main(void) { return 1; }' >a.c;"
	      "cc -Wl,--build-id=sha1 a.c -o other;"
	      "cp vmlinux arch/x86/boot/compressed/vmlinux.bin");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	return file_remove_tree(out, NULL);
}

static void put(const char *name, const void *data, size_t len)
{
	char *path = file_join(out, name);

	assert_int_equal(file_write_atomic(path, data, len, 0600, NULL), 0);
	free(path);
}

/* An x86 image whose header claims @claimed bytes of @payload. */
static void put_image(const char *payload, uint32_t claimed)
{
	unsigned char b[4096] = { 0 };
	uint32_t offset = htole32(OFFSET);
	uint32_t length = htole32(claimed);
	size_t at = (SECTORS + 1) * 512 + OFFSET;

	b[0x1f1] = SECTORS;
	memcpy(b + 0x202, "HdrS\x0f\x02", 6);
	memcpy(b + 0x248, &offset, sizeof(offset));
	memcpy(b + 0x24c, &length, sizeof(length));
	memcpy(b + at, payload, strlen(payload));
	put(IMAGE, b, at + strlen(payload));
}

static int check(struct err *err)
{
	err->text[0] = '\0';
	return kernel_image_check(out, IMAGE, err);
}

static void packed_kernel_of_the_link(void **state)
{
	struct err err;

	(void)state;
	put(PACKED, "\x1f\x8bkernel", 8);
	put_image("\x1f\x8bkernel", 8);
	assert_int_equal(check(&err), 0);
}

static void packed_kernel_of_an_older_link(void **state)
{
	struct err err;

	(void)state;
	put(PACKED, "\x1f\x8bkernel", 8);
	put_image("\x1f\x8bkernal", 8); /* as long, another one */
	assert_int_equal(check(&err), ERR_INFRA);
	assert_non_null(strstr(err.text, "another kernel than vmlinux.bin.gz"));
	put_image("\x1f\x8bkernels", 9);
	assert_int_equal(check(&err), ERR_INFRA);
}

static void packed_from_an_older_link(void **state)
{
	struct err err;

	(void)state;
	put(PACKED, "\x1f\x8bkernel", 8);
	put_image("\x1f\x8bkernel", 8);
	shell("cp $1/other $1/arch/x86/boot/compressed/vmlinux.bin");
	assert_int_equal(check(&err), ERR_INFRA);
	assert_non_null(strstr(err.text, "another kernel than vmlinux:"));
	shell("cp $1/vmlinux $1/arch/x86/boot/compressed/vmlinux.bin");
	assert_int_equal(check(&err), 0);
}

static void header_that_lies(void **state)
{
	struct err err;

	(void)state;
	put(PACKED, "\x1f\x8bkernel", 8);
	put_image("\x1f\x8bkernel", 9);
	assert_int_equal(check(&err), ERR_DATA);
	put_image("\x1f\x8bkernel", UINT32_MAX);
	assert_int_equal(check(&err), ERR_DATA);
	assert_non_null(strstr(err.text, "bzImage: its header"));
}

static void elf_image(void **state)
{
	struct err err;

	(void)state;
	shell("cp $1/vmlinux $1/" IMAGE);
	assert_int_equal(check(&err), 0);
	shell("cp $1/other $1/" IMAGE);
	assert_int_equal(check(&err), ERR_INFRA);
}

static void other_formats_pass(void **state)
{
	struct err err;

	(void)state;
	put(IMAGE, "", 0);
	assert_int_equal(check(&err), 0);
	put(IMAGE, "MZ", 2);
	assert_int_equal(check(&err), 0);
	put_image("??", 2); /* a packer nobody knows yet */
	assert_int_equal(check(&err), 0);
}

static void no_image(void **state)
{
	struct err err;

	(void)state;
	shell("rm $1/" IMAGE);
	assert_int_equal(check(&err), ERR_NOTFOUND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packed_kernel_of_the_link),
		cmocka_unit_test(packed_kernel_of_an_older_link),
		cmocka_unit_test(packed_from_an_older_link),
		cmocka_unit_test(header_that_lies),
		cmocka_unit_test(elf_image),
		cmocka_unit_test(other_formats_pass),
		cmocka_unit_test(no_image),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
