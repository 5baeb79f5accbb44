// SPDX-License-Identifier: GPL-3.0-or-later
// Boot method qemu: the worker itself starts a virtual machine with the kernel
// under test and ends it. Its console tells a bad kernel from a bad host.
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "runners/boot.h"
#include "runners/spool.h"

#define POLL_MS	      100
#define TAIL_BYTES    4096
#define CONSOLE_BYTES ((size_t)16 << 20)

static bool has_panic(const char *console)
{
	return strstr(console, "Kernel panic") || strstr(console, "BUG:") ||
	       strstr(console, "Oops");
}

static bool console_has(const struct boot *b, const char *text)
{
	struct str all = STR_INIT;
	bool has;

	all.max_bytes = CONSOLE_BYTES;
	has = !file_read(b->qemu.console, CONSOLE_BYTES, &all, NULL) &&
	      strstr(all.p, text);
	str_release(&all);
	return has;
}

/* A panic ends the machine, since it may not reboot. */
static bool qemu_gone(void *boot)
{
	struct boot *b = boot;

	return !qemu_alive(&b->qemu);
}

/*
 * Wait until the console says that the guest's sshd listens. A connection tried
 * earlier is taken by the virtual network, handed to the guest whenever it is
 * up, and costs it up to a second of CPU in the middle of a benchmark. A guest
 * that doesn't say so is tried anyway when half of the time is over.
 */
static int wait_console(struct boot *b, struct err *err)
{
	long long start_ns = clock_mono_ns();
	long long until_ns = start_ns + (b->deadline_ns - start_ns) / 2;

	while (!console_has(b, "Server listening on")) {
		if (qemu_gone(b))
			return err_set(err, ERR_TIMEOUT, "the machine ended");
		if (task_stopped() || clock_mono_ns() > until_ns)
			break;
		clock_sleep_ms(POLL_MS);
	}
	return 0;
}

static int qemu_start_box(struct boot *b, struct err *err)
{
	const struct run_spec *spec = b->run->spec;
	const struct lab_boot_spec *boot = &spec->box.boot;
	struct qemu_box box = {
		.name = spec->box.name,
		.kernel = spec->kernel,
		.initrd = boot->rootfs,
		.append = boot->cmdline,
		.memory_mib = (int)boot->memory_mib,
		.nodes = (int)boot->nodes,
		.cpus = (int)boot->cpus,
		.icount_shift =
			boot->icount < 0 ? QEMU_ICOUNT_OFF : (int)boot->icount,
		.program = *boot->qemu ? boot->qemu : NULL,
	};
	int ret;

	b->dir = b->run->task ? task_out_path(b->run->task, "vm")
			      : xstrdup("vm");
	box.state_dir = b->dir;
	ret = qemu_start(&box, &b->qemu, err);
	if (ret)
		return ret == ERR_RANGE || ret == ERR_NOTFOUND
			       ? ret
			       : err_recode(err, ERR_INFRA);
	/* each boot has its own forwarded port on this machine */
	b->remote->target.address = "127.0.0.1";
	b->remote->target.port = b->qemu.ssh_port;
	return wait_console(b, err);
}

/* What QEMU itself said last. */
static void qemu_words(const struct boot *b, struct str *out)
{
	char *path = file_join(b->dir, "qemu.err");
	struct str text = STR_INIT;

	if (!file_read(path, CONSOLE_BYTES, &text, NULL))
		spool_last_line(&text, out);
	str_release(&text);
	free(path);
}

/* Of the console's tail, the complaint (which comes first) or the last line. */
static const char *last_words(struct str *tail)
{
	char *line;

	str_rtrim(tail);
	if (!tail->len)
		return "its console is silent";
	line = strrchr(tail->p, '\n');
	if (line && !has_panic(tail->p))
		return line + 1;
	tail->len = strcspn(tail->p, "\n");
	tail->p[tail->len] = '\0';
	str_rtrim(tail);
	return tail->p;
}

/*
 * No SSH. The machine's own failure leaves the console empty and QEMU dead; a
 * kernel that got as far as its init without a complaint was perhaps only slow.
 */
static int qemu_explain(struct boot *b, struct err *err)
{
	const struct run_spec *spec = b->run->spec;
	struct str tail = STR_INIT;
	struct str said = STR_INIT;
	bool alive = qemu_alive(&b->qemu);
	int code = ERR_BOOT;

	qemu_words(b, &said);
	qemu_console_tail(b->qemu.console, TAIL_BYTES, &tail);
	if (alive && console_has(b, "as init process") && !has_panic(tail.p))
		code = ERR_TIMEOUT;
	if (!alive && !tail.len)
		err_set(err, code = ERR_INFRA,
			"box %s: QEMU ended before the kernel %s said "
			"anything: %s",
			spec->box.name, spec->kernel,
			said.len ? said.p : "no reason given");
	else
		err_set(err, code,
			"box %s: %s did not reach SSH within %.0f s%s; last "
			"console line: %s",
			spec->box.name, boot_kernel_name(b),
			spec->boot_timeout_s,
			alive ? "" : " (the machine ended)", last_words(&tail));
	str_release(&tail);
	str_release(&said);
	return code;
}

/* A machine that ended without a complaint may have been killed from outside.
 */
static bool qemu_crashed(struct boot *b, struct str *log)
{
	size_t before = log->len;

	qemu_console_tail(b->qemu.console, TAIL_BYTES, log);
	return has_panic(log->p + before);
}

static void qemu_stop_box(struct boot *b)
{
	qemu_stop(&b->qemu);
}

const struct boot_method boot_qemu = {
	.name = "qemu",
	.start = qemu_start_box,
	.gone = qemu_gone,
	.explain = qemu_explain,
	.crashed = qemu_crashed,
	.stop = qemu_stop_box,
};
