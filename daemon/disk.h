/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Room on the disk of the state folder: below a floor nothing new starts. */
#ifndef DAEMON_DISK_H
#define DAEMON_DISK_H

#include "daemon/daemon.h"

/*
 * Look at the free room, once a second. Sets d->disk_low below the floor or
 * after the database found the disk full (its ballast is given up then), and
 * clears it when there is room again. Both are said in the log and as events.
 */
void disk_check(struct daemon *d);

/* Bytes that must be free on a file system of @total_bytes. */
unsigned long long disk_floor(unsigned long long total_bytes);

#endif
