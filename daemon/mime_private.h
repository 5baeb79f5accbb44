/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The checked parts of a mail, for whoever puts them together. */
#ifndef DAEMON_MIME_PRIVATE_H
#define DAEMON_MIME_PRIVATE_H

#include "daemon/mime.h"

/* The mail's "headers", borrowed; NULL when it has none. */
const json_t *mime_headers(const json_t *mail);

/* Split "Name <a@b>" or "a@b"; ERR_DATA unless the address is well formed. */
int mime_split_address(const char *text, struct str *name, struct str *addr,
		       struct err *err);

/* Call @add for each address under headers.@key. ERR_DATA, ERR_LIMIT, its. */
typedef int mime_address_fn(void *ctx, const char *text, struct err *err);
int mime_each_address(const json_t *mail, const char *key, mime_address_fn *add,
		      void *ctx, struct err *err);

/* To and Cc as mime_recipients() has them, into @list. ERR_DATA, ERR_LIMIT. */
int mime_read_recipients(const json_t *mail, json_t *list, struct err *err);

/*
 * Append the identifier @text, with or without <>, as "<left@right>", after a
 * blank where @out has one already. ERR_DATA, which says @what it was to be.
 */
int mime_add_id(struct str *out, const char *text, const char *what,
		struct err *err);

/* Append what headers.references has, a list or one string. */
int mime_references(const json_t *mail, struct str *out, struct err *err);

#endif
