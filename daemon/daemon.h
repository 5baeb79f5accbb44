/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The daemon as one struct: its settings, its database, its loop and what hangs
 * on it. Single-threaded; the only writer of the database. It speaks no SSH,
 * runs no make and no SMTP: workers do, each in its own process.
 */
#ifndef DAEMON_DAEMON_H
#define DAEMON_DAEMON_H

#include <stdbool.h>
#include <uv.h>

#include "base/err.h"
#include "base/json.h"
#include "configs/options.h"
#include "db/db.h"

struct child;
struct client;
struct worker;

/*
 * @cfg and @db are all that the flows, the ops and ingest need; the rest stays
 * zero in their tests, and the functions below do without a loop.
 *
 * @looping: the loop runs, @wake may be started. @draining: nothing new starts.
 * @disk_low: nothing new starts for want of room. @pages_dirty: something that
 * the pages show has changed.
 * @workers, @children, @clients: lists, newest first.
 */
struct daemon {
	struct config cfg;
	const char *const *sets; /* --set of the command line, for a reload */
	size_t nr_sets;
	struct db *db;
	uv_loop_t loop;
	uv_timer_t wake;
	uv_timer_t tick;
	uv_timer_t leave;
	uv_signal_t on_child;
	uv_signal_t on_term;
	uv_signal_t on_int;
	uv_signal_t on_hup;
	uv_pipe_t listener;
	bool looping;
	bool draining;
	bool disk_low;
	bool pages_dirty;
	bool pages_running;
	long long pages_at_ns;	   /* mono: not before */
	bool mail_running;	   /* our child works on @mail_folder */
	long long mail_id;	   /* outbox row under way, 0 none */
	char *mail_folder;	   /* its task folder, or NULL */
	bool wal_dirty;		   /* committed since the last checkpoint */
	char *compiler;		   /* what cc --version said, or NULL */
	long long compiler_ns;	   /* mono: when */
	long long changed_ns;	   /* mono: when */
	long long calibrate_at_ns; /* mono: idle boxes are looked for */
	long long keep_at_ns;	   /* mono: old files are looked for */
	long long keep_attempt_id; /* those up to it were seen to */
	struct worker *workers;
	struct child *children;
	struct client *clients;
	int nr_clients;
};

/*
 * One line for the daemon's log (standard error): what failed, on which object,
 * why, what happens next. Control characters are made harmless.
 */
void daemon_log(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Add an event row: @job_id 0 for one about the lab; @kind is one word (stage,
 * verdict, bisect, mail, retry, box, …), the text one line. Inside the caller's
 * transaction; watchers get it once daemon_changed was called.
 */
int daemon_event(struct daemon *d, long long job_id, const char *kind,
		 struct err *err, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

/*
 * After a commit: have the scheduler look for work, tell the watchers, make the
 * pages anew. Cheap; may be called any number of times.
 */
void daemon_changed(struct daemon *d);

/* Have the loop look again for work and for what to tell watchers. */
void daemon_wake(struct daemon *d);

/* A path below the state folder; owned by the caller. */
char *daemon_path(const struct daemon *d, const char *name);

/* Open the database, take over boxes and repositories of the configuration,
 * adopt workers, listen. Everything is undone again on error. */
int daemon_start(struct daemon *d, struct err *err);
/*
 * Read the settings and the lab file again (SIGHUP). What is wrong with them is
 * said in the log and the old ones stay; so they do when state_dir or socket
 * has changed, which takes a restart.
 */
void daemon_reload(struct daemon *d);
/* Serve until stopped (SIGTERM, SIGINT, op shutdown). */
void daemon_run(struct daemon *d);
/* Leave the loop within @grace_s seconds; running workers are left alone. */
void daemon_stop(struct daemon *d);
/* Close everything; the next start adopts the workers. */
void daemon_finish(struct daemon *d);

#endif
