/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether the file that boots holds the kernel that was just linked. */
#ifndef RUNNERS_KERNEL_IMAGE_H
#define RUNNERS_KERNEL_IMAGE_H

#include "base/err.h"

/*
 * Compare @out/@image (a path below @out) with @out/vmlinux: an x86 bzImage by
 * the packed kernel inside it and that one's build-id, an ELF file by its
 * build-id; other formats pass. A stale object of a compiler's cache shows
 * here, before a box boots the wrong kernel. ERR_INFRA when they differ,
 * ERR_DATA (not an image), ERR_NOTFOUND, ERR_IO, ERR_LIMIT. Source:
 * Documentation/arch/x86/boot.rst, payload_offset and payload_length of
 * protocol 2.08.
 */
int kernel_image_check(const char *out, const char *image, struct err *err);

#endif
