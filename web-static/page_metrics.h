/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pages with all metrics of a comparison. */
#ifndef WEB_STATIC_PAGE_METRICS_H
#define WEB_STATIC_PAGE_METRICS_H

#include "web-static/comparison_data.h"

/*
 * Page @page (0…) of all metrics as HTML; @all: their order, @nr of them. Pure.
 */
void page_metrics_html(struct str *out, const struct comparison_data *d,
		       const size_t *all, size_t nr, size_t page);

/* Put all of them below the comparison's folder. What site_put says. */
int page_metrics_put(struct site *site, const struct comparison_data *d,
		     struct err *err);

#endif
