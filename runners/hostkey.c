// SPDX-License-Identifier: GPL-3.0-or-later
// Public keys of SSH (RFC 4253 6.6): text, bytes and fingerprint.
#include "runners/hostkey.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "base/str.h"

#define KEY_FILE_MAX_BYTES ((size_t)64 << 10)

static const char b64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			  "abcdefghijklmnopqrstuvwxyz0123456789+/";

/*
 * Decode base64 up to @max bytes, skipping newlines; stops at '=' or another
 * foreign character, *@end then points there.
 */
static size_t b64_decode(const char *text, unsigned char *out, size_t max,
			 const char **end)
{
	unsigned bits = 0;
	unsigned nr_bits = 0;
	size_t len = 0;
	const char *at;

	for (; *text && len < max; text++) {
		if (*text == '\n' || *text == '\r')
			continue;
		at = strchr(b64, *text);
		if (!at)
			break;
		bits = bits << 6 | (unsigned)(at - b64);
		nr_bits += 6;
		if (nr_bits < 8)
			continue;
		nr_bits -= 8;
		out[len++] = (unsigned char)(bits >> nr_bits);
		bits &= (1U << nr_bits) - 1;
	}
	*end = text;
	return len;
}

static bool known_type(const char *type)
{
	static const char *const types[] = {
		"ssh-ed25519",
		"ecdsa-sha2-nistp256",
		"ecdsa-sha2-nistp384",
		"ecdsa-sha2-nistp521",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(types); i++)
		if (!strcmp(types[i], type))
			return true;
	return false;
}

/* The bytes begin with the type again, as a counted string. */
static bool names_type(const struct hostkey *key)
{
	size_t len = strlen(key->type);

	return key->len > 4 + len && !key->blob[0] && !key->blob[1] &&
	       !key->blob[2] && key->blob[3] == len &&
	       !memcmp(key->blob + 4, key->type, len);
}

int hostkey_parse(const char *text, struct hostkey *out, struct err *err)
{
	struct hostkey key = { 0 };
	size_t len = strcspn(text, " \t");
	const char *end;

	if (!*text)
		return err_set(
			err, ERR_CONFIG,
			"no host_key is pinned; put the line of "
			"'ssh-keyscan -t ed25519 HOST' (without the host "
			"name) into the lab file");
	if (len >= sizeof(key.type) || !text[len])
		return err_set(err, ERR_CONFIG,
			       "host_key is no 'ssh-ed25519 AAAA…' line");
	memcpy(key.type, text, len);
	if (!strcmp(key.type, "ssh-rsa"))
		return err_set(
			err, ERR_CONFIG,
			"host_key is an RSA key, which doesn't work with "
			"libssh2 1.10; pin the ed25519 one (ssh-keyscan "
			"-t ed25519 HOST)");
	if (!known_type(key.type))
		return err_set(err, ERR_CONFIG,
			       "host_key has the unknown type '%s', expected "
			       "ssh-ed25519",
			       key.type);
	text += len + strspn(text + len, " \t");
	key.len = b64_decode(text, key.blob, sizeof(key.blob), &end);
	if (!strchr(" \t=", *end) || !names_type(&key))
		return err_set(err, ERR_CONFIG,
			       "host_key is no valid %s key (cut off?)",
			       key.type);
	*out = key;
	return 0;
}

static unsigned hex_digit(char c)
{
	return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

void hostkey_fingerprint(const void *blob, size_t len,
			 char out[HOSTKEY_FINGERPRINT_BYTES])
{
	char hex[SHA256_HEX_BYTES];
	unsigned bits = 0;
	unsigned nr_bits = 0;
	char *p = stpcpy(out, "SHA256:");
	size_t i;

	sha256_hex(blob, len, hex);
	for (i = 0; hex[i]; i++) {
		bits = bits << 4 | hex_digit(hex[i]);
		nr_bits += 4;
		if (nr_bits < 6)
			continue;
		nr_bits -= 6;
		*p++ = b64[bits >> nr_bits];
		bits &= (1U << nr_bits) - 1;
	}
	*p++ = b64[bits << (6 - nr_bits)];
	*p = '\0';
}

/* Old PEM says so in its first line, OpenSSH's own format inside. */
static bool is_rsa(const char *text)
{
	unsigned char raw[512];
	const char *end;
	size_t len;

	if (strstr(text, "BEGIN RSA PRIVATE KEY"))
		return true;
	text = strchr(text, '\n');
	if (!text)
		return false;
	len = b64_decode(text + 1, raw, sizeof(raw), &end);
	return memmem(raw, len, "ssh-rsa", 7) != NULL;
}

int hostkey_check_identity(const char *path, struct err *err)
{
	struct str text = STR_INIT;
	struct stat st;
	bool rsa;
	int ret;

	if (!*path)
		return err_set(err, ERR_CONFIG,
			       "no identity is given; name a private ed25519 "
			       "key file in the lab file");
	ret = file_read(path, KEY_FILE_MAX_BYTES, &text, err);
	if (ret)
		return err_wrap(err, "identity");
	rsa = is_rsa(text.p);
	explicit_bzero(text.p, text.len);
	str_release(&text);
	if (rsa)
		return err_set(err, ERR_CONFIG,
			       "identity %s is an RSA key, which doesn't work "
			       "with libssh2 1.10; make an ed25519 one "
			       "(ssh-keygen -t ed25519)",
			       path);
	if (!stat(path, &st) && (st.st_mode & 077))
		return err_set(err, ERR_CONFIG,
			       "identity %s can be read by others (mode %03o); "
			       "chmod 600 it",
			       path, (unsigned)st.st_mode & 0777U);
	return 0;
}
