// SPDX-License-Identifier: GPL-3.0-or-later
// The driver of drover-pages.
#include "daemon/pages.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/file.h"
#include "daemon/child.h"

#define DELAY_NS   1000000000LL
#define PAGES_NICE 10

void pages_mark(struct daemon *d)
{
	long long at_ns = clock_mono_ns() + DELAY_NS;

	if (!d->pages_dirty && d->pages_at_ns < at_ns)
		d->pages_at_ns = at_ns;
	d->pages_dirty = true;
}

static void ended(struct daemon *d, int status, long long started_ns)
{
	long long now_ns = clock_mono_ns();

	d->pages_running = false;
	d->pages_at_ns = now_ns + DELAY_NS + 2 * (now_ns - started_ns);
	if (status)
		daemon_log("drover-pages ended with status %d; the old pages "
			   "stay",
			   status);
}

/* Start it, @as a child of the loop or on its own; 0 when it isn't there. */
static pid_t start(struct daemon *d, bool as_child, struct err *err)
{
	char *program = file_join(d->cfg.libexec_dir, "drover-pages");
	char *db = daemon_path(d, "drover.db");
	const char *base = d->cfg.web_base_url;
	const char *argv[] = { program,
			       "--db",
			       db,
			       "--out",
			       d->cfg.pages_dir,
			       *base ? "--base-url" : NULL,
			       base,
			       NULL };
	struct spawn what = { .argv = argv, .err_fd = 2, .nice = PAGES_NICE };
	pid_t pid = 0;

	if (file_exists(program))
		pid = as_child ? child_start(d, &what, ended, clock_mono_ns(),
					     err)
			       : spawn_start(&what, err);
	free(program);
	free(db);
	return pid;
}

void pages_poll(struct daemon *d)
{
	struct err err = { 0 };
	pid_t pid;

	if (!d->pages_dirty || d->pages_running || d->disk_low || d->draining ||
	    clock_mono_ns() < d->pages_at_ns)
		return;
	pid = start(d, true, &err);
	d->pages_running = pid > 0;
	if (pid < 0)
		daemon_log("pages: %s", err.text);
	d->pages_dirty = false;
}

void pages_leave(struct daemon *d)
{
	struct err err = { 0 };

	if (d->pages_dirty && !d->disk_low && start(d, false, &err) < 0)
		daemon_log("pages: %s", err.text);
	d->pages_dirty = false;
}
