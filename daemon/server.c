// SPDX-License-Identifier: GPL-3.0-or-later
// The Unix socket: connections, frames in, frames out.
#include "daemon/server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "daemon/ops.h"

#define BACKLOG		128
#define SOCKET_MODE	0660
#define LAG_MAX_BYTES	((size_t)80 << 20)
#define WATCH_MAX_BYTES ((size_t)1 << 20)
/* with so much unread no further request of a client is looked at */
#define PAUSE_BYTES ((size_t)1 << 18)

/* One frame on its way out. */
struct out {
	uv_write_t req;
	struct str text;
};

static void on_closed(uv_handle_t *handle)
{
	struct client *c = handle->data;
	struct client **at = &c->d->clients;

	while (*at && *at != c)
		at = &(*at)->next;
	if (*at)
		*at = c->next;
	c->d->nr_clients--;
	str_release(&c->in);
	str_release(&c->watch_text);
	free(c);
}

static void drop(struct client *c)
{
	if (c->closing)
		return;
	c->closing = true;
	c->watch_job = 0;
	uv_close((uv_handle_t *)&c->pipe, on_closed);
}

static void resume(struct client *c);

static void on_written(uv_write_t *req, int status)
{
	struct out *o = req->data;
	struct client *c = req->handle->data;

	str_release(&o->text);
	free(o);
	if (status < 0 || (c->eof && !c->pipe.write_queue_size))
		drop(c);
	else if (c->paused && c->pipe.write_queue_size <= PAUSE_BYTES)
		resume(c);
}

/* A watcher gets frames without asking, so it may lag less. */
static size_t lag_max(const struct client *c)
{
	return c->watch_job ? WATCH_MAX_BYTES : LAG_MAX_BYTES;
}

void server_send(struct client *c, json_t *frame)
{
	struct out *o = xcalloc(1, sizeof(*o));
	uv_buf_t buf;

	str_init(&o->text);
	json_add_text(&o->text, frame);
	str_addch(&o->text, '\n');
	json_decref(frame);
	if (c->closing || o->text.cut ||
	    c->pipe.write_queue_size + o->text.len > lag_max(c)) {
		str_release(&o->text);
		free(o);
		drop(c);
		return;
	}
	o->req.data = o;
	buf = uv_buf_init(o->text.p, (unsigned)o->text.len);
	if (uv_write(&o->req, (uv_stream_t *)&c->pipe, &buf, 1, on_written)) {
		str_release(&o->text);
		free(o);
		drop(c);
	}
}

static json_t *failure(const struct err *err)
{
	return json_pack("{s:b, s:s, s:o}", "ok", 0, "code",
			 err_code_to_str(err->code), "error",
			 json_text(err->text, strlen(err->text)));
}

static json_t *run_op(struct client *c, const json_t *request, struct err *err)
{
	static const char *const roles[] = { "viewer", "submitter", "admin" };
	const char *name = NULL;
	const struct op *op;

	if (!json_is_object(request)) {
		err_set(err, ERR_DATA, "a request is one JSON object");
		return NULL;
	}
	if (json_need_str(request, "op", &name, err))
		return NULL;
	op = op_find(name, err);
	if (!op)
		return NULL;
	if (c->role < op->role) {
		err_set(err, ERR_DENIED, "%s needs the role %s; you are %s",
			name, roles[op->role], roles[c->role]);
		return NULL;
	}
	return op->fn(c, request, err);
}

json_t *server_answer(struct client *c, const char *line, size_t len)
{
	struct err err = { 0 };
	json_t *request = json_parse(line, len, "request", &err);
	json_t *reply = NULL;

	if (request)
		reply = run_op(c, request, &err);
	if (!reply && !err.code)
		err_set(&err, ERR_IO, "the daemon has no answer");
	if (!reply)
		reply = failure(&err);
	else
		json_object_set_new(reply, "ok", json_true());
	json_decref(request);
	return reply;
}

/* The end of the first line from @start, or NULL. */
static char *line_end(const struct client *c, const char *start)
{
	return memchr(start, '\n', c->in.len - (size_t)(start - c->in.p));
}

/* Answer the whole lines that are there, keep the rest. */
static void take_lines(struct client *c)
{
	char *start = c->in.p;
	char *end;

	while (!c->closing && c->pipe.write_queue_size <= PAUSE_BYTES &&
	       (end = line_end(c, start))) {
		server_send(c, server_answer(c, start, (size_t)(end - start)));
		start = end + 1;
	}
	c->in.len -= (size_t)(start - c->in.p);
	memmove(c->in.p, start, c->in.len);
	if (!c->closing && line_end(c, c->in.p)) {
		c->paused = true;
		uv_read_stop((uv_stream_t *)&c->pipe);
	}
}

static void refuse_frame(struct client *c)
{
	struct err err = { 0 };

	err_set(&err, ERR_LIMIT, "a request is longer than %lld bytes",
		c->d->cfg.limits.max_frame_bytes);
	server_send(c, failure(&err));
	str_reset(&c->in);
	uv_read_stop((uv_stream_t *)&c->pipe);
	/* what was written is flushed before the close */
	drop(c);
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
	static char shared[65536];

	(void)handle;
	(void)suggested;
	*buf = uv_buf_init(shared, sizeof(shared));
}

static void on_read(uv_stream_t *stream, ssize_t nread, const uv_buf_t *buf)
{
	struct client *c = stream->data;
	size_t max = (size_t)c->d->cfg.limits.max_frame_bytes;

	if (nread == UV_EOF && c->pipe.write_queue_size) {
		c->eof = true; /* asked, then closed its side: answer still */
		return;
	}
	if (nread < 0) {
		drop(c);
		return;
	}
	if (!nread)
		return;
	str_addn(&c->in, buf->base, (size_t)nread);
	take_lines(c);
	if (!c->closing && c->in.len > max)
		refuse_frame(c);
}

static void resume(struct client *c)
{
	c->paused = false;
	take_lines(c);
	if (!c->closing && !c->paused)
		uv_read_start((uv_stream_t *)&c->pipe, on_alloc, on_read);
}

static enum role role_of(uid_t uid)
{
	return uid == 0 || uid == geteuid() ? ROLE_ADMIN : ROLE_SUBMITTER;
}

/* Who is at the other end; false when that can't be told. */
static bool identify(struct client *c)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);
	int fd;

	if (uv_fileno((uv_handle_t *)&c->pipe, &fd) ||
	    getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len))
		return false;
	c->uid = cred.uid;
	c->role = role_of(cred.uid);
	return true;
}

static void on_connect(uv_stream_t *server, int status)
{
	struct daemon *d = server->data;
	struct client *c;

	if (status < 0)
		return;
	c = xcalloc(1, sizeof(*c));
	c->d = d;
	str_init(&c->in);
	str_init(&c->watch_text);
	uv_pipe_init(&d->loop, &c->pipe, 0);
	c->pipe.data = c;
	c->next = d->clients;
	d->clients = c;
	d->nr_clients++;
	if (uv_accept(server, (uv_stream_t *)&c->pipe) ||
	    d->nr_clients > SERVER_MAX_CLIENTS || !identify(c) ||
	    uv_read_start((uv_stream_t *)&c->pipe, on_alloc, on_read))
		drop(c);
}

/* A socket that a killed daemon left; the database lock says that no other
 * daemon is alive. */
static int remove_stale(const char *path, struct err *err)
{
	struct stat st;

	if (lstat(path, &st))
		return 0;
	if (!S_ISSOCK(st.st_mode))
		return err_set(err, ERR_EXISTS,
			       "%s is there and is no socket: move it away",
			       path);
	unlink(path);
	return 0;
}

static int make_folder(const char *path, struct err *err)
{
	char *dir = xstrdup(path);
	char *slash = strrchr(dir, '/');
	int rc = 0;

	if (slash && slash != dir) {
		*slash = '\0';
		rc = file_mkdirs(dir, 0755, err);
	}
	free(dir);
	return rc;
}

int server_listen(struct daemon *d, struct err *err)
{
	const char *path = d->cfg.socket;
	mode_t old;
	int rc;

	if (strlen(path) > 107)
		return err_set(err, ERR_CONFIG,
			       "socket: %s is longer than the 107 bytes that a "
			       "socket's path may have",
			       path);
	rc = make_folder(path, err);
	if (!rc)
		rc = remove_stale(path, err);
	if (rc)
		return rc;
	old = umask(0777 & ~SOCKET_MODE);
	rc = uv_pipe_bind(&d->listener, path);
	umask(old);
	if (!rc)
		rc = uv_listen((uv_stream_t *)&d->listener, BACKLOG,
			       on_connect);
	if (rc) {
		uv_close((uv_handle_t *)&d->listener, NULL);
		return err_set(err, ERR_IO, "%s: can't listen: %s", path,
			       uv_strerror(rc));
	}
	return 0;
}

void server_close(struct daemon *d)
{
	struct client *c;

	if (!uv_is_closing((uv_handle_t *)&d->listener))
		uv_close((uv_handle_t *)&d->listener, NULL);
	for (c = d->clients; c; c = c->next)
		drop(c);
}
