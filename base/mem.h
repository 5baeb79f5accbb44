/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Allocation that doesn't fail: out of memory aborts. The database is
 * transactional and the daemon is restarted, so limping on would gain nothing.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>

/* malloc, calloc, realloc, strdup, strndup that abort instead of NULL. */
void *xmalloc(size_t size);
void *xcalloc(size_t nr, size_t size);
void *xreallocarray(void *p, size_t nr, size_t size);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t len);
/* A fresh string after a printf format; owned by the caller. */
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Make room for @nr elements in the array @p of capacity @alloc. */
#define VEC_GROW(p, nr, alloc)                                           \
	do {                                                             \
		if ((nr) > (alloc)) {                                    \
			(alloc) = (alloc)*3 / 2 + 8;                     \
			if ((alloc) < (nr))                              \
				(alloc) = (nr);                          \
			(p) = xreallocarray((p), (alloc), sizeof(*(p))); \
		}                                                        \
	} while (0)

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#endif
