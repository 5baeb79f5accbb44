// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of runners/vlab.c: what `drover-lab up` leaves, and what it leaves be.
#include "tests/unit/test.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "configs/lab.h"
#include "runners/vlab.h"

static char top[] = "/tmp/drover-test-vlab-XXXXXX";
static struct vlab lab;
/* the lab was made: this machine has all programs */
static bool made;

static int set_up(void **state)
{
	struct err err = { 0 };
	char *dir;
	int rc;

	(void)state;
	if (!mkdtemp(top))
		return -1;
	dir = file_join(top, "a/lab dir: #1 \"x\"");
	rc = vlab_open(dir, &lab, &err);
	free(dir);
	if (!rc)
		rc = vlab_prepare(&lab, 3, &err);
	made = !rc;
	return rc && rc != ERR_NOTFOUND ? -1 : 0;
}

static int tear_down(void **state)
{
	(void)state;
	vlab_release(&lab);
	return file_remove_tree(top, NULL);
}

static void the_lab_file_reads_back_as_qemu_boxes(void **state)
{
	struct err err = { 0 };
	struct lab boxes;

	(void)state;
	if (!made)
		skip();
	if (lab_read(lab.lab_file, &boxes, &err))
		fail_msg("%s", err.text);
	assert_int_equal(boxes.nr, 3);
	assert_string_equal(boxes.boxes[2].name, "vm2");
	assert_string_equal(boxes.boxes[0].tbox_group, "vm");
	assert_int_equal(boxes.boxes[0].boot.method, LAB_BOOT_QEMU);
	assert_int_equal(boxes.boxes[0].boot.icount, 2);
	assert_string_equal(boxes.boxes[0].boot.rootfs, lab.rootfs);
	assert_string_equal(boxes.boxes[0].identity, lab.identity);
	lab_release(&boxes);
}

static void keys_are_private_and_made_once(void **state)
{
	struct str before = STR_INIT;
	struct str after = STR_INIT;
	struct stat st;

	(void)state;
	if (!made)
		skip();
	assert_int_equal(stat(lab.identity, &st), 0);
	assert_int_equal(st.st_mode & 077, 0);
	assert_int_equal(stat(lab.host_key, &st), 0);
	assert_int_equal(st.st_mode & 077, 0);
	assert_int_equal(stat(lab.rootfs, &st), 0);
	assert_int_equal(st.st_mode & 077, 0);
	assert_int_equal(file_read(lab.identity, 10000, &before, NULL), 0);
	assert_int_equal(vlab_prepare(&lab, 3, NULL), 0);
	assert_int_equal(file_read(lab.identity, 10000, &after, NULL), 0);
	assert_string_equal(before.p, after.p);
	str_release(&before);
	str_release(&after);
}

static void an_edited_lab_file_stays(void **state)
{
	struct str text = STR_INIT;

	(void)state;
	if (!made)
		skip();
	assert_int_equal(
		file_write_atomic(lab.lab_file, "boxes: []\n", 10, 0640, NULL),
		0);
	assert_int_equal(vlab_prepare(&lab, 2, NULL), 0);
	assert_int_equal(file_read(lab.lab_file, 100, &text, NULL), 0);
	assert_string_equal(text.p, "boxes: []\n");
	str_release(&text);
}

static void a_senseless_number_of_boxes_is_refused(void **state)
{
	struct err err = { 0 };

	(void)state;
	assert_int_equal(vlab_prepare(&lab, 0, &err), ERR_RANGE);
	assert_int_equal(vlab_prepare(&lab, 65, &err), ERR_RANGE);
	assert_contains(err.text, "65 boxes");
}

static void pid_files_of_the_past_are_no_running_boxes(void **state)
{
	char *dir = file_join(lab.dir, "tasks/1/out/vm");
	char *path = file_join(dir, "pid");
	struct qemu found[2];

	(void)state;
	assert_int_equal(vlab_running(lab.dir, found, 2, NULL), 0);
	assert_int_equal(file_mkdirs(dir, 0700, NULL), 0);
	assert_int_equal(file_write_atomic(path, "1 1 22\n", 7, 0600, NULL), 0);
	assert_int_equal(vlab_running(lab.dir, found, 2, NULL), 0);
	free(path);
	free(dir);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_lab_file_reads_back_as_qemu_boxes),
		cmocka_unit_test(keys_are_private_and_made_once),
		cmocka_unit_test(an_edited_lab_file_stays),
		cmocka_unit_test(a_senseless_number_of_boxes_is_refused),
		cmocka_unit_test(pid_files_of_the_past_are_no_running_boxes),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
