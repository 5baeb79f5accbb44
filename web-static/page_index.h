/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The front page and the list of regressions, as HTML. Pure. */
#ifndef WEB_STATIC_PAGE_INDEX_H
#define WEB_STATIC_PAGE_INDEX_H

#include "base/json.h"
#include "base/str.h"

/* @data: "generated_at_s", "regressions", "queue", "boxes", "reports" as
 * db/view_index.h gives them, reports with "page". */
void page_index_html(struct str *out, const json_t *data);

/* r/: all regressions, newest first. */
void page_regressions_html(struct str *out, const json_t *rows);

#endif
