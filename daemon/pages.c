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

void pages_poll(struct daemon *d)
{
	char *program;
	char *db;

	if (!d->pages_dirty || d->pages_running || d->disk_low || d->draining ||
	    clock_mono_ns() < d->pages_at_ns)
		return;
	program = file_join(d->cfg.libexec_dir, "drover-pages");
	db = daemon_path(d, "drover.db");
	if (file_exists(program)) {
		const char *base = d->cfg.web_base_url;
		const char *argv[] = { program,
				       "--db",
				       db,
				       "--out",
				       d->cfg.pages_dir,
				       *base ? "--base-url" : NULL,
				       base,
				       NULL };
		struct spawn what = { .argv = argv,
				      .err_fd = 2,
				      .nice = PAGES_NICE };
		struct err err = { 0 };

		d->pages_running =
			child_start(d, &what, ended, clock_mono_ns(), &err) > 0;
		if (!d->pages_running)
			daemon_log("pages: %s", err.text);
	}
	d->pages_dirty = false;
	free(program);
	free(db);
}
