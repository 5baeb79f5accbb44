// SPDX-License-Identifier: GPL-3.0-or-later
// Watching the free room of the state folder.
#include "daemon/disk.h"

#include <sys/statvfs.h>

#define FLOOR_BYTES   (64ULL << 20)
#define FLOOR_SHARE   8
#define BALLAST_BYTES (4ULL << 20)

/* 64 MiB, but no more than an eighth of a small file system. */
unsigned long long disk_floor(unsigned long long total_bytes)
{
	unsigned long long share = total_bytes / FLOOR_SHARE;

	return share < FLOOR_BYTES ? share : FLOOR_BYTES;
}

static void say(struct daemon *d, const char *text)
{
	daemon_log("%s: %s", d->cfg.state_dir, text);
	if (db_begin(d->db, NULL))
		return;
	if (daemon_event(d, 0, "disk", NULL, "%s: %s", d->cfg.state_dir, text))
		db_rollback(d->db);
	else
		db_commit(d->db, NULL);
	daemon_changed(d);
}

void disk_check(struct daemon *d)
{
	bool full = db_is_full(d->db);
	unsigned long long avail;
	unsigned long long least;
	struct statvfs fs;

	if (statvfs(d->cfg.state_dir, &fs))
		return;
	avail = (unsigned long long)fs.f_bavail * fs.f_frsize;
	least = disk_floor((unsigned long long)fs.f_blocks * fs.f_frsize);
	if (!d->disk_low && (full || avail < least)) {
		d->disk_low = true;
		if (full) {
			db_ballast_drop(d->db);
			db_checkpoint(d->db);
		}
		say(d, "the disk is nearly full; nothing new is started until "
		       "there is room");
	} else if (d->disk_low && avail >= least + BALLAST_BYTES) {
		db_ballast_keep(d->db, NULL);
		d->disk_low = false;
		say(d, "there is room again; work goes on");
	}
}
