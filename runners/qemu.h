/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One virtual NUMA box: a QEMU process that boots a given kernel and initramfs
 * and forwards a loopback port to the box's SSH. Emulation with a fixed
 * instruction-count clock makes its time independent of the load on the host;
 * it sees extra instructions and switches, never caches or NUMA latency.
 */
#ifndef RUNNERS_QEMU_H
#define RUNNERS_QEMU_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/str.h"

#define QEMU_ICOUNT_OFF (-1)
/* a kernel that floods its console is ended together with the machine */
#define QEMU_CONSOLE_MAX_BYTES ((size_t)16 << 20)

/*
 * What to start. Zero-initialise and fill in; strings are borrowed.
 * @name        box name, for errors and QEMU's -name
 * @state_dir   made when missing; console.log, qemu.err, pid go there (each
 *              start replaces them)
 * @kernel      bzImage; @initrd the initramfs; @append more kernel parameters
 *              or NULL
 * @memory_mib  per node, 128..65536; 0 means 512
 * @nodes       1..8, CPUs in equal shares; node 0 has all of them when they
 *              don't divide evenly; 0 means 2
 * @cpus        0 means 1; must be 1 with an instruction-count clock
 * @icount_shift 2^shift ns per instruction, 0..10; QEMU_ICOUNT_OFF: host time
 * @ssh_port    on 127.0.0.1; 0 takes a free one
 * @program     NULL means qemu-system-x86_64 from PATH
 * @keep        the box outlives the process that starts it; otherwise it is
 *              killed with it
 */
struct qemu_box {
	const char *name;
	const char *state_dir;
	const char *kernel;
	const char *initrd;
	const char *append;
	int memory_mib;
	int nodes;
	int cpus;
	int icount_shift;
	int ssh_port;
	const char *program;
	bool keep;
};

/*
 * A started box. @pid its process (its own group), @pidfd refers to exactly
 * that process; @console the path of the serial console's log, owned;
 * @state_dir owned. pid 0: none.
 */
struct qemu {
	pid_t pid;
	int pidfd;
	int ssh_port;
	char *console;
	char *state_dir;
};

/*
 * The command line for @box with SSH at @port: appended to @argv, one
 * NUL-terminated string after the other. Pure. ERR_RANGE names the bad field.
 */
int qemu_command(const struct qemu_box *box, int port, struct str *argv,
		 struct err *err);

/*
 * Start the machine and wait (at most 10 s) until QEMU listens on the port: the
 * guest has only begun to boot then. A connection succeeds long before the
 * guest answers, so a reader needs a short time limit for the SSH banner.
 * ERR_RANGE, ERR_NOTFOUND (kernel, initrd or QEMU), ERR_BUSY (the given port
 * is taken), ERR_INFRA (QEMU ended; its last words are in the sentence).
 */
int qemu_start(const struct qemu_box *box, struct qemu *out, struct err *err);

/*
 * Wait until the guest's SSH server greets (at most @timeout_ms), without
 * logging in. ERR_BOOT: it doesn't, or QEMU ended (a panic ends it); the
 * console's last words are in the sentence. @name stands in errors.
 */
int qemu_wait_ssh(const struct qemu *q, const char *name, long timeout_ms,
		  struct err *err);

/*
 * Kill exactly that process and wait for its end (at most 10 s); releases @q
 * and removes the pid file. A zeroed or ended box is fine.
 */
void qemu_stop(struct qemu *q);
/* Forget the box without stopping it. */
void qemu_release(struct qemu *q);
bool qemu_alive(const struct qemu *q);

/*
 * Find the box that an earlier process started in @state_dir, by the pid and
 * start time in its pid file. ERR_NOTFOUND when none runs (a pid that was
 * reused is not taken for it).
 */
int qemu_attach(const char *state_dir, struct qemu *out, struct err *err);

/*
 * The last lines (at most @max_bytes) of a console log, made safe to print,
 * appended to @out: what a kernel that doesn't boot said last. The line that
 * holds "Kernel panic", "BUG:" or "Oops", when there is one, comes first.
 */
void qemu_console_tail(const char *console, size_t max_bytes, struct str *out);

/* A port on 127.0.0.1 that nobody listens on at this moment, or ERR_IO. */
int qemu_free_port(struct err *err);

#endif
