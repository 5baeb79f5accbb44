/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A bisection's page as HTML. Pure. */
#ifndef WEB_STATIC_PAGE_BISECT_H
#define WEB_STATIC_PAGE_BISECT_H

#include "base/json.h"
#include "base/str.h"

/*
 * @b: db/view_bisect.h's object with "steps", "comparison_page" (the address of
 * the comparison) and, where the record could be replayed, "told" as
 * bisect_describe.h says; else "told_why".
 */
void page_bisect_html(struct str *out, const json_t *b);

#endif
