// SPDX-License-Identifier: GPL-3.0-or-later
// The daemon's life: start, the loop with its timers and signals, the end.
#include "daemon/daemon.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "daemon/calibrate_idle.h"
#include "daemon/child.h"
#include "daemon/disk.h"
#include "daemon/flow.h"
#include "daemon/keep.h"
#include "daemon/notify.h"
#include "daemon/outbox.h"
#include "daemon/outcome.h"
#include "daemon/pages.h"
#include "daemon/scheduler.h"
#include "daemon/server.h"
#include "daemon/setup.h"
#include "daemon/watch.h"
#include "daemon/worker.h"
#include "db/db_event.h"

#define LOG_MAX_BYTES	  2000
#define TICK_MS		  1000
#define LEAVE_MS	  200
#define IDLE_NS		  5000000000LL
#define OPEN_TRIES	  20
#define OPEN_PAUSE_MS	  100
#define STATE_FOLDER_MODE 0750

void daemon_log(const char *fmt, ...)
{
	char time[CLOCK_ISO_BYTES];
	struct str line = STR_INIT;
	struct str safe = STR_INIT;
	va_list ap;

	line.max_bytes = LOG_MAX_BYTES;
	va_start(ap, fmt);
	str_vaddf(&line, fmt, ap);
	va_end(ap);
	str_add_term(&safe, line.p, false);
	clock_to_iso(clock_wall_s(), time);
	fprintf(stderr, "%s droverd: %s\n", time, safe.p);
	str_release(&line);
	str_release(&safe);
}

int daemon_event(struct daemon *d, long long job_id, const char *kind,
		 struct err *err, const char *fmt, ...)
{
	struct str line = STR_INIT;
	struct str safe = STR_INIT;
	va_list ap;
	int rc;

	line.max_bytes = LOG_MAX_BYTES;
	va_start(ap, fmt);
	str_vaddf(&line, fmt, ap);
	va_end(ap);
	str_add_term(&safe, line.p, false);
	rc = db_event_add(d->db, job_id, kind, safe.p, clock_wall_s(), err);
	str_release(&line);
	str_release(&safe);
	return rc;
}

char *daemon_path(const struct daemon *d, const char *name)
{
	return file_join(d->cfg.state_dir, name);
}

static void on_wake(uv_timer_t *timer)
{
	struct daemon *d = timer->data;

	scheduler_run(d);
	watch_push(d);
	outbox_poll(d);
}

void daemon_changed(struct daemon *d)
{
	pages_mark(d);
	d->wal_dirty = true;
	d->changed_ns = clock_mono_ns();
	daemon_wake(d);
}

void daemon_wake(struct daemon *d)
{
	if (d->looping && !uv_is_active((uv_handle_t *)&d->wake))
		uv_timer_start(&d->wake, on_wake, 0, 0);
}

static void checkpoint_when_idle(struct daemon *d)
{
	if (!d->wal_dirty || clock_mono_ns() - d->changed_ns < IDLE_NS)
		return;
	db_checkpoint(d->db);
	d->wal_dirty = false;
}

static void on_tick(uv_timer_t *timer)
{
	struct daemon *d = timer->data;

	disk_check(d);
	worker_poll(d);
	calibrate_idle(d);
	keep_tidy(d);
	scheduler_run(d);
	outbox_poll(d);
	pages_poll(d);
	watch_push(d);
	watch_progress(d);
	checkpoint_when_idle(d);
	notify_send("WATCHDOG=1");
}

static void on_child(uv_signal_t *handle, int sig)
{
	(void)sig;
	child_reap(handle->data);
}

static void on_stop(uv_signal_t *handle, int sig)
{
	struct daemon *d = handle->data;

	daemon_log("%s: leaving; running workers go on",
		   sig == SIGTERM ? "SIGTERM" : "SIGINT");
	daemon_stop(d);
}

static void on_hup(uv_signal_t *handle, int sig)
{
	(void)sig;
	daemon_reload(handle->data);
}

static void on_leave(uv_timer_t *timer)
{
	uv_stop(timer->loop);
}

/* The pause lets the reply to a shutdown request go out. */
void daemon_stop(struct daemon *d)
{
	if (d->draining)
		return;
	d->draining = true;
	notify_send("STOPPING=1");
	uv_timer_start(&d->leave, on_leave, LEAVE_MS, 0);
}

static int make_folders(struct daemon *d, struct err *err)
{
	const char *const paths[] = { d->cfg.state_dir, d->cfg.cache_dir,
				      d->cfg.artifact_dir, d->cfg.pages_dir };
	char *tasks = daemon_path(d, "tasks");
	int rc = 0;
	size_t i;

	for (i = 0; !rc && i < ARRAY_SIZE(paths); i++)
		rc = file_mkdirs(paths[i], STATE_FOLDER_MODE, err);
	if (!rc)
		rc = file_mkdirs(tasks, STATE_FOLDER_MODE, err);
	free(tasks);
	return rc;
}

/* A daemon that was killed this moment may hold its lock a little longer: a
 * child between fork and exec shares it. */
static int open_db(struct daemon *d, struct err *err)
{
	char *path = daemon_path(d, "drover.db");
	int tries = 0;
	int rc;

	while ((rc = db_open(path, DB_WRITE, &d->db, err)) == ERR_BUSY &&
	       ++tries < OPEN_TRIES)
		clock_sleep_ms(OPEN_PAUSE_MS);
	free(path);
	return rc;
}

static void start_handles(struct daemon *d)
{
	uv_timer_init(&d->loop, &d->wake);
	uv_timer_init(&d->loop, &d->tick);
	uv_timer_init(&d->loop, &d->leave);
	uv_signal_init(&d->loop, &d->on_child);
	uv_signal_init(&d->loop, &d->on_term);
	uv_signal_init(&d->loop, &d->on_int);
	uv_signal_init(&d->loop, &d->on_hup);
	uv_pipe_init(&d->loop, &d->listener, 0);
	d->listener.data = d;
	d->wake.data = d;
	d->tick.data = d;
	d->on_child.data = d;
	d->on_term.data = d;
	d->on_int.data = d;
	d->on_hup.data = d;
	uv_signal_start(&d->on_child, on_child, SIGCHLD);
	uv_signal_start(&d->on_term, on_stop, SIGTERM);
	uv_signal_start(&d->on_int, on_stop, SIGINT);
	uv_signal_start(&d->on_hup, on_hup, SIGHUP);
	uv_timer_start(&d->tick, on_tick, TICK_MS, TICK_MS);
}

static int resume_flows(struct daemon *d, struct err *err)
{
	int rc = db_begin(d->db, err);

	if (!rc)
		rc = flow_resume(d, err);
	if (rc)
		db_rollback(d->db);
	else
		rc = db_commit(d->db, err);
	return rc;
}

int daemon_start(struct daemon *d, struct err *err)
{
	int rc;

	signal(SIGPIPE, SIG_IGN);
	rc = make_folders(d, err);
	if (!rc)
		rc = open_db(d, err);
	if (rc)
		return rc;
	uv_loop_init(&d->loop);
	start_handles(d);
	d->looping = true;
	rc = setup_from_config(d, err);
	if (!rc)
		rc = worker_adopt_all(d, err);
	if (!rc)
		rc = resume_flows(d, err);
	if (!rc)
		outbox_adopt(d);
	if (!rc)
		rc = server_listen(d, err);
	if (rc) {
		daemon_finish(d);
		return rc;
	}
	daemon_changed(d);
	return 0;
}

void daemon_run(struct daemon *d)
{
	daemon_log("ready on %s (version %s)", d->cfg.socket, DROVER_VERSION);
	notify_send("READY=1");
	uv_run(&d->loop, UV_RUN_DEFAULT);
}

/* New settings in @cfg, or an error and the old ones. */
static int take_config(struct daemon *d, struct config *cfg, struct err *err)
{
	struct config old = d->cfg;
	int rc;

	if (strcmp(cfg->state_dir, old.state_dir) != 0 ||
	    strcmp(cfg->socket, old.socket) != 0) {
		config_release(cfg);
		return err_set(err, ERR_CONFIG,
			       "state_dir or socket has changed: that takes a "
			       "restart");
	}
	d->cfg = *cfg;
	rc = setup_from_config(d, err);
	if (rc)
		d->cfg = old;
	config_release(rc ? cfg : &old);
	return rc;
}

void daemon_reload(struct daemon *d)
{
	struct err err = { 0 };
	struct config cfg;
	int rc = config_load(&cfg, d->sets, d->nr_sets, &err);

	if (!rc)
		rc = take_config(d, &cfg, &err);
	if (rc)
		daemon_log("reload: %s; the old settings stay", err.text);
	else
		daemon_log("reload: new settings taken");
	daemon_changed(d);
}

static void close_handle(uv_handle_t *handle, void *arg)
{
	(void)arg;
	if (!uv_is_closing(handle))
		uv_close(handle, NULL);
}

void daemon_finish(struct daemon *d)
{
	d->looping = false;
	server_close(d);
	uv_walk(&d->loop, close_handle, NULL);
	uv_run(&d->loop, UV_RUN_DEFAULT);
	uv_loop_close(&d->loop);
	worker_forget(d);
	child_forget(d);
	outbox_forget(d);
	free(d->compiler);
	d->compiler = NULL;
	db_close(&d->db);
	pages_leave(d);
}
