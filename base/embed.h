/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that tools/embed compiled into a room: schema, scripts, style sheets.
 */
#ifndef BASE_EMBED_H
#define BASE_EMBED_H

#include <stddef.h>

/* @data has @len bytes and a NUL behind them; a table ends with name NULL. */
struct embed_file {
	const char *name;
	const unsigned char *data;
	size_t len;
};

extern const struct embed_file embed_db[];
extern const struct embed_file embed_runners[];
extern const struct embed_file embed_web_static[];
extern const struct embed_file embed_configs[];

/* The entry called @name, or NULL. Borrowed, static. */
const struct embed_file *embed_find(const struct embed_file *table,
				    const char *name);

#endif
