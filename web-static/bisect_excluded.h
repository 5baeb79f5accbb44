/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a bisection knew of its commits before it measured any: which can't have
 * changed anything, and which are likelier than others.
 */
#ifndef WEB_STATIC_BISECT_EXCLUDED_H
#define WEB_STATIC_BISECT_EXCLUDED_H

#include "base/json.h"
#include "base/str.h"

/*
 * The commits of the range that are no candidates, with the reason of each, as
 * a section; nothing when there are none. @b: as page_bisect_html takes it.
 */
void bisect_add_excluded(struct str *out, const json_t *b);

/* The commits whose prior was raised, and why; nothing when there are none. */
void bisect_add_raised(struct str *out, const json_t *b);

#endif
