/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calibrations that nobody asked for: of boxes that have nothing else to do. */
#ifndef DAEMON_CALIBRATE_IDLE_H
#define DAEMON_CALIBRATE_IDLE_H

#include "daemon/daemon.h"

/* Everything else goes first. */
#define CALIBRATE_IDLE_PRIO (-1000)

/*
 * Called once a second; looks once a minute. In the hours that calibrate.hour
 * names, each ready box without work gets one calibration at a time: of the job
 * measured on it lately whose calibration is the oldest, if that is older than
 * calibrate.every.
 */
void calibrate_idle(struct daemon *d);

#endif
