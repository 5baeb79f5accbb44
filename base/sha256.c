// SPDX-License-Identifier: GPL-3.0-or-later
// SHA-256 through nettle; the only file that includes its header.
#include "base/sha256.h"

#include <errno.h>
#include <nettle/sha2.h>
#include <stdio.h>

static void digest_hex(struct sha256_ctx *ctx, char out[SHA256_HEX_BYTES])
{
	static const char digits[] = "0123456789abcdef";
	uint8_t raw[SHA256_DIGEST_SIZE];
	size_t i;

	sha256_digest(ctx, sizeof(raw), raw);
	for (i = 0; i < sizeof(raw); i++) {
		out[2 * i] = digits[raw[i] >> 4];
		out[2 * i + 1] = digits[raw[i] & 15];
	}
	out[2 * sizeof(raw)] = '\0';
}

void sha256_hex(const void *data, size_t len, char out[SHA256_HEX_BYTES])
{
	struct sha256_ctx ctx;

	sha256_init(&ctx);
	sha256_update(&ctx, len, data);
	digest_hex(&ctx, out);
}

int sha256_file(const char *path, char out[SHA256_HEX_BYTES], struct err *err)
{
	unsigned char buf[65536];
	struct sha256_ctx ctx;
	int rc = 0;
	size_t n;
	FILE *f;

	f = fopen(path, "rbe");
	if (!f)
		return err_errno(err, errno == ENOENT ? ERR_NOTFOUND : ERR_IO,
				 "%s", path);
	sha256_init(&ctx);
	while ((n = fread(buf, 1, sizeof(buf), f)) > 0)
		sha256_update(&ctx, n, buf);
	if (ferror(f))
		rc = err_errno(err, ERR_IO, "%s", path);
	else
		digest_hex(&ctx, out);
	fclose(f);
	return rc;
}
