// SPDX-License-Identifier: GPL-3.0-or-later
// The list of the daemon's own child processes.
#include "daemon/child.h"

#include <stdlib.h>
#include <sys/wait.h>

#include "base/mem.h"

struct child {
	pid_t pid;
	child_fn *ended;
	long long id;
	struct child *next;
};

pid_t child_start(struct daemon *d, const struct spawn *what, child_fn *ended,
		  long long id, struct err *err)
{
	pid_t pid = spawn_start(what, err);
	struct child *c;

	if (pid < 0)
		return pid;
	c = xcalloc(1, sizeof(*c));
	c->pid = pid;
	c->ended = ended;
	c->id = id;
	c->next = d->children;
	d->children = c;
	return pid;
}

/* The first child that has ended, taken out of the list. */
static struct child *take_ended(struct daemon *d, int *status)
{
	struct child **at = &d->children;

	for (; *at; at = &(*at)->next) {
		struct child *c = *at;

		if (waitpid(c->pid, status, WNOHANG) != c->pid)
			continue;
		*at = c->next;
		return c;
	}
	return NULL;
}

/* The list may change under the functions called, so start anew each time. */
void child_reap(struct daemon *d)
{
	struct child *c;
	int status = 0;

	while ((c = take_ended(d, &status))) {
		c->ended(d, spawn_status(status), c->id);
		free(c);
	}
}

void child_forget(struct daemon *d)
{
	while (d->children) {
		struct child *c = d->children;

		d->children = c->next;
		free(c);
	}
}
