// SPDX-License-Identifier: GPL-3.0-or-later
// Starting programs from argument vectors, with child hygiene and deadlines.
#include "base/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

#define MIN_ENV_NR 5

/* The environment a child gets when the caller names none. */
static void fill_min_env(char **env)
{
	const char *path = getenv("PATH");
	const char *home = getenv("HOME");

	env[0] = xasprintf("PATH=%s", path ? path : "/usr/bin:/bin");
	env[1] = xasprintf("HOME=%s", home ? home : "/");
	env[2] = xstrdup("LANG=C.UTF-8");
	env[3] = xstrdup("TZ=UTC");
	env[4] = NULL;
}

static void put_fd(int fd, int target, int null_fd)
{
	int from = fd > 0 ? fd : null_fd;

	if (from == target) /* dup2 onto itself would keep O_CLOEXEC */
		fcntl(from, F_SETFD, 0);
	else if (dup2(from, target) < 0)
		_exit(127);
}

/* A starter that died before the request took effect counts as dead, too. */
static void die_with_starter(int sig, pid_t starter)
{
	prctl(PR_SET_PDEATHSIG, sig);
	if (getppid() != starter)
		raise(sig);
}

static void child_exec(const struct spawn *what, char *const *env, int say_fd,
		       pid_t starter)
{
	sigset_t none;
	int null_fd;
	int sig;

	setpgid(0, 0);
	for (sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (what->death_signal)
		die_with_starter(what->death_signal, starter);
	null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	put_fd(what->in_fd, 0, null_fd);
	put_fd(what->out_fd, 1, null_fd);
	put_fd(what->err_fd, 2, null_fd);
	if (what->nice && nice(what->nice) == -1)
		errno = 0; /* a refused nice is no reason not to run */
	if (what->dir && chdir(what->dir))
		goto fail;
	if (say_fd != 3) {
		dup2(say_fd, 3);
		say_fd = 3;
	}
	fcntl(say_fd, F_SETFD, FD_CLOEXEC);
	closefrom(4);
	execvpe(what->argv[0], (char *const *)what->argv, env);
fail:
	sig = errno;
	if (write(say_fd, &sig, sizeof(sig)) < 0)
		_exit(126);
	_exit(127);
}

pid_t spawn_start(const struct spawn *what, struct err *err)
{
	char *min_env[MIN_ENV_NR] = { NULL };
	int say[2];
	pid_t starter = getpid();
	int failed = 0;
	ssize_t n;
	pid_t pid;
	size_t i;

	if (pipe2(say, O_CLOEXEC))
		return err_errno(err, ERR_IO, "pipe");
	if (!what->env)
		fill_min_env(min_env);
	pid = fork();
	if (pid == 0)
		child_exec(what, what->env ? (char *const *)what->env : min_env,
			   say[1], starter);
	for (i = 0; i < MIN_ENV_NR; i++)
		free(min_env[i]);
	close(say[1]);
	if (pid < 0) {
		close(say[0]);
		return err_errno(err, ERR_IO, "fork");
	}
	setpgid(pid, pid);
	do
		n = read(say[0], &failed, sizeof(failed));
	while (n < 0 && errno == EINTR);
	close(say[0]);
	if (n == sizeof(failed)) {
		waitpid(pid, NULL, 0);
		errno = failed;
		return err_errno(err, ERR_IO, "can't run %s", what->argv[0]);
	}
	return pid;
}

int spawn_status(int wait_status)
{
	if (WIFEXITED(wait_status))
		return WEXITSTATUS(wait_status);
	return 128 + (WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : 0);
}

/* The parent's ends of a captured child. fd −1: closed. */
struct capture {
	int in_fd;
	const char *input;
	size_t input_left;
	int fd[2];
	struct str *text[2];
};

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void feed_input(struct capture *c)
{
	ssize_t n = write(c->in_fd, c->input, c->input_left);

	if (n > 0) {
		c->input += n;
		c->input_left -= (size_t)n;
	}
	if (!c->input_left || (n < 0 && errno != EAGAIN && errno != EINTR))
		close_fd(&c->in_fd);
}

static void drain(struct capture *c, int i)
{
	char buf[65536];
	ssize_t n = read(c->fd[i], buf, sizeof(buf));

	if (n > 0 && c->text[i])
		str_addn(c->text[i], buf, (size_t)n);
	else if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		close_fd(&c->fd[i]);
}

/* Move bytes until both streams end: 0, or ERR_TIMEOUT at @deadline_ns. */
static int pump(struct capture *c, long long deadline_ns)
{
	while (c->fd[0] >= 0 || c->fd[1] >= 0) {
		struct pollfd p[3] = { { c->fd[0], POLLIN, 0 },
				       { c->fd[1], POLLIN, 0 },
				       { c->in_fd, POLLOUT, 0 } };
		long long left_ms = (deadline_ns - clock_mono_ns()) / 1000000;

		if (left_ms <= 0)
			return ERR_TIMEOUT;
		if (poll(p, 3, left_ms > 1000 ? 1000 : (int)left_ms) < 0 &&
		    errno != EINTR)
			return ERR_IO;
		if (p[2].revents)
			feed_input(c);
		if (p[0].revents)
			drain(c, 0);
		if (p[1].revents)
			drain(c, 1);
	}
	return 0;
}

/* Wait for @pid until @deadline_ns; kills its group past it. */
static int reap(pid_t pid, long long deadline_ns, bool kill_now)
{
	int status = 0;
	bool late = kill_now;

	for (;;) {
		pid_t got = waitpid(pid, &status, late ? 0 : WNOHANG);

		if (got == pid)
			break;
		if (got < 0 && errno != EINTR)
			return ERR_IO;
		if (clock_mono_ns() >= deadline_ns)
			late = true;
		if (late)
			kill(-pid, SIGKILL);
		else
			clock_sleep_ms(2);
	}
	return late ? ERR_TIMEOUT : spawn_status(status);
}

/* The three pipes of a captured child: [0] is read from, [1] written to. */
struct pipes {
	int in[2], out[2], err[2];
};

static void close_pipes(struct pipes *p)
{
	for (int i = 0; i < 2; i++) {
		close_fd(&p->in[i]);
		close_fd(&p->out[i]);
		close_fd(&p->err[i]);
	}
}

static int open_pipes(struct pipes *p, bool with_input, struct err *err)
{
	*p = (struct pipes){ { -1, -1 }, { -1, -1 }, { -1, -1 } };
	if (pipe2(p->out, O_CLOEXEC) || pipe2(p->err, O_CLOEXEC) ||
	    (with_input && pipe2(p->in, O_CLOEXEC)))
		return err_errno(err, ERR_IO, "pipe");
	return 0;
}

/* Move the bytes and wait for the end of @pid. */
static int serve_child(const struct spawn *what, pid_t pid, struct pipes *p,
		       struct str *const text[2], long long deadline_ns)
{
	struct capture c = { p->in[1],
			     what->input,
			     what->input_len,
			     { p->out[0], p->err[0] },
			     { text[0], text[1] } };
	int rc;

	if (what->input)
		fcntl(p->in[1], F_SETFL, O_NONBLOCK);
	rc = pump(&c, deadline_ns);
	if (rc)
		kill(-pid, SIGKILL);
	p->in[1] = c.in_fd;
	p->out[0] = c.fd[0];
	p->err[0] = c.fd[1];
	return reap(pid, deadline_ns, rc != 0);
}

int spawn_capture(const struct spawn *what, struct str *out, struct str *errout,
		  long timeout_ms, struct err *err)
{
	long long deadline_ns = clock_mono_ns() + timeout_ms * 1000000LL;
	struct str *const text[2] = { out, errout };
	struct spawn child = *what;
	void (*old)(int) = signal(SIGPIPE, SIG_IGN);
	struct pipes p;
	pid_t pid;
	int rc = open_pipes(&p, what->input != NULL, err);

	if (rc)
		goto out;
	child.out_fd = p.out[1];
	child.err_fd = p.err[1];
	if (what->input)
		child.in_fd = p.in[0];
	pid = spawn_start(&child, err);
	if (pid < 0) {
		rc = pid;
		goto out;
	}
	close_fd(&p.out[1]);
	close_fd(&p.err[1]);
	close_fd(&p.in[0]);
	rc = serve_child(what, pid, &p, text, deadline_ns);
	if (rc == ERR_TIMEOUT)
		err_set(err, rc, "%s: no end after %ld ms", what->argv[0],
			timeout_ms);
	else if (rc < 0)
		err_set(err, rc, "%s: can't be waited for", what->argv[0]);
out:
	close_pipes(&p);
	signal(SIGPIPE, old);
	return rc;
}

int spawn_output(const char *const *argv, const char *dir, long timeout_ms,
		 struct str *out, struct err *err)
{
	struct spawn what = { .argv = argv, .dir = dir };
	struct str errout = STR_INIT;
	int rc;

	errout.max_bytes = 4096;
	rc = spawn_capture(&what, out, &errout, timeout_ms, err);
	if (rc > 0) {
		char *end = strchr(errout.p, '\n');

		if (end)
			*end = '\0';
		rc = err_set(err, ERR_IO, "%s exited with %d%s%s", argv[0], rc,
			     *errout.p ? ": " : "", errout.p);
	}
	str_release(&errout);
	return rc;
}
