// SPDX-License-Identifier: GPL-3.0-or-later
// Lookup in the tables of embedded files.
#include "base/embed.h"

#include <string.h>

const struct embed_file *embed_find(const struct embed_file *table,
				    const char *name)
{
	for (; table->name; table++)
		if (!strcmp(table->name, name))
			return table;
	return NULL;
}
