/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mail to those who run the lab: a broken box is no developer's business. */
#ifndef DAEMON_LAB_MAIL_H
#define DAEMON_LAB_MAIL_H

#include "daemon/daemon.h"

/*
 * Queue a mail to mail.admin; does nothing when mail is off or nobody is named
 * there. @body: a sentence; the subject follows. @job_id: what it came from.
 * Inside the caller's transaction.
 */
int lab_mail(struct daemon *d, long long job_id, const char *body,
	     struct err *err, const char *subject, ...)
	__attribute__((format(printf, 5, 6)));

#endif
