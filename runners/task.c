// SPDX-License-Identifier: GPL-3.0-or-later
// The task folder, both sides: lock, progress, log, result as commit point.
#include "runners/task.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"

#define DIR_MODE	   0750
#define FILE_MODE	   0640
#define PROGRESS_MAX_BYTES 4096
#define LOCK_TRIES	   50
#define LOCK_PAUSE_MS	   10

#define EXIT_HELD      75 /* EX_TEMPFAIL of sysexits.h */
#define EXIT_NO_RESULT 5

static volatile sig_atomic_t stop_flag;

static void on_stop(int sig)
{
	(void)sig;
	stop_flag = 1;
}

void task_catch_stop(void)
{
	struct sigaction sa = { .sa_handler = on_stop };

	sigemptyset(&sa.sa_mask);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL);
	sa.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &sa, NULL);
}

bool task_stopped(void)
{
	return stop_flag != 0;
}

/*
 * Asking whether the lock is held takes it for a moment (file_lock_held), so
 * one refusal doesn't mean that another worker is there.
 */
static int lock_patiently(const char *path, struct err *err)
{
	int tries = LOCK_TRIES;
	int fd;

	while ((fd = file_lock(path, err)) == ERR_BUSY && --tries > 0)
		clock_sleep_ms(LOCK_PAUSE_MS);
	return fd;
}

/*
 * The pid inside tells a lock that was never taken from one whose owner died.
 */
static int sign_lock(int fd, struct err *err)
{
	char *text = xasprintf("%ld\n", (long)getpid());
	int rc = 0;

	if (ftruncate(fd, 0))
		rc = err_errno(err, ERR_IO, "lock");
	else
		rc = file_write_all(fd, text, strlen(text), err);
	free(text);
	return rc;
}

static int open_parts(struct task *t, struct err *err)
{
	char *lock = file_join(t->dir, "lock");
	char *spec = file_join(t->dir, "task.json");
	char *log = file_join(t->dir, "log");
	char *out = file_join(t->dir, "out");
	char *result = file_join(t->dir, "result.json");
	int rc = ERR_DATA;

	if (!file_exists(spec)) {
		rc = err_set(err, ERR_NOTFOUND, "%s: no task here", spec);
		goto out;
	}
	rc = t->lock_fd = lock_patiently(lock, err);
	if (rc < 0)
		goto out;
	rc = ERR_EXISTS;
	if (file_exists(result)) {
		err_set(err, rc, "%s is there already", result);
		goto out;
	}
	rc = sign_lock(t->lock_fd, err);
	if (rc)
		goto out;
	t->spec = json_read_file(spec, TASK_SPEC_MAX_BYTES, err);
	rc = t->spec ? file_mkdirs(out, DIR_MODE, err) : ERR_DATA;
	if (rc)
		goto out;
	t->log_fd =
		open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, FILE_MODE);
	if (t->log_fd < 0)
		rc = err_errno(err, ERR_IO, "%s", log);
out:
	free(lock);
	free(spec);
	free(log);
	free(out);
	free(result);
	return rc;
}

int task_open(const char *dir, struct task *out, struct err *err)
{
	struct task t = { NULL, NULL, -1, -1 };
	int rc;

	t.dir = realpath(dir, NULL);
	if (!t.dir)
		return err_errno(err, errno == ENOENT ? ERR_NOTFOUND : ERR_IO,
				 "task folder %s", dir);
	rc = open_parts(&t, err);
	if (rc < 0)
		task_close(&t);
	else
		*out = t;
	return rc < 0 ? rc : 0;
}

void task_close(struct task *t)
{
	if (t->dir && t->log_fd >= 0)
		close(t->log_fd);
	if (t->dir && t->lock_fd >= 0)
		close(t->lock_fd);
	free(t->dir);
	json_decref(t->spec);
	*t = (struct task){ NULL, NULL, -1, -1 };
}

void task_progress(struct task *t, const char *stage, const char *fmt, ...)
{
	char *tmp = file_join(t->dir, "progress.tmp");
	char *path = file_join(t->dir, "progress");
	struct str line = STR_INIT;
	va_list ap;
	int fd;

	line.max_bytes = PROGRESS_MAX_BYTES;
	str_addf(&line, "%s\t", stage);
	va_start(ap, fmt);
	str_vaddf(&line, fmt, ap);
	va_end(ap);
	str_addch(&line, '\n');
	/* renamed but not synced: it need not survive a crash */
	fd = open(tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, FILE_MODE);
	if (fd >= 0) {
		if (!file_write_all(fd, line.p, line.len, NULL))
			rename(tmp, path);
		close(fd);
	}
	str_release(&line);
	free(tmp);
	free(path);
}

void task_log(struct task *t, const char *fmt, ...)
{
	char now[CLOCK_ISO_BYTES];
	struct str line = STR_INIT;
	va_list ap;

	clock_to_iso(clock_wall_s(), now);
	str_addf(&line, "%s ", now);
	va_start(ap, fmt);
	str_vaddf(&line, fmt, ap);
	va_end(ap);
	str_addch(&line, '\n');
	file_write_all(t->log_fd, line.p, line.len, NULL);
	str_release(&line);
}

char *task_out_path(const struct task *t, const char *name)
{
	return xasprintf("%s/out/%s", t->dir, name);
}

/* A committed result must not name files that a power cut takes away. */
static int sync_outputs(const struct task *t, struct err *err)
{
	char *path = file_join(t->dir, "out");
	DIR *dir = opendir(path);
	struct dirent *entry;
	int rc = dir ? 0 : err_errno(err, ERR_IO, "%s", path);

	while (dir && !rc && (entry = readdir(dir))) {
		int fd = openat(dirfd(dir), entry->d_name,
				O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

		if (fd < 0)
			continue;
		if (fsync(fd) && errno != EINVAL)
			rc = err_errno(err, ERR_IO, "%s/%s", path,
				       entry->d_name);
		close(fd);
	}
	if (dir)
		closedir(dir);
	free(path);
	return rc;
}

static int commit(struct task *t, const json_t *result, struct err *err)
{
	char *path = file_join(t->dir, "result.json");
	int rc = sync_outputs(t, err);

	if (!rc)
		rc = json_write_file_max(path, result, TASK_RESULT_MAX_BYTES,
					 err);
	if (rc == ERR_LIMIT)
		err_set(err, rc,
			"the result has over %zu MiB: take fewer runs a boot "
			"or fewer monitors",
			TASK_RESULT_MAX_BYTES >> 20);
	free(path);
	return rc;
}

int task_finish(struct task *t, json_t *payload, struct err *err)
{
	int rc;

	json_object_set_new(payload, "status", json_string("done"));
	rc = commit(t, payload, err);
	json_decref(payload);
	return rc;
}

static void set_failure(json_t *result, const struct err *why)
{
	json_object_set_new(result, "status", json_string("failed"));
	json_object_set_new(result, "kind",
			    json_string(err_code_to_str(why->code)));
	json_object_set_new(result, "message",
			    json_text(why->text, strlen(why->text)));
}

int task_fail(struct task *t, const struct err *why, json_t *payload)
{
	json_t *result = payload ? payload : json_object();
	struct err err = { 0 };
	int rc;

	set_failure(result, why);
	task_log(t, "failed (%s): %s", err_code_to_str(why->code), why->text);
	rc = commit(t, result, &err);
	if (rc == ERR_LIMIT) {
		/* the failure alone */
		json_object_clear(result);
		set_failure(result, why);
		rc = commit(t, result, &err);
	}
	if (rc)
		task_log(t, "no result could be written: %s", err.text);
	json_decref(result);
	return rc;
}

static int run_and_commit(struct task *t, task_run_fn *run)
{
	struct err err = { 0 };
	json_t *payload = NULL;
	int rc;

	rc = run(t, &payload, &err);
	if (!rc) {
		rc = task_finish(t, payload ? payload : json_object(), &err);
		if (rc == ERR_LIMIT)
			/* nobody would read it, and the next try's neither */
			rc = task_fail(t, &err, NULL);
		else if (rc)
			task_log(t, "no result could be written: %s", err.text);
	} else {
		rc = task_fail(t, &err, payload);
	}
	return rc ? EXIT_NO_RESULT : 0;
}

int task_main(int argc, char **argv, task_run_fn *run)
{
	struct task t = { NULL, NULL, -1, -1 };
	struct err err = { 0 };
	int rc;

	if (argc != 2 || argv[1][0] == '-') {
		fprintf(stderr, "usage: %s TASK-FOLDER\n", argv[0]);
		return 2;
	}
	task_catch_stop();
	rc = task_open(argv[1], &t, &err);
	if (rc == ERR_EXISTS)
		return 0;
	if (rc) {
		fprintf(stderr, "%s: %s\n", argv[0], err.text);
		return rc == ERR_BUSY ? EXIT_HELD : 2;
	}
	rc = run_and_commit(&t, run);
	task_close(&t);
	return rc;
}

int task_create(const char *dir, const json_t *spec, struct err *err)
{
	char *path = file_join(dir, "task.json");
	char *lock = file_join(dir, "lock");
	int rc;

	rc = file_mkdirs(dir, DIR_MODE, err);
	if (!rc && file_exists(path))
		rc = err_set(err, ERR_EXISTS, "%s is there already", path);
	if (!rc)
		rc = file_write_atomic(lock, "", 0, 0600, err);
	if (!rc)
		rc = json_write_file(path, spec, err);
	free(path);
	free(lock);
	return rc;
}

static bool lock_was_taken(const char *path)
{
	struct stat st;

	return !stat(path, &st) && st.st_size > 0;
}

int task_state(const char *dir, struct err *err)
{
	char *spec = file_join(dir, "task.json");
	char *lock = file_join(dir, "lock");
	char *result = file_join(dir, "result.json");
	int rc;

	/* the order matters: a result seen after a free lock is final */
	if (!file_exists(spec))
		rc = err_set(err, ERR_NOTFOUND, "%s: no task here", spec);
	else
		rc = file_lock_held(lock, err);
	if (rc == 1)
		rc = TASK_RUNNING;
	else if (rc == 0 && file_exists(result))
		rc = TASK_DONE;
	else if (rc == 0)
		rc = lock_was_taken(lock) ? TASK_LOST : TASK_NEW;
	free(spec);
	free(lock);
	free(result);
	return rc;
}

json_t *task_read_result(const char *dir, struct err *err)
{
	char *path = file_join(dir, "result.json");
	json_t *v = json_read_file(path, TASK_RESULT_MAX_BYTES, err);

	if (v && !json_is_object(v)) {
		err_set(err, ERR_DATA, "%s: not an object", path);
		json_decref(v);
		v = NULL;
	}
	free(path);
	return v;
}

int task_result_err(const json_t *result, struct err *err)
{
	const char *status = json_opt_str(result, "status", "");

	if (!strcmp(status, "done"))
		return 0;
	if (strcmp(status, "failed") != 0)
		return err_set(err, ERR_DATA,
			       "result.json: status \"%s\" is neither \"done\" "
			       "nor \"failed\"",
			       status);
	return err_set(err, err_code_from_str(json_opt_str(result, "kind", "")),
		       "%s", json_opt_str(result, "message", "no message"));
}

void task_read_progress(const char *dir, struct str *stage, struct str *text)
{
	char *path = file_join(dir, "progress");
	struct str line = STR_INIT;
	char *tab;

	if (!file_read(path, PROGRESS_MAX_BYTES + 1, &line, NULL)) {
		str_rtrim(&line);
		tab = strchr(line.p, '\t');
		if (tab)
			*tab = '\0';
		str_add_term(stage, line.p, false);
		if (tab)
			str_add_term(text, tab + 1, false);
	}
	str_release(&line);
	free(path);
}

pid_t task_worker_pid(const char *dir)
{
	char *path = file_join(dir, "lock");
	struct str text = STR_INIT;
	unsigned long long pid = 0;

	if (file_lock_held(path, NULL) == 1 &&
	    !file_read(path, 64, &text, NULL)) {
		str_rtrim(&text);
		if (!str_to_u64(text.p, &pid) || pid > INT_MAX)
			pid = 0;
	}
	str_release(&text);
	free(path);
	return (pid_t)pid;
}
