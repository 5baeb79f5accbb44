/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A commit's page as HTML. Pure. */
#ifndef WEB_STATIC_PAGE_COMMIT_H
#define WEB_STATIC_PAGE_COMMIT_H

#include "base/json.h"
#include "base/str.h"

/* @commit: db/view_job.h's object, its comparisons with "page". */
void page_commit_html(struct str *out, const json_t *commit);

#endif
