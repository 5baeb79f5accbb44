// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Boxes by a field table, plus the checks that join fields: an ssh box needs an
 * address and a pinned ed25519 key, QEMU a root file system, hooks a command.
 */
#include "configs/lab.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "configs/field.h"

#define BOX(k, t, member, d, ...)                                       \
	{                                                               \
		.key = (k), .type = FIELD_##t,                          \
		.offset = offsetof(struct lab_box, member), .def = (d), \
		__VA_ARGS__                                             \
	}
#define RANGE(lo, hi) .min = (lo), .max = (hi)
#define BACKENDS      "ssh|null"
#define METHODS	      "none|qemu|kexec|command"

static const struct field rows[] = {
	BOX("name", STR, name, ""),
	BOX("tbox_group", STR, tbox_group, ""),
	BOX("tags", LIST, tags, ""),
	BOX("backend", CHOICE, backend, "ssh", .choices = BACKENDS),
	BOX("address", STR, address, ""),
	BOX("port", INT, port, "22", RANGE(0, 65535)),
	BOX("user", STR, user, "root"),
	BOX("host_key", STR, host_key, ""),
	BOX("identity", PATH, identity, ""),
	BOX("workdir", PATH, workdir, "/tmp/drover"),
	BOX("description", STR, description, ""),
	BOX("boot.method", CHOICE, boot.method, "none", .choices = METHODS),
	BOX("boot.cmdline", STR, boot.cmdline, ""),
	BOX("boot.rootfs", PATH, boot.rootfs, ""),
	BOX("boot.kernel", PATH, boot.kernel, ""),
	BOX("boot.qemu", STR, boot.qemu, "qemu-system-x86_64"),
	BOX("boot.nodes", INT, boot.nodes, "2", RANGE(1, 64)),
	BOX("boot.cpus", INT, boot.cpus, "1", RANGE(1, 1024)),
	BOX("boot.memory_mib", INT, boot.memory_mib, "512", RANGE(64, 1048576)),
	BOX("boot.icount", INT, boot.icount, "-1", RANGE(-1, 10)),
	BOX("boot.install", LIST, boot.install, ""),
	BOX("boot.reboot", LIST, boot.reboot, ""),
	BOX("boot.power", LIST, boot.power, ""),
	BOX("script.mean", NUM, script.mean, "1000", RANGE(-1e15, 1e15)),
	BOX("script.sd", NUM, script.sd, "10", RANGE(0, 1e15)),
	BOX("script.boot_sd", NUM, script.boot_sd, "0", RANGE(0, 1e15)),
	BOX("script.drift_pct", NUM, script.drift_pct, "0", RANGE(-100, 100)),
	BOX("script.slow_pct", PERCENT, script.slow_pct, "0", RANGE(0, 100)),
	BOX("script.seed", INT, script.seed, "1", RANGE(0, 9e15)),
	BOX("script.metrics", INT, script.metrics, "0", RANGE(0, 10000)),
	BOX("script.fail_at", INT, script.fail_at, "-1", RANGE(-1, 1000000)),
	BOX("script.hang_at", INT, script.hang_at, "-1", RANGE(-1, 1000000)),
	BOX("script.sleep_ms", INT, script.sleep_ms, "0", RANGE(0, 3600000)),
	BOX("script.fail_kind", WORD, script.fail_kind, "infra",
	    .choices = "infra|timeout|io|bench|boot"),
	BOX("script.fail_times", INT, script.fail_times, "0",
	    RANGE(0, 1000000)),
	BOX("script.slow", LIST, script.slow, ""),
	BOX("script.slow_file", PATH, script.slow_file, ""),
	BOX("script.says_file", PATH, script.says_file, ""),
	BOX("script.log", PATH, script.log, ""),
};

static const struct fields table = { rows, ARRAY_SIZE(rows), "key of a box" };

const char *lab_backend_to_str(enum lab_backend backend)
{
	return backend == LAB_NULL ? "null" : "ssh";
}

const char *lab_boot_to_str(enum lab_boot method)
{
	static const char *const words[] = { "none", "qemu", "kexec",
					     "command" };

	return words[method];
}

void lab_box_init(struct lab_box *box)
{
	memset(box, 0, sizeof(*box));
	fields_init(&table, box);
}

void lab_box_release(struct lab_box *box)
{
	fields_release(&table, box);
}

static bool name_ok(const char *s)
{
	static const char all[] = "abcdefghijklmnopqrstuvwxyz0123456789._-";
	size_t len = strlen(s);

	return len && len <= 64 && strspn(s, all) == len && *s != '.' &&
	       *s != '-' && *s != '_';
}

/* "ssh-ed25519 " and base64: 51 bytes, so 68 characters from AAAAC3Nz on. */
static bool host_key_ok(const char *s)
{
	static const char b64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmn"
				  "opqrstuvwxyz0123456789+/=";
	static const char start[] = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI";

	if (strncmp(s, start, sizeof(start) - 1) != 0)
		return false;
	s += 12;
	return strspn(s, b64) == 68 && (!s[68] || s[68] == ' ');
}

static const char *problem_ssh(const struct lab_box *b)
{
	if (!*b->address)
		return "an ssh box needs an address";
	if (*b->address == '-' || strpbrk(b->address, " /@"))
		return "address: expected a host name or an IP address";
	if (*b->user == '-' || !*b->user)
		return "user: expected a user name";
	if (!*b->host_key)
		return "an ssh box needs host_key (the line of "
		       "/etc/ssh/ssh_host_ed25519_key.pub on the box)";
	if (!host_key_ok(b->host_key))
		return "host_key: expected \"ssh-ed25519 AAAA…\"; other key "
		       "types are not supported";
	if (!*b->identity)
		return "an ssh box needs identity (an ed25519 private key)";
	return NULL;
}

static const char *problem(const struct lab_box *b)
{
	const struct lab_boot_spec *o = &b->boot;
	const char *why = NULL;

	if (!name_ok(b->name))
		return "a box needs a name of a-z, 0-9, '.', '_', '-'";
	if (!name_ok(b->tbox_group))
		return "tbox_group: expected a-z, 0-9, '.', '_', '-'";
	if (*b->workdir != '/')
		return "workdir: expected an absolute path";
	if (b->backend == LAB_SSH)
		why = problem_ssh(b);
	if (why)
		return why;
	if (o->method == LAB_BOOT_QEMU && b->backend == LAB_SSH && !*o->rootfs)
		return "boot method qemu needs boot.rootfs";
	if (o->method == LAB_BOOT_COMMAND && !o->reboot.nr)
		return "boot method command needs boot.reboot";
	if (o->icount >= 0 && o->cpus != 1)
		return "boot.icount needs boot.cpus: 1";
	if (o->method != LAB_BOOT_QEMU && b->backend == LAB_SSH && !b->port)
		return "port: 0 is for qemu boxes only";
	return NULL;
}

static int check_box(struct lab_box *b, const struct yaml_node *node,
		     const char *file, struct err *err)
{
	const char *why;

	if (!*b->tbox_group) {
		free(b->tbox_group);
		b->tbox_group = xstrdup(b->name);
	}
	if (!*b->address && b->boot.method == LAB_BOOT_QEMU) {
		free(b->address);
		b->address = xstrdup("127.0.0.1");
	}
	why = problem(b);
	if (!why)
		return 0;
	if (!node)
		return err_set(err, ERR_DATA, "box \"%s\": %s", b->name, why);
	return err_set(err, ERR_CONFIG, "%s:%d:%d: box \"%s\": %s", file,
		       node->line, node->col, b->name, why);
}

static int read_box(struct lab *lab, const struct yaml_node *node,
		    const char *file, struct err *err)
{
	struct lab_box *box = &lab->boxes[lab->nr++];
	struct fields_reader r = { .table = &table, .base = box, .file = file };
	int rc;

	lab_box_init(box);
	rc = fields_read(&r, node, err);
	if (!rc)
		rc = check_box(box, node, file, err);
	if (rc)
		return rc;
	if (lab_find(lab, box->name) != box)
		return err_set(err, ERR_CONFIG,
			       "%s:%d:%d: there is a box \"%s\" already", file,
			       node->line, node->col, box->name);
	return 0;
}

static int read_boxes(const struct yaml_file *f, struct lab *lab,
		      struct err *err)
{
	const struct yaml_node *doc = f->nr ? f->docs[0] : NULL;
	const struct yaml_node *boxes = yaml_map_get(doc, "boxes");
	int rc = 0;

	if (!doc || doc->kind != YAML_MAP || !boxes)
		return err_set(err, ERR_CONFIG,
			       "%s:1:1: expected \"boxes:\" and a list of "
			       "boxes",
			       f->name);
	for (size_t i = 0; i < doc->nr; i++)
		if (doc->items[i] != boxes)
			return err_set(err, ERR_CONFIG,
				       "%s:%d:%d: there is no key \"%.80s\" in "
				       "a lab file (did you mean boxes?)",
				       f->name, doc->keys[i]->line,
				       doc->keys[i]->col, doc->keys[i]->text);
	if (boxes->kind != YAML_SEQ && !yaml_is_null(boxes))
		return err_set(err, ERR_CONFIG,
			       "%s:%d:%d: boxes: expected a list", f->name,
			       boxes->line, boxes->col);
	if (boxes->nr > LAB_MAX_BOXES)
		return err_set(err, ERR_LIMIT, "%s: more than %d boxes",
			       f->name, LAB_MAX_BOXES);
	lab->boxes = xcalloc(boxes->nr + 1, sizeof(struct lab_box));
	lab->alloc = boxes->nr + 1;
	for (size_t i = 0; i < boxes->nr && !rc; i++)
		rc = read_box(lab, boxes->items[i], f->name, err);
	return rc;
}

int lab_parse(const char *text, size_t len, const char *name, struct lab *out,
	      struct err *err)
{
	struct yaml_file f;
	int rc;

	memset(out, 0, sizeof(*out));
	rc = yaml_parse(text, len, name, &f, err);
	if (!rc)
		rc = read_boxes(&f, out, err);
	yaml_file_release(&f);
	return rc;
}

int lab_read(const char *path, struct lab *out, struct err *err)
{
	struct yaml_file f;
	int rc;

	memset(out, 0, sizeof(*out));
	rc = yaml_read(path, &f, err);
	if (!rc)
		rc = read_boxes(&f, out, err);
	yaml_file_release(&f);
	return rc;
}

void lab_release(struct lab *lab)
{
	for (size_t i = 0; i < lab->nr; i++)
		lab_box_release(&lab->boxes[i]);
	free(lab->boxes);
	memset(lab, 0, sizeof(*lab));
}

const struct lab_box *lab_find(const struct lab *lab, const char *name)
{
	for (size_t i = 0; i < lab->nr; i++)
		if (!strcmp(lab->boxes[i].name, name))
			return &lab->boxes[i];
	return NULL;
}

json_t *lab_box_to_json(const struct lab_box *box)
{
	return fields_to_json(&table, box);
}

int lab_box_from_json(const json_t *json, struct lab_box *out, struct err *err)
{
	int rc;

	lab_box_init(out);
	rc = fields_from_json(&table, out, json, err);
	if (!rc)
		rc = check_box(out, NULL, NULL, err);
	if (rc)
		lab_box_release(out);
	return rc;
}
