/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The initramfs of a virtual box, put together from this machine's own
 * programs (sshd, benchmarks, busybox) and the libraries they need, so that no
 * image has to be fetched. Equal inputs give an equal file, bit by bit.
 */
#ifndef RUNNERS_ROOTFS_H
#define RUNNERS_ROOTFS_H

#include <stddef.h>

#include "base/err.h"

/*
 * @out            the file to write, replaced atomically
 * @host_key       private ed25519 host key file, baked in
 * @authorized_key public key of the client, one line of text
 * @programs       names or paths of more programs, ended by NULL; NULL: none
 */
struct rootfs {
	const char *out;
	const char *host_key;
	const char *authorized_key;
	const char *const *programs;
};

/*
 * Build it. ERR_NOTFOUND names a program that is missing on this machine and
 * how to install it; ERR_IO, ERR_LIMIT (over 512 MiB).
 */
int rootfs_build(const struct rootfs *r, struct err *err);

#endif
