// SPDX-License-Identifier: GPL-3.0-or-later
// Word wrapping.
#include "report/wrap.h"

#include <string.h>

size_t wrap_columns(const char *text, size_t len)
{
	size_t columns = 0;

	for (size_t i = 0; i < len; i++)
		columns += ((unsigned char)text[i] & 0xc0) != 0x80;
	return columns;
}

void wrap_add(struct str *out, const char *text, const char *first,
	      const char *rest, size_t columns)
{
	static const char blanks[] = " \t\n";
	struct str clean = STR_INIT;
	const char *p;
	size_t at = wrap_columns(first, strlen(first));
	bool fresh = true; /* the line has no word yet */

	str_add_term(&clean, text, true);
	str_add(out, first);
	for (p = clean.p + strspn(clean.p, blanks); *p;) {
		size_t len = strcspn(p, blanks);
		size_t width = wrap_columns(p, len);

		if (!fresh && at + 1 + width > columns) {
			str_addch(out, '\n');
			str_add(out, rest);
			at = wrap_columns(rest, strlen(rest));
			fresh = true;
		}
		if (!fresh) {
			str_addch(out, ' ');
			at++;
		}
		str_addn(out, p, len);
		at += width;
		fresh = false;
		p += len;
		p += strspn(p, blanks);
	}
	str_addch(out, '\n');
	str_release(&clean);
}

void wrap_add_prose(struct str *out, const char *text)
{
	wrap_add(out, text, "", "", WRAP_COLUMNS);
}
