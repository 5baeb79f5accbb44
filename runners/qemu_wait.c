// SPDX-License-Identifier: GPL-3.0-or-later
// Waiting for a virtual box to boot: its SSH greeting, or its last words.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "runners/qemu.h"
#include "runners/task.h"

#define TRY_FIRST_MS  1500
#define TRY_MAX_MS    24000
#define PAUSE_MS      200
#define CONSOLE_SHOWN 600
#define GREETING      "SSH-"

/*
 * One attempt. QEMU accepts for a guest that is still down, so only the
 * greeting counts, and each attempt must end soon.
 */
static bool greets(int port, int timeout_ms)
{
	struct sockaddr_in a = { .sin_family = AF_INET };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct pollfd p = { fd, POLLIN, 0 };
	char buf[sizeof(GREETING) - 1] = "";
	bool ok = false;

	if (fd < 0)
		return false;
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	a.sin_port = htons((uint16_t)port);
	if (!connect(fd, (struct sockaddr *)&a, sizeof(a)) &&
	    poll(&p, 1, timeout_ms) > 0)
		ok = recv(fd, buf, sizeof(buf), MSG_WAITALL) == sizeof(buf) &&
		     !memcmp(buf, GREETING, sizeof(buf));
	close(fd);
	return ok;
}

/* The reason if the console has one, else its end, in one line. */
static int no_boot(const struct qemu *q, const char *name, const char *what,
		   struct err *err)
{
	struct str tail = STR_INIT;
	const char *text;
	int rc;

	qemu_console_tail(q->console, CONSOLE_SHOWN, &tail);
	str_rtrim(&tail);
	text = strstr(tail.p, "Kernel panic") ? tail.p : strrchr(tail.p, '\n');
	if (text && text == tail.p)
		tail.p[strcspn(tail.p, "\n")] = '\0';
	rc = err_set(err, ERR_BOOT, "box %s: %s; its console says: %s", name,
		     what,
		     !*tail.p ? "nothing"
		     : text   ? text
			      : tail.p);
	str_release(&tail);
	return rc;
}

int qemu_wait_ssh(const struct qemu *q, const char *name, long timeout_ms,
		  struct err *err)
{
	long long end_ns = clock_mono_ns() + timeout_ms * 1000000LL;
	int try_ms = TRY_FIRST_MS;

	while (!greets(q->ssh_port, try_ms)) {
		if (!qemu_alive(q))
			return no_boot(q, name, "the machine ended", err);
		if (task_stopped())
			return err_set(err, ERR_INFRA, "told to stop");
		if (clock_mono_ns() > end_ns)
			return no_boot(q, name, "no SSH in time", err);
		clock_sleep_ms(PAUSE_MS);
		/* on a busy host a guest takes seconds to greet */
		if (try_ms < TRY_MAX_MS)
			try_ms *= 2;
	}
	return 0;
}
