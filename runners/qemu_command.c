// SPDX-License-Identifier: GPL-3.0-or-later
// A QEMU box in words: its command line, and what its console said last.
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "runners/qemu.h"

#define MEMORY_MIB_DEFAULT 512
#define NODES_DEFAULT	   2
#define NODES_MAX	   8
#define CPUS_MAX	   64
#define ICOUNT_SHIFT_MAX   10
#define NODE_DISTANCE	   21

/* The box with its defaults filled in, checked. */
static int complete(const struct qemu_box *box, struct qemu_box *out,
		    struct err *err)
{
	*out = *box;
	if (!out->memory_mib)
		out->memory_mib = MEMORY_MIB_DEFAULT;
	if (!out->nodes)
		out->nodes = NODES_DEFAULT;
	if (!out->cpus)
		out->cpus = 1;
	if (!out->program)
		out->program = "qemu-system-x86_64";
	if (out->memory_mib < 128 || out->memory_mib > 65536)
		return err_set(err, ERR_RANGE,
			       "box %s: memory per node %d MiB is not in "
			       "128..65536",
			       out->name, out->memory_mib);
	if (out->nodes < 1 || out->nodes > NODES_MAX)
		return err_set(err, ERR_RANGE,
			       "box %s: %d nodes are not in 1..%d", out->name,
			       out->nodes, NODES_MAX);
	if (out->cpus < 1 || out->cpus > CPUS_MAX)
		return err_set(err, ERR_RANGE,
			       "box %s: %d CPUs are not in 1..%d", out->name,
			       out->cpus, CPUS_MAX);
	if (out->icount_shift < QEMU_ICOUNT_OFF ||
	    out->icount_shift > ICOUNT_SHIFT_MAX)
		return err_set(err, ERR_RANGE,
			       "box %s: icount shift %d is not in 0..%d",
			       out->name, out->icount_shift, ICOUNT_SHIFT_MAX);
	if (out->icount_shift != QEMU_ICOUNT_OFF && out->cpus != 1)
		return err_set(err, ERR_RANGE,
			       "box %s: an instruction-count clock works with "
			       "one CPU only, not %d (set the icount shift to "
			       "-1, or use one CPU)",
			       out->name, out->cpus);
	return 0;
}

static void add(struct str *argv, const char *arg)
{
	str_addn(argv, arg, strlen(arg) + 1);
}

static void add2(struct str *argv, const char *arg, char *value)
{
	add(argv, arg);
	add(argv, value);
	free(value);
}

/* In a QEMU option list a comma inside a value is written twice. */
static void add_named(struct str *argv, const struct qemu_box *b)
{
	struct str v = STR_INIT;
	const char *p;

	for (p = b->name; *p; p++) {
		str_addch(&v, *p);
		if (*p == ',')
			str_addch(&v, ',');
	}
	add2(argv, "-name", str_detach(&v));
}

static void add_clock(struct str *argv, const struct qemu_box *b)
{
	bool icount = b->icount_shift != QEMU_ICOUNT_OFF;

	add2(argv, "-accel",
	     xasprintf("tcg,thread=%s", icount ? "single" : "multi"));
	if (icount)
		add2(argv, "-icount", xasprintf("shift=%d", b->icount_shift));
}

/* CPUs in equal shares, so many nodes as there are CPUs; memory on all. */
static void add_numa(struct str *argv, const struct qemu_box *b)
{
	int owners = b->cpus % b->nodes ? 1 : b->nodes;
	int share = b->cpus / owners;
	int i;
	int j;

	add2(argv, "-smp",
	     xasprintf("%d,sockets=%d,cores=%d,threads=1", b->cpus, owners,
		       share));
	add2(argv, "-m", xasprintf("%dM", b->memory_mib * b->nodes));
	for (i = 0; i < b->nodes; i++) {
		add2(argv, "-object",
		     xasprintf("memory-backend-ram,id=m%d,size=%dM", i,
			       b->memory_mib));
		if (i >= owners)
			add2(argv, "-numa",
			     xasprintf("node,nodeid=%d,memdev=m%d", i, i));
		else
			add2(argv, "-numa",
			     xasprintf("node,nodeid=%d,memdev=m%d,cpus=%d-%d",
				       i, i, i * share, (i + 1) * share - 1));
	}
	for (i = 0; i < b->nodes; i++)
		for (j = i + 1; j < b->nodes; j++)
			add2(argv, "-numa",
			     xasprintf("dist,src=%d,dst=%d,val=%d", i, j,
				       NODE_DISTANCE));
}

static void add_devices(struct str *argv, const struct qemu_box *b, int port)
{
	add2(argv, "-netdev",
	     xasprintf("user,id=n0,restrict=on,"
		       "hostfwd=tcp:127.0.0.1:%d-:22",
		       port));
	add2(argv, "-device", xstrdup("virtio-net-pci,netdev=n0,romfile="));
	/* without it the first SSH handshake waits for entropy */
	add2(argv, "-device", xstrdup("virtio-rng-pci"));
	add2(argv, "-serial", xasprintf("file:%s/console.log", b->state_dir));
}

int qemu_command(const struct qemu_box *box, int port, struct str *argv,
		 struct err *err)
{
	static const char *const fixed[] = {
		"-nodefaults", "-no-user-config", "-no-reboot",	   "-display",
		"none",	       "-machine",	  "q35",	   "-cpu",
		"max",	       "-sandbox",	  "on,spawn=deny",
	};
	struct qemu_box b;
	size_t i;
	int rc;

	rc = complete(box, &b, err);
	if (rc)
		return rc;
	add(argv, b.program);
	add_named(argv, &b);
	for (i = 0; i < ARRAY_SIZE(fixed); i++)
		add(argv, fixed[i]);
	add_clock(argv, &b);
	add_numa(argv, &b);
	add_devices(argv, &b, port);
	add2(argv, "-kernel", xstrdup(b.kernel));
	add2(argv, "-initrd", xstrdup(b.initrd));
	add2(argv, "-append",
	     xasprintf("console=ttyS0 panic=-1 drover.box=%s%s%s", b.name,
		       b.append ? " " : "", b.append ? b.append : ""));
	return 0;
}

/* The first line that says why a kernel stopped; NULL when none does. */
static char *reason_line(const char *text)
{
	static const char *const marks[] = { "Kernel panic", "BUG: ", "Oops" };
	const char *hit = NULL;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(marks) && !hit; i++)
		hit = strstr(text, marks[i]);
	if (!hit)
		return NULL;
	while (hit > text && hit[-1] != '\n')
		hit--;
	return xstrndup(hit, strcspn(hit, "\r\n"));
}

/* Serial lines end with CR LF; a NUL would end the text. */
static void clean(struct str *text)
{
	size_t n = 0;
	size_t i;

	for (i = 0; i < text->len; i++) {
		if (!text->p[i])
			text->p[i] = '?';
		if (text->p[i] != '\r')
			text->p[n++] = text->p[i];
	}
	text->len = n;
	text->p[n] = '\0';
}

void qemu_console_tail(const char *console, size_t max_bytes, struct str *out)
{
	struct str text = STR_INIT;
	const char *from;
	char *reason;

	if (file_read(console, QEMU_CONSOLE_MAX_BYTES, &text, NULL) ||
	    !text.len) {
		str_release(&text);
		return;
	}
	clean(&text);
	reason = reason_line(text.p);
	if (reason) {
		str_add_term(out, reason, false);
		str_addch(out, '\n');
		free(reason);
	}
	from = text.p + (text.len > max_bytes ? text.len - max_bytes : 0);
	if (from > text.p && strchr(from, '\n'))
		from = strchr(from, '\n') + 1;
	str_add_term(out, from, true);
	str_release(&text);
}
