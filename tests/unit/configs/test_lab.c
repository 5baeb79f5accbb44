// SPDX-License-Identifier: GPL-3.0-or-later
/* The lab file: boxes in, boxes through JSON, refusals with their place. */
#include "tests/unit/test.h"

#include <stdlib.h>

#include "base/json.h"
#include "configs/lab.h"

#define KEY                                                          \
	"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBBBBBBBBBBBBBBBBBBBBB" \
	"BBBBBBBBBBBBBBBBBBBBBB"

static const char good[] =
	"boxes:\n"
	"  - name: spr-01\n"
	"    tags: [numa, big]\n"
	"    address: 192.0.2.7\n"
	"    port: 2222\n"
	"    host_key: " KEY "\n"
	"    identity: /etc/drover/box.key\n"
	"    boot:\n"
	"      method: command\n"
	"      reboot: [ipmitool, power, 'cycle, now']\n"
	"  - name: fake\n"
	"    backend: 'null'\n"
	"    tbox_group: fakes\n"
	"    script: {mean: 250.5, sd: 2, fail_at: 3, fail_kind: bench}\n"
	"  - name: vm\n"
	"    port: 0\n"
	"    host_key: " KEY "\n"
	"    identity: /k\n"
	"    boot: {method: qemu, rootfs: ./r.img, icount: 2, nodes: 2}\n";

static void boxes_are_read_with_defaults(void **state)
{
	struct err err = { 0 };
	struct lab lab;
	const struct lab_box *b;

	(void)state;
	assert_int_equal(lab_parse(good, strlen(good), "lab.yaml", &lab, &err),
			 0);
	assert_int_equal(lab.nr, 3);
	b = lab_find(&lab, "spr-01");
	assert_string_equal(b->tbox_group, "spr-01");
	assert_int_equal(b->tags.nr, 2);
	assert_int_equal(b->port, 2222);
	assert_string_equal(b->user, "root");
	assert_string_equal(b->workdir, "/tmp/drover");
	assert_int_equal(b->boot.method, LAB_BOOT_COMMAND);
	assert_string_equal(b->boot.reboot.v[2], "cycle, now");
	b = lab_find(&lab, "fake");
	assert_int_equal(b->backend, LAB_NULL);
	assert_true(b->script.mean == 250.5);
	assert_int_equal(b->script.fail_at, 3);
	assert_int_equal(b->script.hang_at, -1);
	assert_string_equal(b->script.fail_kind, "bench");
	b = lab_find(&lab, "vm");
	assert_string_equal(b->address, "127.0.0.1");
	assert_int_equal(b->boot.icount, 2);
	assert_null(lab_find(&lab, "other"));
	lab_release(&lab);
}

static void a_box_survives_json(void **state)
{
	struct err err = { 0 };
	struct lab lab;

	(void)state;
	assert_int_equal(lab_parse(good, strlen(good), "lab.yaml", &lab, &err),
			 0);
	for (size_t i = 0; i < lab.nr; i++) {
		struct lab_box copy;
		json_t *one = lab_box_to_json(&lab.boxes[i]), *two;

		assert_int_equal(lab_box_from_json(one, &copy, &err), 0);
		two = lab_box_to_json(&copy);
		assert_true(json_equal(one, two));
		json_decref(one);
		json_decref(two);
		lab_box_release(&copy);
	}
	lab_release(&lab);
}

static void json_with_unknown_or_bad_members_is_refused(void **state)
{
	static const char *const bad[] = {
		"{\"name\":\"a\",\"backend\":\"null\",\"colour\":1}",
		"{\"name\":\"a\",\"backend\":\"carrier pigeon\"}",
		"{\"name\":\"a\",\"backend\":\"null\",\"boot\":{\"nodes\":0}}",
		"{\"name\":\"A B\",\"backend\":\"null\"}",
		"{\"name\":{},\"backend\":\"null\"}",
		"[]",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct err err = { 0 };
		struct lab_box box;
		json_t *j = json_parse(bad[i], strlen(bad[i]), "t", &err);

		assert_non_null(j);
		assert_int_equal(lab_box_from_json(j, &box, &err), ERR_DATA);
		json_decref(j);
	}
}

static void mistakes_are_named_with_their_place(void **state)
{
	static const struct {
		const char *text, *part;
	} cases[] = {
		{ "", "x:1:1: expected \"boxes:\"" },
		{ "boxes: 3\n", "x:1:8: boxes: expected a list" },
		{ "boxes: []\nboxs: []\n", "x:2:1: there is no key \"boxs\"" },
		{ "boxes:\n - {name: a, adress: b}\n",
		  "x:2:14: there is no key of a box \"adress\" (did you mean "
		  "address?)" },
		{ "boxes:\n - {name: a, backend: telnet}\n",
		  "x:2:23: backend: \"telnet\" is not ssh or null" },
		{ "boxes:\n - {name: a, port: 99999}\n",
		  "x:2:20: port: 99999 is outside 0 to 65535" },
		{ "boxes:\n - {name: a}\n", "x:2:4: box \"a\": an ssh box" },
		{ "boxes:\n - {name: a, address: h, host_key: ssh-rsa AAA}\n",
		  "other key types are not supported" },
		{ "boxes:\n - {name: a, address: -oProxyCommand=x}\n",
		  "address: expected a host name" },
		{ "boxes:\n - {backend: 'null', name: ../x}\n",
		  "a box needs a name" },
		{ "boxes:\n - {backend: 'null', name: a}\n"
		  " - {backend: 'null', name: a}\n",
		  "x:3:4: there is a box \"a\" already" },
		{ "boxes:\n - {backend: 'null', name: a, boot: {icount: 2, "
		  "cpus: 4}}\n",
		  "boot.icount needs boot.cpus: 1" },
		{ "boxes:\n - {backend: 'null', name: a, boot: [x]}\n",
		  "there is no key of a box \"boot\"" },
		{ "boxes:\n - {backend: 'null', name: a, tags: {b: c}}\n",
		  "tags: expected a list of texts, not a map" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = { 0 };
		struct lab lab;

		assert_int_equal(lab_parse(cases[i].text, strlen(cases[i].text),
					   "x", &lab, &err),
				 ERR_CONFIG);
		assert_contains(err.text, cases[i].part);
		lab_release(&lab);
	}
}

static void the_example_lab_files_are_valid(void **state)
{
	static const char *const files[] = { "configs/examples/lab.yaml",
					     "configs/examples/lab-null.yaml" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct err err = { 0 };
		struct lab lab;

		if (lab_read(files[i], &lab, &err))
			fail_msg("%s", err.text);
		assert_true(lab.nr >= 2);
		lab_release(&lab);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(boxes_are_read_with_defaults),
		cmocka_unit_test(a_box_survives_json),
		cmocka_unit_test(json_with_unknown_or_bad_members_is_refused),
		cmocka_unit_test(mistakes_are_named_with_their_place),
		cmocka_unit_test(the_example_lab_files_are_valid),
	};

	return RUN_TESTS(tests);
}
