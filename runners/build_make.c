// SPDX-License-Identifier: GPL-3.0-or-later
// Running make for a kernel: a fixed environment, progress, time limit.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/spawn.h"
#include "runners/build.h"

#define TEXT_MAX_BYTES	   ((size_t)32 << 20)
#define LINE_MAX_BYTES	   8192
#define MAX_ARGS	   24
#define MAX_ENV		   24
#define TICK_MS		   500
#define END_GRACE_MS	   5000
#define PROGRESS_PERIOD_NS 500000000LL

/* Owned strings, ended by NULL when given to a child. */
struct words {
	char *v[MAX_ENV + 1];
	size_t nr;
};

/* Takes @word. */
static void add(struct words *w, char *word)
{
	if (w->nr < MAX_ENV)
		w->v[w->nr++] = word;
	else
		free(word);
}

static void words_release(struct words *w)
{
	while (w->nr)
		free(w->v[--w->nr]);
}

/* Whatever make sees is here, so that equal sources give equal bits. */
static void fill_env(const struct build *b, struct words *env)
{
	const char *path = getenv("PATH");

	add(env, xasprintf("PATH=%s", path ? path : "/usr/bin:/bin"));
	add(env, xasprintf("HOME=%s", b->spec.slot_dir));
	add(env, xasprintf("TMPDIR=%s/tmp", b->spec.slot_dir));
	add(env, xasprintf("KCONFIG_ALLCONFIG=%s/drover.config", b->out));
	add(env, xstrdup("KCONFIG_NOTIMESTAMP=1"));
	add(env, xstrdup("LANG=C.UTF-8"));
	add(env, xstrdup("TZ=UTC"));
	add(env, xstrdup("KBUILD_BUILD_VERSION=1"));
	add(env, xstrdup("KBUILD_BUILD_TIMESTAMP=1970-01-01"));
	add(env, xstrdup("KBUILD_BUILD_USER=drover"));
	add(env, xstrdup("KBUILD_BUILD_HOST=drover"));
	if (!b->have_ccache)
		return;
	add(env, xasprintf("CCACHE_DIR=%s", b->spec.ccache_dir));
	/*
	 * Never ccache's depend mode, though it is faster: it doesn't see that
	 * piggy.S takes in the compressed kernel by .incbin, and puts an older
	 * kernel into the image.
	 */
	add(env, xstrdup("CCACHE_NODEPEND=1"));
	if (b->spec.ccache_max_bytes > 0)
		add(env, xasprintf("CCACHE_MAXSIZE=%lldk",
				   b->spec.ccache_max_bytes / 1000));
}

/* Debug information names the source folder, which differs between slots. */
static char *flags_of(const struct build *b)
{
	const char *layout = build_layout_flags(b->spec.layout);

	if (!b->debug_info)
		return xstrdup(layout);
	return xasprintf("%s%s-ffile-prefix-map=%s/=", layout,
			 *layout ? " " : "", b->src);
}

static void fill_args(const struct build *b, const char *const *targets,
		      struct words *args)
{
	const char *cache = b->have_ccache ? "ccache " : "";
	char *flags = flags_of(b);
	long jobs = b->spec.jobs ? b->spec.jobs : sysconf(_SC_NPROCESSORS_ONLN);
	size_t i;

	add(args, xstrdup("make"));
	add(args, xstrdup("-C"));
	add(args, xstrdup(b->src));
	add(args, xasprintf("-j%ld", jobs));
	add(args, xasprintf("O=%s", b->out_name));
	add(args, xstrdup("LOCALVERSION="));
	add(args, xasprintf("CC=%s%s", cache, b->spec.cc));
	add(args, xasprintf("HOSTCC=%s%s", cache, b->spec.cc));
	if (*flags) {
		add(args, xasprintf("KCFLAGS=%s", flags));
		add(args, xasprintf("KAFLAGS=%s", b->debug_info ? flags : ""));
	}
	for (i = 0; targets[i]; i++)
		add(args, xstrdup(targets[i]));
	free(flags);
}

/* "41 %, about 80 s left: mm/slub.o" or "3 objects: fs/pipe.o". */
static void show_progress(struct build *b, const char *stage,
			  long long start_ns)
{
	int pct = build_log_percent(&b->log, b->expected);
	double seconds = (double)(clock_mono_ns() - start_ns) / 1e9;

	if (pct >= 2)
		task_progress(b->task, stage, "%d %%, about %.0f s left: %s",
			      pct, seconds * (100 - pct) / pct, b->log.target);
	else if (*b->log.target)
		task_progress(b->task, stage, "%u objects: %s",
			      b->log.nr_compiled, b->log.target);
	else
		task_progress(b->task, stage, "%s", "");
}

static void take_lines(struct build *b, struct str *pending)
{
	char *line = pending->p;
	char *end;

	while ((end = strchr(line, '\n'))) {
		*end = '\0';
		build_log_line(&b->log, line);
		line = end + 1;
	}
	pending->len = strlen(line);
	memmove(pending->p, line, pending->len + 1);
}

/* Bytes of make's output; NUL would hide the rest of a line. */
static void take_output(struct build *b, struct str *pending, char *buf,
			size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!buf[i])
			buf[i] = '?';
	str_addn(&b->text, buf, n);
	str_addn(pending, buf, n);
	if (pending->len)
		take_lines(b, pending);
	if (pending->len >= LINE_MAX_BYTES)
		str_reset(pending);
}

/* Read @fd until it ends: 0, ERR_TIMEOUT, ERR_INFRA (stop), ERR_IO. */
static int watch(struct build *b, const char *stage, int fd, struct err *err)
{
	long long end_ns = b->start_ns + (long long)(b->spec.timeout_s * 1e9);
	long long start_ns = clock_mono_ns();
	long long shown_ns = 0;
	struct str pending = STR_INIT;
	char buf[65536];
	ssize_t n = 1;
	int rc = 0;

	pending.max_bytes = sizeof(buf) + LINE_MAX_BYTES;
	while (!rc && n) {
		struct pollfd p = { fd, POLLIN, 0 };

		if (poll(&p, 1, TICK_MS) > 0) {
			n = read(fd, buf, sizeof(buf));
			if (n > 0)
				take_output(b, &pending, buf, (size_t)n);
			else if (n < 0 && errno != EINTR)
				rc = err_errno(err, ERR_IO, "make's output");
		}
		if (task_stopped())
			rc = err_set(err, ERR_INFRA, "told to stop");
		else if (clock_mono_ns() > end_ns)
			rc = err_set(err, ERR_TIMEOUT, "no end after %.0f s",
				     b->spec.timeout_s);
		if (clock_mono_ns() - shown_ns > PROGRESS_PERIOD_NS) {
			show_progress(b, stage, start_ns);
			shown_ns = clock_mono_ns();
		}
	}
	str_release(&pending);
	return rc;
}

/* Make passes SIGTERM on to everything it runs; then the group is killed. */
static void end_group(pid_t pid)
{
	long long end_ns = clock_mono_ns() + END_GRACE_MS * 1000000LL;

	kill(pid, SIGTERM);
	while (clock_mono_ns() < end_ns) {
		siginfo_t info = { .si_pid = 0 };

		if (waitid(P_PID, (id_t)pid, &info,
			   WEXITED | WNOHANG | WNOWAIT) ||
		    info.si_pid)
			break;
		clock_sleep_ms(20);
	}
	kill(-pid, SIGKILL);
}

/*
 * A worker that is killed can't end what make started (make passes a signal on
 * to its children only, not to theirs). So a second process waits for the
 * worker's end of a pipe to close, and kills the group then. It inherits the
 * locks of task and slot: nobody takes them before the group is dead.
 */
static pid_t start_guard(pid_t group, int *out_fd, struct err *err)
{
	int life[2];
	pid_t pid;
	char c;

	if (pipe2(life, O_CLOEXEC))
		return err_errno(err, ERR_IO, "pipe");
	pid = fork();
	if (pid == 0) {
		close(life[1]);
		setpgid(0, 0);
		while (read(life[0], &c, 1) < 0 && errno == EINTR)
			;
		kill(-group, SIGKILL);
		_exit(0);
	}
	close(life[0]);
	if (pid < 0) {
		close(life[1]);
		return err_errno(err, ERR_IO, "fork");
	}
	*out_fd = life[1];
	return pid;
}

/* Before the group's leader is waited for: until then its id is not reused. */
static void end_guard(pid_t guard, int fd)
{
	kill(guard, SIGKILL);
	while (waitpid(guard, NULL, 0) < 0 && errno == EINTR)
		;
	close(fd);
}

static int watch_group(struct build *b, const char *stage, pid_t pid, int fd,
		       struct err *err)
{
	int guard_fd = -1;
	pid_t guard = start_guard(pid, &guard_fd, err);
	int status = 0;
	int rc;

	rc = guard < 0 ? guard : watch(b, stage, fd, err);
	if (rc)
		end_group(pid);
	if (guard > 0)
		end_guard(guard, guard_fd);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return rc ? rc : spawn_status(status);
}

static int run_and_watch(struct build *b, const char *stage, struct spawn *what,
			 struct err *err)
{
	int pipe_fd[2];
	pid_t pid;
	int rc;

	if (pipe2(pipe_fd, O_CLOEXEC))
		return err_errno(err, ERR_IO, "pipe");
	what->out_fd = pipe_fd[1];
	what->err_fd = pipe_fd[1];
	pid = spawn_start(what, err);
	close(pipe_fd[1]);
	rc = pid < 0 ? pid : watch_group(b, stage, pid, pipe_fd[0], err);
	close(pipe_fd[0]);
	return rc;
}

int build_make(struct build *b, const char *stage, const char *const *targets,
	       struct err *err)
{
	char *tmp = file_join(b->spec.slot_dir, "tmp");
	struct words args = { .nr = 0 };
	struct words env = { .nr = 0 };
	struct spawn what = { .nice = b->spec.nice, .death_signal = SIGTERM };
	int rc;

	b->text.max_bytes = TEXT_MAX_BYTES;
	fill_args(b, targets, &args);
	fill_env(b, &env);
	what.argv = (const char *const *)args.v;
	what.env = (const char *const *)env.v;
	rc = file_mkdirs(tmp, 0700, err);
	if (!rc)
		rc = run_and_watch(b, stage, &what, err);
	if (rc < 0)
		err_wrap(err, "build of %.12s", b->spec.commit);
	words_release(&args);
	words_release(&env);
	free(tmp);
	return rc;
}

int build_failed(const struct build *b, struct err *err)
{
	const char *why = *b->log.error ? b->log.error : "make failed";

	if (b->log.is_local)
		return err_set(err, ERR_INFRA,
			       "build of %.12s: this machine failed, not the "
			       "source: %s",
			       b->spec.commit, why);
	return err_set(err, ERR_BUILD, "%.12s: %s", b->spec.commit, why);
}
