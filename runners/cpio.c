// SPDX-License-Identifier: GPL-3.0-or-later
// Writing a newc cpio archive into memory.
#include "runners/cpio.h"

#include <string.h>
#include <sys/stat.h>

#define PAD_TO	     4
#define BLOCK_BYTES  512
#define TRAILER_NAME "TRAILER!!!"

/* What differs between kinds of entries. */
struct entry {
	const char *path;
	unsigned int mode;
	unsigned int nlink;
	unsigned int dev_major;
	unsigned int dev_minor;
	const void *data;
	size_t len;
};

void cpio_init(struct cpio *c, size_t max_bytes)
{
	str_init(&c->bytes);
	c->bytes.max_bytes = max_bytes;
	c->nr = 0;
}

void cpio_release(struct cpio *c)
{
	str_release(&c->bytes);
}

static void pad(struct str *s, size_t to)
{
	static const char zeros[BLOCK_BYTES];

	str_addn(s, zeros, (to - s->len % to) % to);
}

static void add_entry(struct cpio *c, const struct entry *e)
{
	size_t name_len = strlen(e->path) + 1;

	c->nr++;
	str_addf(&c->bytes, "070701%08X%08X%08X%08X%08X%08X%08zX", c->nr,
		 e->mode, 0U, 0U, e->nlink, 0U, e->len);
	str_addf(&c->bytes, "%08X%08X%08X%08X%08zX%08X", 0U, 0U, e->dev_major,
		 e->dev_minor, name_len, 0U);
	str_addn(&c->bytes, e->path, name_len);
	pad(&c->bytes, PAD_TO);
	if (e->len)
		str_addn(&c->bytes, e->data, e->len);
	pad(&c->bytes, PAD_TO);
}

void cpio_add_dir(struct cpio *c, const char *path, unsigned int mode)
{
	struct entry e = { .path = path, .mode = S_IFDIR | mode, .nlink = 2 };

	add_entry(c, &e);
}

void cpio_add_link(struct cpio *c, const char *path, const char *target)
{
	struct entry e = { .path = path,
			   .mode = S_IFLNK | 0777,
			   .nlink = 1,
			   .data = target,
			   .len = strlen(target) };

	add_entry(c, &e);
}

void cpio_add_file(struct cpio *c, const char *path, unsigned int mode,
		   const void *data, size_t len)
{
	struct entry e = { .path = path,
			   .mode = S_IFREG | mode,
			   .nlink = 1,
			   .data = data,
			   .len = len };

	add_entry(c, &e);
}

void cpio_add_char(struct cpio *c, const char *path, unsigned int mode,
		   unsigned int dev_major, unsigned int dev_minor)
{
	struct entry e = { .path = path,
			   .mode = S_IFCHR | mode,
			   .nlink = 1,
			   .dev_major = dev_major,
			   .dev_minor = dev_minor };

	add_entry(c, &e);
}

int cpio_end(struct cpio *c, struct err *err)
{
	struct entry e = { .path = TRAILER_NAME, .nlink = 1 };

	add_entry(c, &e);
	pad(&c->bytes, BLOCK_BYTES);
	if (c->bytes.cut)
		return err_set(err, ERR_LIMIT,
			       "the initramfs is larger than %zu MiB",
			       c->bytes.max_bytes >> 20);
	return 0;
}
