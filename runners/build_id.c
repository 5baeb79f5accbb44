// SPDX-License-Identifier: GPL-3.0-or-later
// The GNU build-id out of ELF notes: a kernel's identity, on disk and running.
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "runners/build.h"

#define NOTES_MAX_BYTES ((size_t)1 << 20)
#define ALIGN4(n)	(((size_t)(n) + 3) & ~(size_t)3)

static void to_hex(const unsigned char *bytes, size_t len, char *out)
{
	static const char digits[] = "0123456789abcdef";
	size_t i;

	for (i = 0; i < len; i++) {
		out[2 * i] = digits[bytes[i] >> 4];
		out[2 * i + 1] = digits[bytes[i] & 15];
	}
	out[2 * len] = '\0';
}

int build_id_of_notes(const void *notes, size_t len,
		      char out[BUILD_ID_HEX_BYTES], struct err *err)
{
	const unsigned char *p = notes;
	Elf64_Nhdr n;

	while (len >= sizeof(n)) {
		size_t need;

		memcpy(&n, p, sizeof(n));
		need = sizeof(n) + ALIGN4(n.n_namesz) + ALIGN4(n.n_descsz);
		if (need > len)
			break;
		if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == 4 &&
		    !memcmp(p + sizeof(n), "GNU", 4) && n.n_descsz > 0 &&
		    n.n_descsz <= (BUILD_ID_HEX_BYTES - 1) / 2) {
			to_hex(p + sizeof(n) + 4, n.n_descsz, out);
			return 0;
		}
		p += need;
		len -= need;
	}
	return err_set(err, ERR_DATA, "no GNU build-id among the notes");
}

/* The note segment @ph of an open ELF file. */
static int id_of_segment(int fd, const Elf64_Phdr *ph,
			 char out[BUILD_ID_HEX_BYTES], struct err *err)
{
	struct str notes = STR_INIT;
	char buf[4096];
	size_t left = ph->p_filesz;
	off_t at = (off_t)ph->p_offset;
	int rc;

	if (left > NOTES_MAX_BYTES)
		return err_set(err, ERR_DATA, "notes of %zu bytes", left);
	while (left) {
		ssize_t n = pread(fd, buf,
				  left < sizeof(buf) ? left : sizeof(buf), at);

		if (n <= 0)
			break;
		str_addn(&notes, buf, (size_t)n);
		at += n;
		left -= (size_t)n;
	}
	rc = build_id_of_notes(notes.p, notes.len, out, err);
	str_release(&notes);
	return rc;
}

static int id_of_open_elf(int fd, char out[BUILD_ID_HEX_BYTES], struct err *err)
{
	Elf64_Ehdr eh;
	Elf64_Phdr ph;
	int i;

	if (pread(fd, &eh, sizeof(eh), 0) != sizeof(eh) ||
	    memcmp(eh.e_ident, ELFMAG, SELFMAG) != 0 ||
	    eh.e_ident[EI_CLASS] != ELFCLASS64 || eh.e_phentsize != sizeof(ph))
		return err_set(err, ERR_DATA, "not a 64-bit ELF file");
	for (i = 0; i < eh.e_phnum; i++) {
		off_t at = (off_t)eh.e_phoff + (off_t)sizeof(ph) * i;

		if (pread(fd, &ph, sizeof(ph), at) != sizeof(ph))
			break;
		if (ph.p_type == PT_NOTE && !id_of_segment(fd, &ph, out, NULL))
			return 0;
	}
	return err_set(err, ERR_DATA,
		       "no GNU build-id (is the linker's "
		       "--build-id off?)");
}

int build_id_of_elf(const char *path, char out[BUILD_ID_HEX_BYTES],
		    struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int rc;

	if (fd < 0)
		return err_errno(err, errno == ENOENT ? ERR_NOTFOUND : ERR_IO,
				 "%s", path);
	rc = id_of_open_elf(fd, out, err);
	if (rc)
		err_wrap(err, "%s", path);
	close(fd);
	return rc;
}
