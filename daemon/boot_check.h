/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Boots that don't count, found before anyone looks at what they measured. */
#ifndef DAEMON_BOOT_CHECK_H
#define DAEMON_BOOT_CHECK_H

#include "daemon/daemon.h"
#include "db/db_box.h"

/*
 * Hold the invariants of a result's "boot" against those of its box. Broken:
 * the boot is recorded as rejected and its attempt ended as trouble of the lab,
 * which repeats it; returns 1. Else the box learns what it lacked; returns 0.
 * Inside the caller's transaction; database errors.
 */
int boot_check(struct daemon *d, const struct db_attempt *a, const json_t *boot,
	       struct err *err);

#endif
