/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Mail on its way out: rows of outbox that are due are given to drover-mail,
 * one at a time, until everybody has them. A failed delivery is tried again
 * with a growing pause; the same Message-ID never goes twice to a recipient
 * whose server took it.
 */
#ifndef DAEMON_OUTBOX_H
#define DAEMON_OUTBOX_H

#include "daemon/daemon.h"

/* Once a second: see after the mail under way, or start the next one due. */
void outbox_poll(struct daemon *d);
/* After a start: what an earlier daemon had under way. */
void outbox_adopt(struct daemon *d);
/* Forget the one under way; it goes on by itself. */
void outbox_forget(struct daemon *d);

/* Pause after @tries failed deliveries (from 1), within the settings. */
double outbox_backoff_s(const struct config_mail *mail, long long tries);

#endif
