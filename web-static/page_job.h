/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A job's page as HTML. Pure. */
#ifndef WEB_STATIC_PAGE_JOB_H
#define WEB_STATIC_PAGE_JOB_H

#include "base/json.h"
#include "base/str.h"

/* @job: db/view_job.h's object, its comparisons with "page". */
void page_job_html(struct str *out, const json_t *job);

/* A row of a table of mails: "state", "subject", "message_id", "sent_s",
 * "last_error". */
void page_mail_row(struct str *out, const json_t *row);

#endif
