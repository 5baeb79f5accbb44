/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What may go from the artifacts after a time: keep.* of the options. */
#ifndef DAEMON_KEEP_H
#define DAEMON_KEEP_H

struct daemon;

/*
 * Remove kernels that no job has used for keep.kernels, logs and raw output of
 * attempts that ended keep.logs ago: a few at a time, looked for once an hour.
 * Samples, reports and mails stay. Trouble is logged and tried again.
 */
void keep_tidy(struct daemon *d);

#endif
