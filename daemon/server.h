/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The Unix socket: who asks is what SO_PEERCRED says, a frame is one line of
 * JSON of at most limits.max_frame bytes, and a client that doesn't read its
 * replies is dropped before it costs memory or anybody else's time.
 */
#ifndef DAEMON_SERVER_H
#define DAEMON_SERVER_H

#include <sys/types.h>

#include "daemon/daemon.h"

#define SERVER_MAX_CLIENTS 512

/* What somebody may do; each includes the ones before it. */
enum role { ROLE_VIEWER, ROLE_SUBMITTER, ROLE_ADMIN };

/*
 * One connection. @watch_job: 0, or the job whose events it gets, sent up to
 * @watch_event; @watch_text: the last progress frame sent.
 */
struct client {
	uv_pipe_t pipe;
	struct daemon *d;
	uid_t uid;
	enum role role;
	bool closing;
	bool paused; /* requests wait until replies were read */
	bool eof;    /* it has closed its side, replies still go out */
	struct str in;
	long long watch_job;
	long long watch_event;
	struct str watch_text;
	struct client *next;
};

/* Listen on cfg.socket (mode 0660). ERR_IO. */
int server_listen(struct daemon *d, struct err *err);
/* Stop listening and drop all clients. */
void server_close(struct daemon *d);

/* Send one frame; takes @frame. A client that lags too far is dropped. */
void server_send(struct client *c, json_t *frame);

/*
 * Answer one request line: the reply, never NULL, {"ok": …}. @c gives user and
 * role and may be made a watcher. New reference.
 */
json_t *server_answer(struct client *c, const char *line, size_t len);

#endif
