/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A comparison's page as HTML. Pure. */
#ifndef WEB_STATIC_PAGE_COMPARISON_H
#define WEB_STATIC_PAGE_COMPARISON_H

#include "web-static/comparison_data.h"

void page_comparison_html(struct str *out, const struct comparison_data *d);

/* What index.json holds; new reference. */
json_t *page_comparison_json(const struct comparison_data *d);

/*
 * "9.7% regression of stress-ng.pipeherd.ops_per_sec", or what else there is to
 * say of it; with the sentence that the flow stored, if any.
 */
void page_comparison_say(struct str *out, const json_t *info);

#endif
