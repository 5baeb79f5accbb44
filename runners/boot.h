/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How the kernel under test gets onto a box, as a table. A new boot method: one
 * file boot_x.c with a `const struct boot_method`, a row in boot.c, a word in
 * configs/lab.h.
 */
#ifndef RUNNERS_BOOT_H
#define RUNNERS_BOOT_H

#include <stdbool.h>

#include "base/err.h"
#include "configs/lab.h"
#include "runners/qemu.h"
#include "runners/remote.h"
#include "runners/run.h"

/*
 * One boot. @old_boot_id: the boot that must be over, "" for any;
 * @deadline_ns: when SSH must answer; a method whose preparations take long
 * sets it anew; @qemu, @dir: the virtual machine and its folder, of method
 * qemu.
 */
struct boot {
	const struct boot_method *method;
	struct run *run;
	struct remote *remote;
	char old_boot_id[40];
	long long deadline_ns;
	struct qemu qemu;
	char *dir;
};

/*
 * @start makes the box boot the kernel, or returns an error (ERR_INFRA; or
 * ERR_TIMEOUT when it is sure that SSH won't come). @gone: whether waiting for
 * SSH is in vain (NULL: never).
 * @explain: SSH didn't come within the time; @err holds what the last attempt
 * said; returns the code and replaces the sentence when it knows better.
 * @crashed: whether the kernel crashed, with its log's tail appended to @log
 * (NULL: can't tell). @stop ends what @start began; NULL: nothing to end.
 */
struct boot_method {
	const char *name;
	int (*start)(struct boot *b, struct err *err);
	bool (*gone)(void *boot);
	int (*explain)(struct boot *b, struct err *err);
	bool (*crashed)(struct boot *b, struct str *log);
	void (*stop)(struct boot *b);
};

/* The row of a method; never NULL. */
const struct boot_method *boot_find(enum lab_boot method);

/*
 * Start the box of @run with its kernel and wait for SSH and, where there was
 * an old one, a new boot_id. @b is initialised here (boot_stop, also on error),
 * @remote connected on success. ERR_BOOT is a fact about the kernel;
 * ERR_INFRA, ERR_TIMEOUT, ERR_CONFIG are not.
 */
int boot_start(struct boot *b, struct run *run, struct remote *remote,
	       struct err *err);
void boot_stop(struct boot *b);

/* Whether the kernel crashed since; false when the method can't tell. */
bool boot_crashed(struct boot *b, struct str *log);

/* "kernel <sha12>" of the run, for sentences; static buffer. */
const char *boot_kernel_name(const struct boot *b);

/*
 * @template words with {kernel}, {box}, {address} replaced, run on this
 * machine: the hooks of method command, and power for others. ERR_INFRA with
 * the hook's first line of standard error.
 */
int boot_hook(struct boot *b, const char *what,
	      const struct config_list *template, struct err *err);

extern const struct boot_method boot_none;
extern const struct boot_method boot_qemu;
extern const struct boot_method boot_kexec;
extern const struct boot_method boot_command;

#endif
