/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A cpio archive in the "newc" format that Linux takes as its initramfs. All
 * entries belong to root and carry time 0, so equal content gives equal bytes.
 * Source: Documentation/driver-api/early-userspace/buffer-format.rst.
 */
#ifndef RUNNERS_CPIO_H
#define RUNNERS_CPIO_H

#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

/* An archive in the making; @nr entries so far. */
struct cpio {
	struct str bytes;
	unsigned int nr;
};

void cpio_init(struct cpio *c, size_t max_bytes);
void cpio_release(struct cpio *c);

/*
 * Add an entry. @path has no slash in front; a parent comes before what is in
 * it. @mode: permission bits only.
 */
void cpio_add_dir(struct cpio *c, const char *path, unsigned int mode);
void cpio_add_link(struct cpio *c, const char *path, const char *target);
void cpio_add_file(struct cpio *c, const char *path, unsigned int mode,
		   const void *data, size_t len);
/* A character device. */
void cpio_add_char(struct cpio *c, const char *path, unsigned int mode,
		   unsigned int dev_major, unsigned int dev_minor);

/* Write the trailer. ERR_LIMIT when the archive outgrew its maximum. */
int cpio_end(struct cpio *c, struct err *err);

#endif
