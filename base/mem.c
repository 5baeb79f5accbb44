// SPDX-License-Identifier: GPL-3.0-or-later
// Allocation that aborts when memory is out; see mem.h for why.
#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *or_abort(void *p)
{
	static const char msg[] = "out of memory\n";

	if (p)
		return p;
	fwrite(msg, 1, sizeof(msg) - 1, stderr);
	abort();
}

void *xmalloc(size_t size)
{
	return or_abort(malloc(size ? size : 1));
}

void *xcalloc(size_t nr, size_t size)
{
	return or_abort(calloc(nr ? nr : 1, size ? size : 1));
}

void *xreallocarray(void *p, size_t nr, size_t size)
{
	return or_abort(reallocarray(p, nr ? nr : 1, size ? size : 1));
}

char *xstrdup(const char *s)
{
	return or_abort(strdup(s));
}

char *xstrndup(const char *s, size_t len)
{
	return or_abort(strndup(s, len));
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *s;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	return or_abort(n < 0 ? NULL : s);
}
