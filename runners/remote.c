// SPDX-License-Identifier: GPL-3.0-or-later
// Commands on a box, with errors that say which box and what to do.
#include "runners/remote.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "runners/quote.h"
#include "runners/spool.h"
#include "runners/task.h"

#define RETRY_MS  250
#define BANNER_MS 5000
/* a guest is only tried once it listens, but its host may be busy */
#define GUEST_BANNER_MS	  30000
#define ERRS_MAX_BYTES	  ((size_t)64 << 10)
#define BOOT_ID_TIMEOUT_S 20

void remote_init(struct remote *r, const struct lab_box *box)
{
	memset(r, 0, sizeof(*r));
	r->box = box;
	r->target = (struct ssh_target){
		.address = *box->address ? box->address : "127.0.0.1",
		.port = (int)box->port,
		.user = box->user,
		.host_key = box->host_key,
		.identity = box->identity,
		.banner_ms = box->boot.method == LAB_BOOT_QEMU ? GUEST_BANNER_MS
							       : BANNER_MS,
	};
	str_init(&r->errs);
	r->errs.max_bytes = ERRS_MAX_BYTES;
}

void remote_close(struct remote *r)
{
	ssh_free(&r->ssh);
}

void remote_release(struct remote *r)
{
	remote_close(r);
	str_release(&r->errs);
}

static int nobody(struct remote *r, double timeout_s, const struct err *last,
		  struct err *err)
{
	return err_set(err, ERR_TIMEOUT,
		       "box %s: no SSH at %s port %d within %.0f s (%s); check "
		       "that it runs, and its address and port in the lab file",
		       r->box->name, r->target.address, r->target.port,
		       timeout_s, last->text);
}

int remote_connect(struct remote *r, double timeout_s, bool (*gone)(void *arg),
		   void *arg, struct err *err)
{
	long long deadline_ns = ssh_deadline(timeout_s);
	struct err last = { 0 };
	int ret;

	remote_close(r);
	for (;;) {
		ret = ssh_open(&r->target, deadline_ns, &r->ssh, &last);
		if (!ret)
			return 0;
		if (ret != ERR_TIMEOUT)
			break;
		if (task_stopped() || (gone && gone(arg)) ||
		    clock_mono_ns() + RETRY_MS * 1000000LL >= deadline_ns)
			return nobody(r, timeout_s, &last, err);
		clock_sleep_ms(RETRY_MS);
	}
	err_set(err, ret, "%s", last.text);
	return err_wrap(err, "box %s", r->box->name);
}

int remote_exec(struct remote *r, const char *const *words, const char *input,
		struct str *out, double timeout_s, struct err *err)
{
	struct ssh_io io = { .input = input,
			     .len = input ? strlen(input) : 0,
			     .out = out,
			     .errout = &r->errs };
	struct str line = STR_INIT;
	int ret;

	str_reset(&r->errs);
	quote_add_argv(&line, words);
	ret = ssh_exec(r->ssh, line.p, &io, ssh_deadline(timeout_s), err);
	if (ret < 0)
		err_wrap(err, "box %s: %s", r->box->name, words[0]);
	str_release(&line);
	return ret;
}

/* A full disk is the one failure whose remedy is known. */
static int refused(struct remote *r, const char *what, int status,
		   struct err *err)
{
	struct str last = STR_INIT;

	spool_last_line(&r->errs, &last);
	if (strstr(r->errs.p, "No space left") || strstr(r->errs.p, "quota"))
		err_set(err, ERR_INFRA,
			"box %s: no space left under %s; free some there or "
			"give the box another workdir in the lab file",
			r->box->name, r->box->workdir);
	else
		err_set(err, ERR_INFRA, "box %s: %s ended with status %d: %s",
			r->box->name, what, status, last.p);
	str_release(&last);
	return ERR_INFRA;
}

int remote_do(struct remote *r, const char *const *words, const char *input,
	      struct str *out, double timeout_s, struct err *err)
{
	int status = remote_exec(r, words, input, out, timeout_s, err);

	return status > 0 ? refused(r, words[0], status, err) : status;
}

int remote_put(struct remote *r, const char *path, const void *data, size_t len,
	       double timeout_s, struct err *err)
{
	struct ssh_io io = { .input = data, .len = len, .errout = &r->errs };
	struct str line = STR_INIT;
	int status;

	str_reset(&r->errs);
	str_add(&line, "cat > ");
	quote_add(&line, path);
	status = ssh_exec(r->ssh, line.p, &io, ssh_deadline(timeout_s), err);
	str_release(&line);
	if (status < 0)
		return err_wrap(err, "box %s: writing %s", r->box->name, path);
	return status ? refused(r, path, status, err) : 0;
}

int remote_boot_id(struct remote *r, char out[40], struct err *err)
{
	static const char *const cat[] = { "cat",
					   "/proc/sys/kernel/random/boot_id",
					   NULL };
	struct str text = STR_INIT;
	int ret;

	text.max_bytes = 64;
	ret = remote_do(r, cat, NULL, &text, BOOT_ID_TIMEOUT_S, err);
	str_rtrim(&text);
	if (!ret && (!text.len || text.len >= 40))
		ret = err_set(err, ERR_INFRA,
			      "box %s: its boot_id makes no sense",
			      r->box->name);
	if (!ret)
		memcpy(out, text.p, text.len + 1);
	str_release(&text);
	return ret;
}
