/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A regression's page as HTML. Pure. */
#ifndef WEB_STATIC_PAGE_REGRESSION_H
#define WEB_STATIC_PAGE_REGRESSION_H

#include "web-static/comparison_data.h"

/* @r: db/view_job.h's object; @d: its comparison; @b: its bisection as
 * db/view_bisect.h gives it, or NULL. */
void page_regression_html(struct str *out, const json_t *r,
			  const struct comparison_data *d, const json_t *b);

#endif
