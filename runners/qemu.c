// SPDX-License-Identifier: GPL-3.0-or-later
// Starting, finding and stopping one QEMU box.
#include "runners/qemu.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/spawn.h"

#define DIR_MODE	  0750
#define FILE_MODE	  0640
#define ARGV_MAX	  96
#define LISTEN_WAIT_MS	  10000
#define STOP_WAIT_MS	  10000
#define PORT_TRIES	  5
#define NET_TCP_MAX_BYTES ((size_t)8 << 20)
#define WORDS_MAX_BYTES	  4096

static struct sockaddr_in loopback(int port)
{
	struct sockaddr_in a = { .sin_family = AF_INET };

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	a.sin_port = htons((uint16_t)port);
	return a;
}

/* Bind to @port (0: any) for a moment: the port, or −1 when it is taken. */
static int try_port(int port)
{
	struct sockaddr_in a = loopback(port);
	socklen_t len = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int one = 1;
	int got = -1;

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (!bind(fd, (struct sockaddr *)&a, len) && !listen(fd, 1) &&
	    !getsockname(fd, (struct sockaddr *)&a, &len))
		got = ntohs(a.sin_port);
	close(fd);
	return got;
}

int qemu_free_port(struct err *err)
{
	int port = try_port(0);

	if (port < 0)
		return err_errno(err, ERR_IO, "no free port on 127.0.0.1");
	return port;
}

/* Whether someone listens on 127.0.0.1:@port; a connection would be seen. */
static bool is_listening(int port)
{
	char *want = xasprintf("0100007F:%04X 00000000:0000 0A", port);
	struct str table = STR_INIT;
	bool found;

	found = !file_read("/proc/net/tcp", NET_TCP_MAX_BYTES, &table, NULL) &&
		strstr(table.p, want);
	str_release(&table);
	free(want);
	return found;
}

/* Field 22 of /proc/PID/stat: a reused pid has another one. −1: no process. */
static long long start_ticks(pid_t pid)
{
	char *path = xasprintf("/proc/%ld/stat", (long)pid);
	struct str text = STR_INIT;
	long long ticks = -1;
	char *p = NULL;
	int field;

	if (!file_read(path, WORDS_MAX_BYTES, &text, NULL))
		p = strrchr(text.p, ')');
	for (field = 2; p && field < 22; field++)
		p = strchr(p + 1, ' ');
	if (p)
		ticks = strtoll(p + 1, NULL, 10);
	str_release(&text);
	free(path);
	return ticks;
}

static int write_pid_file(const struct qemu *q, struct err *err)
{
	char *path = file_join(q->state_dir, "pid");
	char *text = xasprintf("%ld %lld %d\n", (long)q->pid,
			       start_ticks(q->pid), q->ssh_port);
	int rc = file_write_atomic(path, text, strlen(text), FILE_MODE, err);

	free(text);
	free(path);
	return rc;
}

void qemu_release(struct qemu *q)
{
	if (q->pid > 0 && q->pidfd >= 0)
		close(q->pidfd);
	free(q->console);
	free(q->state_dir);
	*q = (struct qemu){ .pidfd = -1 };
}

bool qemu_alive(const struct qemu *q)
{
	struct pollfd p = { q->pidfd, POLLIN, 0 };

	return q->pid > 0 && poll(&p, 1, 0) == 0;
}

void qemu_stop(struct qemu *q)
{
	struct pollfd p = { q->pidfd, POLLIN, 0 };
	char *path;

	if (q->pid > 0) {
		path = file_join(q->state_dir, "pid");
		pidfd_send_signal(q->pidfd, SIGKILL, NULL, 0);
		while (poll(&p, 1, STOP_WAIT_MS) < 0 && errno == EINTR)
			;
		waitpid(q->pid, NULL, WNOHANG);
		unlink(path);
		free(path);
	}
	qemu_release(q);
}

/* QEMU's last words, for an error. */
static int ended_early(const struct qemu *q, const char *name, struct err *err)
{
	char *path = file_join(q->state_dir, "qemu.err");
	struct str words = STR_INIT;
	const char *last;
	int rc;

	file_read(path, WORDS_MAX_BYTES, &words, NULL);
	str_rtrim(&words);
	last = strrchr(words.p, '\n');
	rc = err_set(err, ERR_INFRA, "box %s: QEMU ended at once: %s", name,
		     last ? last + 1 : words.p);
	str_release(&words);
	free(path);
	return rc;
}

static int wait_listening(const struct qemu *q, const char *name,
			  struct err *err)
{
	long long end_ns = clock_mono_ns() + LISTEN_WAIT_MS * 1000000LL;

	while (!is_listening(q->ssh_port)) {
		if (!qemu_alive(q))
			return ended_early(q, name, err);
		if (clock_mono_ns() > end_ns)
			return err_set(err, ERR_INFRA,
				       "box %s: QEMU doesn't listen on port %d "
				       "after %d s",
				       name, q->ssh_port,
				       LISTEN_WAIT_MS / 1000);
		clock_sleep_ms(20);
	}
	return 0;
}

/* An empty file for QEMU's standard error, and no console of an older boot. */
static int fresh_logs(const struct qemu *q, struct err *err)
{
	char *path = file_join(q->state_dir, "qemu.err");
	int fd;

	unlink(q->console);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, FILE_MODE);
	if (fd < 0)
		fd = err_errno(err, ERR_IO, "%s", path);
	free(path);
	return fd;
}

static void limit_files(pid_t pid)
{
	const struct rlimit files = { QEMU_CONSOLE_MAX_BYTES,
				      QEMU_CONSOLE_MAX_BYTES };
	const struct rlimit core = { 0, 0 };

	prlimit(pid, RLIMIT_FSIZE, &files, NULL);
	prlimit(pid, RLIMIT_CORE, &core, NULL);
}

static int launch(const struct qemu_box *box, struct qemu *q, struct err *err)
{
	const char *argv[ARGV_MAX + 1];
	struct spawn what = { .argv = argv };
	struct str args = STR_INIT;
	const char *p;
	size_t n = 0;
	int rc;

	rc = qemu_command(box, q->ssh_port, &args, err);
	if (rc)
		goto out;
	for (p = args.p; p < args.p + args.len && n < ARGV_MAX;
	     p += strlen(p) + 1)
		argv[n++] = p;
	argv[n] = NULL;
	rc = what.err_fd = fresh_logs(q, err);
	if (rc < 0)
		goto out;
	what.death_signal = box->keep ? 0 : SIGKILL;
	rc = q->pid = spawn_start(&what, err);
	close(what.err_fd);
	if (rc < 0)
		goto out;
	limit_files(q->pid);
	q->pidfd = pidfd_open(q->pid, 0);
	rc = q->pidfd < 0 ? err_errno(err, ERR_IO, "pidfd_open") : 0;
out:
	str_release(&args);
	return rc;
}

static int start_at(const struct qemu_box *box, int port, struct qemu *out,
		    struct err *err)
{
	struct qemu q = { .pidfd = -1, .ssh_port = port };
	int rc;

	q.state_dir = xstrdup(box->state_dir);
	q.console = file_join(box->state_dir, "console.log");
	rc = launch(box, &q, err);
	if (!rc)
		rc = write_pid_file(&q, err);
	if (!rc)
		rc = wait_listening(&q, box->name, err);
	if (rc)
		qemu_stop(&q);
	else
		*out = q;
	return rc;
}

static int check_inputs(const struct qemu_box *box, struct err *err)
{
	struct qemu running = { .pidfd = -1 };

	if (!file_exists(box->kernel))
		return err_set(err, ERR_NOTFOUND,
			       "box %s: kernel %s is not there", box->name,
			       box->kernel);
	if (!file_exists(box->initrd))
		return err_set(err, ERR_NOTFOUND,
			       "box %s: initramfs %s is not there; run "
			       "drover-lab up",
			       box->name, box->initrd);
	if (box->ssh_port && try_port(box->ssh_port) < 0)
		return err_set(err, ERR_BUSY,
			       "box %s: port %d on 127.0.0.1 is taken",
			       box->name, box->ssh_port);
	if (!qemu_attach(box->state_dir, &running, NULL)) {
		err_set(err, ERR_BUSY, "box %s runs already, as pid %ld",
			box->name, (long)running.pid);
		qemu_release(&running);
		return ERR_BUSY;
	}
	return 0;
}

int qemu_start(const struct qemu_box *box, struct qemu *out, struct err *err)
{
	int tries = box->ssh_port ? 1 : PORT_TRIES;
	int port = box->ssh_port;
	int rc;

	rc = check_inputs(box, err);
	if (!rc)
		rc = file_mkdirs(box->state_dir, DIR_MODE, err);
	if (rc)
		return rc;
	/* a free port may be taken by someone else before QEMU binds it */
	do {
		if (!box->ssh_port)
			port = qemu_free_port(err);
		rc = port < 0 ? port : start_at(box, port, out, err);
	} while (rc == ERR_INFRA && --tries > 0 &&
		 strstr(err->text, "host forwarding"));
	return rc;
}

int qemu_attach(const char *state_dir, struct qemu *out, struct err *err)
{
	struct qemu q = { .pidfd = -1 };
	char *path = file_join(state_dir, "pid");
	struct str text = STR_INIT;
	long long ticks = -1;
	long pid = 0;
	char *p;
	int rc = 0;

	if (!file_read(path, WORDS_MAX_BYTES, &text, NULL)) {
		pid = strtol(text.p, &p, 10);
		ticks = strtoll(p, &p, 10);
		q.ssh_port = (int)strtol(p, &p, 10);
	}
	if (pid > 0 && pid <= INT_MAX)
		q.pidfd = pidfd_open((pid_t)pid, 0);
	q.pid = q.pidfd >= 0 ? (pid_t)pid : 0;
	/* the order matters: the pidfd pins the process that is compared */
	if (!q.pid || ticks < 0 || start_ticks(q.pid) != ticks ||
	    !qemu_alive(&q)) {
		rc = err_set(err, ERR_NOTFOUND, "no box runs in %s", state_dir);
		qemu_release(&q);
	} else {
		q.state_dir = xstrdup(state_dir);
		q.console = file_join(state_dir, "console.log");
		*out = q;
	}
	str_release(&text);
	free(path);
	return rc;
}
