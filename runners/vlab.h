/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The virtual lab in one folder: keys, the boxes' initramfs and a lab file that
 * names the boxes. Machines are started by the worker of each task; here they
 * are prepared, checked by one boot, listed and stopped.
 */
#ifndef RUNNERS_VLAB_H
#define RUNNERS_VLAB_H

#include <stddef.h>

#include "base/err.h"
#include "runners/qemu.h"

#define VLAB_BOXES_MAX 64

/*
 * Where things are; all owned. @dir absolute; @lab_file what `drover box add`
 * reads; @identity the client's private key; @host_key the boxes' host key
 * (private); @rootfs the initramfs.
 */
struct vlab {
	char *dir;
	char *lab_file;
	char *identity;
	char *host_key;
	char *rootfs;
};

/* Paths below @dir; @dir is made when missing. ERR_IO. */
int vlab_open(const char *dir, struct vlab *out, struct err *err);
void vlab_release(struct vlab *v);

/*
 * Make what is missing: keys once for good, the initramfs anew (unchanged when
 * this machine's programs are), the lab file with @nr boxes vm0, vm1, … when
 * there is none (an edited one stays). ERR_RANGE, ERR_NOTFOUND (a program is
 * not installed), ERR_IO.
 */
int vlab_prepare(const struct vlab *v, size_t nr, struct err *err);

/*
 * Boot @kernel once as the lab's boxes do, until its SSH greets; @out_seconds
 * says how long that took. ERR_BOOT with the console's last words.
 */
int vlab_check_boot(const struct vlab *v, const char *kernel,
		    double *out_seconds, struct err *err);

/*
 * Boxes that run with their state anywhere below @dir, at most @max; each to be
 * released by the caller. Returns how many, or ERR_IO.
 */
int vlab_running(const char *dir, struct qemu *out, size_t max,
		 struct err *err);

#endif
