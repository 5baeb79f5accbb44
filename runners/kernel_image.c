// SPDX-License-Identifier: GPL-3.0-or-later
// The kernel inside an image, against the one that was linked.
#include "runners/kernel_image.h"

#include <elf.h>
#include <endian.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "runners/build.h"

#define IMAGE_MAX_BYTES ((size_t)1 << 30)
#define PACKED_DIR	"arch/x86/boot/compressed/"

/* Places in an x86 image's setup header. */
#define SETUP_SECTORS	0x1f1
#define MAGIC		0x202
#define VERSION		0x206
#define PAYLOAD_OFFSET	0x248
#define PAYLOAD_LENGTH	0x24c
#define HEADER_END	0x250
#define SECTOR_BYTES	512
#define VERSION_PAYLOAD 0x0208
#define DEFAULT_SECTORS 4

/* How a packed kernel begins, and the file that kbuild packs it into. */
static const struct {
	const char *magic;
	size_t len;
	const char *name;
} packers[] = {
	{ "\x1f\x8b", 2, "vmlinux.bin.gz" },
	{ "\x28\xb5\x2f\xfd", 4, "vmlinux.bin.zst" },
	{ "\xfd\x37zXZ", 5, "vmlinux.bin.xz" },
	{ "\x02\x21\x4c\x18", 4, "vmlinux.bin.lz4" },
	{ "\x89LZO", 4, "vmlinux.bin.lzo" },
	{ "BZh", 3, "vmlinux.bin.bz2" },
	{ "\x5d\x00\x00", 3, "vmlinux.bin.lzma" },
};

static uint32_t le32_at(const struct str *s, size_t at)
{
	uint32_t v;

	memcpy(&v, s->p + at, sizeof(v));
	return le32toh(v);
}

static bool is_x86(const struct str *s)
{
	unsigned int version;

	if (s->len < HEADER_END || memcmp(s->p + MAGIC, "HdrS", 4) != 0)
		return false;
	version = le32_at(s, VERSION) & 0xffff;
	return version >= VERSION_PAYLOAD;
}

/* The packed kernel inside @image; borrowed. ERR_DATA: not inside the file. */
static int find_payload(const struct str *image, const char **out, size_t *len,
			struct err *err)
{
	size_t sectors = (unsigned char)image->p[SETUP_SECTORS];
	size_t at = ((sectors ? sectors : DEFAULT_SECTORS) + 1) * SECTOR_BYTES +
		    le32_at(image, PAYLOAD_OFFSET);

	*len = le32_at(image, PAYLOAD_LENGTH);
	if (at > image->len || *len > image->len - at)
		return err_set(err, ERR_DATA,
			       "its header puts the packed kernel behind its "
			       "end");
	*out = image->p + at;
	return 0;
}

static const char *packed_name(const char *payload, size_t len)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(packers); i++)
		if (len >= packers[i].len &&
		    !memcmp(payload, packers[i].magic, packers[i].len))
			return packers[i].name;
	return NULL;
}

static int stale(const char *than, struct err *err)
{
	return err_set(err, ERR_INFRA,
		       "it holds another kernel than %s: a stale object, "
		       "perhaps of the compiler's cache (clear it: ccache -C)",
		       than);
}

static bool same_bytes(const char *a, size_t a_len, const char *b, size_t b_len)
{
	return a_len == b_len && a && b && !memcmp(a, b, a_len);
}

/* Whether @out/@name is the very packed kernel of the image. */
static int same_packed(const char *out, const char *name, const char *payload,
		       size_t len, struct err *err)
{
	char *path = xasprintf("%s/" PACKED_DIR "%s", out, name);
	struct str packed = STR_INIT;
	int rc = file_read(path, IMAGE_MAX_BYTES, &packed, err);

	if (!rc && !same_bytes(packed.p, packed.len, payload, len))
		rc = stale(name, err);
	str_release(&packed);
	free(path);
	return rc;
}

/* Whether the ELF file @out/@name has the build-id of vmlinux. */
static int same_build_id(const char *out, const char *name, struct err *err)
{
	char *path = file_join(out, name);
	char *vmlinux = file_join(out, "vmlinux");
	char id[BUILD_ID_HEX_BYTES];
	char linked[BUILD_ID_HEX_BYTES];
	int rc = build_id_of_elf(path, id, err);

	if (!rc)
		rc = build_id_of_elf(vmlinux, linked, err);
	if (!rc && strcmp(id, linked) != 0)
		rc = stale("vmlinux", err);
	free(vmlinux);
	free(path);
	return rc;
}

static int check_x86(const char *out, const struct str *image, struct err *err)
{
	const char *payload = "";
	const char *name;
	size_t len = 0;
	int rc = find_payload(image, &payload, &len, err);

	if (rc)
		return rc;
	name = packed_name(payload, len);
	if (!name)
		return 0; /* a packer that came later */
	rc = same_packed(out, name, payload, len, err);
	return rc ? rc : same_build_id(out, PACKED_DIR "vmlinux.bin", err);
}

int kernel_image_check(const char *out, const char *image, struct err *err)
{
	char *path = file_join(out, image);
	struct str bytes = STR_INIT;
	int rc = file_read(path, IMAGE_MAX_BYTES, &bytes, err);

	if (!rc && is_x86(&bytes))
		rc = check_x86(out, &bytes, err);
	else if (!rc && bytes.len >= SELFMAG &&
		 !memcmp(bytes.p, ELFMAG, SELFMAG))
		rc = same_build_id(out, image, err);
	if (rc)
		err_wrap(err, "%s", path);
	str_release(&bytes);
	free(path);
	return rc;
}
