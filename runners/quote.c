// SPDX-License-Identifier: GPL-3.0-or-later
// Quoting for a POSIX shell: single quotes, inside which nothing is special but
// the single quote itself (XCU 2.2.2).
#include "runners/quote.h"

#include <string.h>

/* No tilde, no equals sign first: "~x" expands and "a=b" assigns. */
static bool is_plain(const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-./,:+@%";

	return *word && !word[strspn(word, plain)];
}

void quote_add(struct str *out, const char *word)
{
	if (is_plain(word)) {
		str_add(out, word);
		return;
	}
	str_addch(out, '\'');
	for (; *word; word++)
		if (*word == '\'')
			str_add(out, "'\\''");
		else
			str_addch(out, *word);
	str_addch(out, '\'');
}

void quote_add_argv(struct str *out, const char *const *argv)
{
	size_t i;

	for (i = 0; argv[i]; i++) {
		if (i)
			str_addch(out, ' ');
		quote_add(out, argv[i]);
	}
}
