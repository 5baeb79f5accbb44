/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A box's page as HTML. Pure. */
#ifndef WEB_STATIC_PAGE_BOX_H
#define WEB_STATIC_PAGE_BOX_H

#include "base/json.h"
#include "base/str.h"

/* @box: db/view_job.h's object; of "spec" only what readers may see. */
void page_box_html(struct str *out, const json_t *box);

#endif
