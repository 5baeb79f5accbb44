/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SSH public keys as pinned in the lab file: the text form, the raw bytes that
 * a server presents, and the fingerprint that people compare.
 */
#ifndef RUNNERS_HOSTKEY_H
#define RUNNERS_HOSTKEY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define HOSTKEY_MAX_BYTES	  1024
#define HOSTKEY_FINGERPRINT_BYTES 51 /* "SHA256:", 43 characters, NUL */

/* @type as in the text, e.g. "ssh-ed25519"; @blob the key as it is sent. */
struct hostkey {
	char type[64];
	unsigned char blob[HOSTKEY_MAX_BYTES];
	size_t len;
};

/*
 * Parse "ssh-ed25519 AAAA… [comment]". ERR_CONFIG with what is wrong (no key,
 * no base64, an RSA key, which libssh2 1.10 can't verify). @out untouched then.
 */
int hostkey_parse(const char *text, struct hostkey *out, struct err *err);

/* "SHA256:" and unpadded base64, as ssh-keygen -l prints it. */
void hostkey_fingerprint(const void *blob, size_t len,
			 char out[HOSTKEY_FINGERPRINT_BYTES]);

/*
 * Refuse a private key file that can't work: missing, readable by others, or
 * an RSA key. @path stands in the sentence. ERR_CONFIG, ERR_NOTFOUND, ERR_IO.
 */
int hostkey_check_identity(const char *path, struct err *err);

#endif
