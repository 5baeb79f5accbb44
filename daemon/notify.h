/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Telling the service manager that we are ready, alive, or leaving. */
#ifndef DAEMON_NOTIFY_H
#define DAEMON_NOTIFY_H

/*
 * Send e.g. "READY=1" to the datagram socket in $NOTIFY_SOCKET; does nothing
 * without one. Source: sd_notify(3), which is only this.
 */
void notify_send(const char *state);

#endif
