// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of runners/build_sources.c: which files a kernel was built from.
#include "tests/unit/test.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "runners/build_sources.h"

static void add(struct build_sources *s, const char *cmd)
{
	char *text = xstrdup(cmd);

	build_sources_add_cmd(s, text);
	free(text);
}

static void a_cmd_file_names_sources_headers_and_scripts(void **state)
{
	static const char cmd[] =
		"cmd_fs/pipe.o := ccache gcc -Wp,-MMD,fs/.pipe.o.d -I../include"
		" -include ../include/linux/kconfig.h -c -o fs/pipe.o "
		"../fs/pipe.c\n\n"
		"source_fs/pipe.o := ../fs/pipe.c\n\n"
		"deps_fs/pipe.o := \\\n"
		"    $(wildcard include/config/EPOLL) \\\n"
		"  ../include/linux/mm.h \\\n"
		"  ../arch/x86/kvm/../../../virt/kvm/dirty_ring.c \\\n"
		"  /usr/include/stdio.h \\\n"
		"  include/generated/autoconf.h\n"
		"cmd_x := sh '../scripts/gen.sh' \"../a/b.tbl\"; cat ../c.awk|x "
		"../../outside.c ../*.c\n";
	struct build_sources s = { NULL, 0, 0 };
	struct str text = STR_INIT;

	(void)state;
	add(&s, cmd);
	build_sources_sort(&s);
	build_sources_format(&s, &text);
	assert_string_equal(text.p, "a/b.tbl\n"
				    "c.awk\n"
				    "fs/pipe.c\n"
				    "include/linux/kconfig.h\n"
				    "include/linux/mm.h\n"
				    "scripts/gen.sh\n"
				    "virt/kvm/dirty_ring.c\n");
	str_release(&text);
	build_sources_release(&s);
}

static void only_what_surely_has_no_effect_is_ruled_out(void **state)
{
	static const struct {
		const char *path;
		bool matters;
	} cases[] = {
		{ "fs/pipe.c", true },
		{ "fs/ext4/inode.c", false },
		{ "fs/pipe.h", false },
		{ "kernel/trace/x.S", false },
		{ "fs/Makefile", true },
		{ "mm/Kconfig", true },
		{ "Kbuild", true },
		{ "arch/x86/x.lds", true },
		{ "README.rst", false },
		{ "Documentation/x/y.yaml", false },
		{ "MAINTAINERS", false },
		{ "scripts/mod/modpost.c", true },
		{ "tools/objtool/check.c", true },
		{ "arch/x86/boot/main.c", true },
		{ "arch/x86/tools/relocs.c", true },
	};
	struct build_sources s = { NULL, 0, 0 };
	struct build_sources none = { NULL, 0, 0 };
	size_t i;

	(void)state;
	add(&s, "../fs/pipe.c ../fs/open.c ../a.c");
	build_sources_sort(&s);
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(build_sources_matter(&s, cases[i].path),
				 cases[i].matters);
	assert_false(build_sources_matter(&none, "fs/pipe.c"));
	build_sources_release(&s);
}

static void a_folder_is_searched_but_no_link_followed(void **state)
{
	char top[] = "/tmp/drover-test-sources-XXXXXX";
	struct build_sources s;
	char *deep;
	char *path;
	char *list;

	(void)state;
	assert_non_null(mkdtemp(top));
	deep = file_join(top, "out/fs/x");
	path = file_join(deep, ".a.o.cmd");
	list = file_join(top, "out");
	assert_int_equal(file_mkdirs(deep, 0700, NULL), 0);
	assert_int_equal(file_write_atomic(path, "../a.c", 6, 0600, NULL), 0);
	free(path);
	path = file_join(top, "src.cmd");
	assert_int_equal(file_write_atomic(path, "../no.c", 7, 0600, NULL), 0);
	free(path);
	path = file_join(top, "out/source");
	assert_int_equal(symlink("..", path), 0);
	assert_int_equal(build_sources_collect(list, &s, NULL), 0);
	assert_int_equal(s.nr, 1);
	assert_string_equal(s.v[0], "a.c");
	build_sources_release(&s);
	free(path);
	free(list);
	free(deep);
	file_remove_tree(top, NULL);
}

static void a_list_reads_back_as_written(void **state)
{
	char path[] = "/tmp/drover-test-list-XXXXXX";
	struct build_sources s = { NULL, 0, 0 };
	struct build_sources back;
	struct str text = STR_INIT;
	struct err err = { 0 };
	int fd = mkstemp(path);

	(void)state;
	add(&s, "../b.c ../a.h ../b.c");
	build_sources_sort(&s);
	build_sources_format(&s, &text);
	assert_int_equal(file_write_all(fd, text.p, text.len, NULL), 0);
	close(fd);
	assert_int_equal(build_sources_read(path, &back, NULL), 0);
	assert_int_equal(back.nr, 2);
	assert_string_equal(back.v[0], "a.h");
	build_sources_release(&back);
	build_sources_release(&s);
	str_release(&text);
	unlink(path);
	assert_int_equal(build_sources_read(path, &back, &err), ERR_NOTFOUND);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cmd_file_names_sources_headers_and_scripts),
		cmocka_unit_test(only_what_surely_has_no_effect_is_ruled_out),
		cmocka_unit_test(a_folder_is_searched_but_no_link_followed),
		cmocka_unit_test(a_list_reads_back_as_written),
	};

	return RUN_TESTS(tests);
}
