/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Making the pages anew when something they show has changed. */
#ifndef DAEMON_PAGES_H
#define DAEMON_PAGES_H

#include "daemon/daemon.h"

/* Something changed: start drover-pages in a second at the earliest. */
void pages_mark(struct daemon *d);
/* Start it when it is due; one at a time, and pauses twice as long as it ran.
 */
void pages_poll(struct daemon *d);
/*
 * The daemon has closed its database: what changed last must not wait for the
 * next daemon. Started without waiting; it goes on by itself.
 */
void pages_leave(struct daemon *d);

#endif
