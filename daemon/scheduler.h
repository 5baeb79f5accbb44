/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which plan gets which box, which artifact gets a build slot: highest priority
 * first, then the oldest job, then the order of its boots (base and head in
 * turn). A slot that would be idle builds a kernel that a bisection may ask for
 * next, and is taken back as soon as a boot waits for it. A box has one run at
 * a time: it is free when no attempt on it is leased, and an attempt stays
 * leased until its worker's lock is free.
 */
#ifndef DAEMON_SCHEDULER_H
#define DAEMON_SCHEDULER_H

#include "daemon/daemon.h"

/* Lease all that can be leased now. Nothing while draining or short of disk. */
void scheduler_run(struct daemon *d);

#endif
