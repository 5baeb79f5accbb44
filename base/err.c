// SPDX-License-Identifier: GPL-3.0-or-later
// Errors as a code and a sentence; see err.h for the convention.
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
	int code;
	int exit_code;
	const char *word;
} kinds[] = {
	{ ERR_USAGE, 2, "usage" },
	{ ERR_CONFIG, 2, "config" },
	{ ERR_DATA, 2, "data" },
	{ ERR_RANGE, 2, "range" },
	{ ERR_NOTFOUND, 3, "notfound" },
	{ ERR_DENIED, 4, "denied" },
	{ ERR_IO, 5, "io" },
	{ ERR_INFRA, 5, "infra" },
	{ ERR_TIMEOUT, 124, "timeout" },
	{ ERR_EXISTS, 2, "exists" },
	{ ERR_LIMIT, 2, "limit" },
	{ ERR_BUSY, 5, "busy" },
	{ ERR_BUILD, 5, "build" },
	{ ERR_BOOT, 5, "boot" },
	{ ERR_BENCH, 5, "bench" },
};

/* Escape sequences out of box output must not reach a terminal. */
static void make_printable(char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < 0x20 || *s == 0x7f)
			*s = '?';
}

static int set_va(struct err *err, int code, const char *fmt, va_list ap)
{
	if (!err)
		return code;
	err->code = code;
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	make_printable(err->text);
	return code;
}

int err_set(struct err *err, int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	set_va(err, code, fmt, ap);
	va_end(ap);
	return code;
}

int err_errno(struct err *err, int code, const char *fmt, ...)
{
	int saved = errno;
	size_t len;
	va_list ap;

	va_start(ap, fmt);
	set_va(err, code, fmt, ap);
	va_end(ap);
	if (err) {
		len = strlen(err->text);
		snprintf(err->text + len, sizeof(err->text) - len, ": %s",
			 strerror(saved));
	}
	errno = saved;
	return code;
}

int err_wrap(struct err *err, const char *fmt, ...)
{
	char inner[sizeof(err->text)];
	size_t len;
	va_list ap;

	if (!err)
		return ERR_IO;
	memcpy(inner, err->text, sizeof(inner));
	va_start(ap, fmt);
	set_va(err, err->code, fmt, ap);
	va_end(ap);
	len = strlen(err->text);
	snprintf(err->text + len, sizeof(err->text) - len, ": %s", inner);
	return err->code;
}

int err_recode(struct err *err, int code)
{
	if (err)
		err->code = code;
	return code;
}

int err_exit_code(int code)
{
	size_t i;

	if (code >= 0)
		return 0;
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].code == code)
			return kinds[i].exit_code;
	return 5;
}

const char *err_code_to_str(int code)
{
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].code == code)
			return kinds[i].word;
	return code ? "unknown" : "ok";
}

int err_code_from_str(const char *word)
{
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kinds[i].word, word))
			return kinds[i].code;
	return strcmp(word, "ok") ? ERR_DATA : 0;
}
