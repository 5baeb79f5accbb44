// SPDX-License-Identifier: GPL-3.0-or-later
// Follows a job: one line per event, one status line with what runs now.
#include "cli/follow.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "cli/args.h"
#include "cli/client.h"
#include "cli/show.h"

#define REATTACH_MS	 60000L
#define REATTACH_STEP_MS 500L

/*
 * @last_event: newest event seen; @drawn: a status line stands on screen;
 * @attached: the daemon has answered once.
 */
struct follower {
	long long job;
	long long last_event;
	bool terminal;
	bool drawn;
	bool attached;
	struct follow_end *end;
	bool ended;
};

static void erase_status(struct follower *f)
{
	if (f->drawn)
		fputs("\r\033[K", stderr);
	f->drawn = false;
}

/* Steps inside a boot or build are for the status line only. */
static void on_event(struct follower *f, const json_t *event)
{
	char iso[CLOCK_ISO_BYTES];

	f->last_event = json_opt_int(event, "id", f->last_event);
	if (args_common.quiet || args_common.json ||
	    !strcmp(json_opt_str(event, "kind", ""), "step"))
		return;
	clock_to_iso(json_opt_int(event, "at_s", 0), iso);
	erase_status(f);
	fprintf(stderr, "%.8s  ", iso + 11);
	show_sentence(stderr, json_opt_str(event, "text", ""), 10);
}

static void add_running(struct str *line, const json_t *running)
{
	const json_t *r;
	size_t i;

	json_array_foreach(running, i, r)
	{
		str_add(line, i ? " | " : "");
		str_add_term(line, json_opt_str(r, "box", "build"), false);
		str_add(line, " ");
		str_add_term(line, json_opt_str(r, "stage", ""), false);
		str_add(line, " ");
		str_add_term(line, json_opt_str(r, "text", ""), false);
	}
}

static void on_progress(struct follower *f, const json_t *progress)
{
	struct str line = STR_INIT;
	long long eta_s = json_opt_int(progress, "eta_s", -1);
	size_t columns = show_columns(stderr);

	if (args_common.quiet || args_common.json || !f->terminal)
		return;
	if (eta_s >= 0) {
		str_add(&line, "[about ");
		show_add_duration(&line, eta_s);
		str_add(&line, " left] ");
	}
	add_running(&line, json_object_get(progress, "running"));
	erase_status(f);
	show_cut(&line, columns ? columns - 1 : 79);
	fputs(line.p, stderr);
	fflush(stderr);
	f->drawn = true;
	str_release(&line);
}

static void on_end(struct follower *f, const json_t *end)
{
	snprintf(f->end->state, sizeof(f->end->state), "%s",
		 json_opt_str(end, "state", "failed"));
	snprintf(f->end->verdict, sizeof(f->end->verdict), "%s",
		 json_opt_str(end, "verdict", ""));
	snprintf(f->end->why, sizeof(f->end->why), "%s",
		 json_opt_str(end, "why", ""));
	f->ended = true;
	erase_status(f);
}

static void on_frame(struct follower *f, const json_t *frame)
{
	const json_t *event = json_object_get(frame, "event");
	const json_t *progress = json_object_get(frame, "progress");
	const json_t *end = json_object_get(frame, "end");

	if (args_common.json) {
		show_json(frame);
		fflush(stdout);
	}
	if (event)
		on_event(f, event);
	if (progress)
		on_progress(f, progress);
	if (end)
		on_end(f, end);
}

/* One connection, until the job ends (0) or the daemon goes away. */
static int attach(struct follower *f, struct err *err)
{
	json_t *frame;
	struct client c;
	int rc = client_open(&c, err);

	if (rc)
		return rc;
	rc = client_send(&c,
			 json_pack("{s:s, s:I, s:I}", "op", "watch", "job",
				   (json_int_t)f->job, "from_event",
				   (json_int_t)f->last_event),
			 err);
	while (!rc && !f->ended) {
		frame = client_next(&c, -1, err);
		if (!frame) {
			rc = err->code;
			break;
		}
		if (json_object_get(frame, "ok"))
			rc = client_reply_check(frame, err);
		f->attached = true;
		if (!rc)
			on_frame(f, frame);
		json_decref(frame);
	}
	client_close(&c);
	return rc;
}

static void say_away(void)
{
	if (!args_common.quiet && !args_common.json)
		fputs("droverd is away; waiting up to a minute for it\n",
		      stderr);
}

int follow_job(long long job, bool was_there, struct follow_end *out,
	       struct err *err)
{
	struct follower f = { .job = job,
			      .attached = was_there,
			      .terminal = show_is_terminal(),
			      .end = out };
	long waited_ms = 0;
	int rc;

	memset(out, 0, sizeof(*out));
	for (;;) {
		long long seen = f.last_event;

		rc = attach(&f, err);
		erase_status(&f);
		if (rc != ERR_INFRA || !f.attached)
			return rc;
		if (f.last_event != seen)
			waited_ms = 0;
		if (waited_ms >= REATTACH_MS)
			return rc;
		if (waited_ms == REATTACH_STEP_MS)
			say_away();
		clock_sleep_ms(REATTACH_STEP_MS);
		waited_ms += REATTACH_STEP_MS;
	}
}

void follow_say_end(long long job, const struct follow_end *end)
{
	const char *more = *end->why ? end->why : end->verdict;
	struct str line = STR_INIT;

	if (args_common.json)
		return;
	str_addf(&line, "job %lld: %s%s%s", job, end->state, *more ? ": " : "",
		 more);
	show_sentence(stdout, line.p, 0);
	str_release(&line);
}
