/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The client's end of droverd's socket: JSON objects, one a line
 * (docs/protocol.md).
 */
#ifndef CLI_CLIENT_H
#define CLI_CLIENT_H

#include "base/err.h"
#include "base/json.h"

struct client {
	int fd; /* −1: closed */
	struct str buf;
};

/*
 * Connect to the daemon: --socket, else the configuration's. ERR_INFRA with
 * the path and what to do when nobody listens; ERR_DENIED without permission.
 */
int client_open(struct client *c, struct err *err);
void client_close(struct client *c);

/* Send one frame. Takes @request's reference. ERR_INFRA. */
int client_send(struct client *c, json_t *request, struct err *err);

/*
 * The next frame, or NULL: ERR_INFRA when the daemon went away, ERR_TIMEOUT
 * after @timeout_ms (< 0: none). New reference.
 */
json_t *client_next(struct client *c, long timeout_ms, struct err *err);

/*
 * Connect, ask, return the one reply, close. A refused request is turned into
 * its code and sentence. Takes @request's reference. NULL on failure.
 */
json_t *client_ask(json_t *request, struct err *err);

/* 0, or the code and sentence of a reply that says "ok": false. */
int client_reply_check(const json_t *reply, struct err *err);

/* Print "drover CMD: sentence" to standard error; returns the exit code. */
int client_fail(const char *command, const struct err *err);

#endif
