/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SHA-256 (nettle), for content keys and checksums of artifacts. */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include <stddef.h>

#include "base/err.h"

#define SHA256_HEX_BYTES 65 /* 64 hex digits and a NUL */

void sha256_hex(const void *data, size_t len, char out[SHA256_HEX_BYTES]);
/* The checksum of a file's content. ERR_NOTFOUND, ERR_IO. */
int sha256_file(const char *path, char out[SHA256_HEX_BYTES], struct err *err);

#endif
