// SPDX-License-Identifier: GPL-3.0-or-later
// Talking to box/supervisor.sh: see there for the words.
#include "runners/supervise.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "runners/quote.h"
#include "runners/spool.h"

#define STEP_TIMEOUT_S	  60
#define COLLECT_TIMEOUT_S 300
#define ANSWER_TIMEOUT_S  20 /* to a renewal */
#define WAKE_NS		  500000000LL
#define SLOW_CLOCK	  4 /* wall seconds per second of an emulated box */
#define EXIT_STALE	  3
#define EXIT_FULL	  5
#define UNASKED_MAX	  1000 /* lines: greetings of a login shell */

/* --- one run ------------------------------------------------------------- */

bool supervise_parse_end(const char *line, struct supervise_end *out)
{
	struct supervise_end end = { 0 };
	char copy[128] = "";
	char *rest = copy;
	const char *word[6];
	unsigned long long status;
	size_t nr;

	if (!strcmp(line, "lost")) {
		*out = (struct supervise_end){ .why = "lost", .status = 255 };
		return true;
	}
	strncpy(copy, line, sizeof(copy) - 1);
	for (nr = 0; nr < 6 && rest; nr++)
		word[nr] = strsep(&rest, " ");
	if (nr != 5 || strcmp(word[0], "done") != 0 ||
	    !str_to_u64(word[1], &status) || status > 255 ||
	    strlen(word[2]) >= sizeof(end.why) ||
	    !str_to_double(word[3], &end.start_s) ||
	    !str_to_double(word[4], &end.end_s))
		return false;
	end.status = (int)status;
	memcpy(end.why, word[2], strlen(word[2]));
	*out = end;
	return true;
}

/*
 * The dialogue of a run. @heard_ns: last sign of life; @asked_ns: when the
 * unanswered renewal was sent, 0 for none; @end_ns: give up altogether;
 * @unasked: lines that answered nothing.
 */
struct dialogue {
	const struct supervise_run *what;
	long long heard_ns;
	long long asked_ns;
	long long end_ns;
	unsigned int unasked;
	bool stop_sent;
};

/*
 * A virtual machine ends with its worker, so no orphan can outlive it, and each
 * renewal would be time taken from the benchmark: its lease is the whole run.
 */
static double lease_s(const struct run_spec *spec)
{
	if (spec->box.boot.method == LAB_BOOT_QEMU)
		return spec->timeout_s * SLOW_CLOCK + 2 * STEP_TIMEOUT_S;
	return spec->lease_s;
}

static long long beat_ns(const struct run_spec *spec)
{
	double s = lease_s(spec) / 3;

	if (s > 10 && spec->box.boot.method != LAB_BOOT_QEMU)
		s = 10;
	return (long long)(s * 1e9);
}

static void add_command(const struct supervise_run *what, const char *verb,
			struct str *out)
{
	const struct run_spec *spec = what->run->spec;
	char *script = file_join(what->remote->box->workdir, "supervisor.sh");

	str_add(out, "exec sh ");
	quote_add(out, script);
	str_addf(out, " %s %s %d %.0f", verb, spec->token, what->seq,
		 lease_s(spec));
	if (!strcmp(verb, "run")) {
		str_addf(out, " %.0f ", spec->timeout_s);
		quote_add_argv(out, what->argv);
	}
	free(script);
}

static int start_dialogue(struct dialogue *d, const char *verb, struct err *err)
{
	struct str command = STR_INIT;
	int ret;

	add_command(d->what, verb, &command);
	ret = ssh_start(d->what->remote->ssh, command.p,
			ssh_deadline(STEP_TIMEOUT_S), err);
	str_release(&command);
	d->heard_ns = clock_mono_ns();
	d->asked_ns = 0;
	return ret;
}

/* Nothing came by the next beat: renew the lease, or find the box dead. */
static int beat(struct dialogue *d, struct err *err)
{
	const struct run_spec *spec = d->what->run->spec;
	long long now_ns = clock_mono_ns();
	char word[24];

	if (now_ns > d->end_ns)
		return err_set(err, ERR_TIMEOUT,
			       "the run didn't end %.0f s after its limit",
			       (double)STEP_TIMEOUT_S);
	if (d->asked_ns &&
	    now_ns - d->asked_ns > ANSWER_TIMEOUT_S * 1000000000LL)
		return err_set(err, ERR_INFRA, "no answer for %d s",
			       ANSWER_TIMEOUT_S);
	snprintf(word, sizeof(word), "%.0f\n", lease_s(spec));
	if (task_stopped() && !d->stop_sent) {
		if (spec->box.boot.method == LAB_BOOT_QEMU)
			return err_set(err, ERR_DENIED, "stopped");
		snprintf(word, sizeof(word), "stop\n");
		d->stop_sent = true;
		d->end_ns = now_ns + ANSWER_TIMEOUT_S * 1000000000LL;
	}
	if (!d->asked_ns)
		d->asked_ns = now_ns;
	return ssh_send(d->what->remote->ssh, word,
			ssh_deadline(ANSWER_TIMEOUT_S), err);
}

/* The supervisor ended without a last word: it says why on standard error. */
static int no_last_word(struct dialogue *d, struct err *err)
{
	struct remote *r = d->what->remote;
	struct str said = STR_INIT;
	struct str last = STR_INIT;
	int status;

	str_add(&said, ssh_errors(r->ssh));
	status = ssh_finish(r->ssh, ssh_deadline(STEP_TIMEOUT_S), err);
	spool_last_line(&said, &last);
	if (status == EXIT_STALE || status == EXIT_FULL || last.len)
		err_set(err, ERR_DENIED, "%s",
			status == EXIT_FULL ? "no space left in its workdir"
			: last.len	    ? last.p
					    : "the run was refused");
	else if (status >= 0)
		err_set(err, ERR_INFRA, "the supervisor ended with status %d",
			status);
	str_release(&said);
	str_release(&last);
	return err ? err->code : ERR_INFRA;
}

/* Look up now and then, without a word to the box: we may be asked to stop. */
static long long wake_ns(long long next_ns)
{
	long long soon_ns = clock_mono_ns() + WAKE_NS;

	return next_ns < soon_ns ? next_ns : soon_ns;
}

static bool wants_stop(const struct dialogue *d)
{
	return task_stopped() && !d->stop_sent;
}

/* A line that isn't the last word: an answer, or talk that must not go on. */
static int heard(struct dialogue *d, struct err *err)
{
	if (!d->asked_ns && ++d->unasked > UNASKED_MAX)
		return err_set(err, ERR_DENIED,
			       "the supervisor sent over %d lines that nobody "
			       "asked for",
			       UNASKED_MAX);
	d->heard_ns = clock_mono_ns();
	d->asked_ns = 0;
	return 0;
}

/*
 * Follow it until the run has ended. ERR_DENIED: the supervisor refused (no use
 * to try again); ERR_INFRA: the connection broke.
 */
static int follow(struct dialogue *d, struct supervise_end *out,
		  struct err *err)
{
	long long beat_every_ns = beat_ns(d->what->run->spec);
	long long next_ns = clock_mono_ns() + beat_every_ns;
	struct str line = STR_INIT;
	int ret;

	for (;;) {
		ret = ssh_recv_line(d->what->remote->ssh, &line,
				    wake_ns(next_ns), err);
		if (ret == 1 && !supervise_parse_end(line.p, out)) {
			ret = heard(d, err);
			if (!ret)
				continue;
			break;
		}
		if (ret == 1) {
			ret = ssh_finish(d->what->remote->ssh,
					 ssh_deadline(STEP_TIMEOUT_S), err);
			ret = ret < 0 ? ret : 1;
			break;
		}
		if (ret == ERR_TIMEOUT) {
			if (clock_mono_ns() < next_ns && !wants_stop(d))
				continue;
			next_ns = clock_mono_ns() + beat_every_ns;
			ret = beat(d, err);
			if (!ret)
				continue;
		}
		if (!ret)
			ret = no_last_word(d, err);
		break;
	}
	str_release(&line);
	return ret == 1 ? 0 : ret;
}

/* Come back to a run whose connection broke, while its lease lasts. */
static int reconnect(struct dialogue *d, struct err *err)
{
	const struct supervise_run *what = d->what;
	double left_s = lease_s(what->run->spec) -
			(double)(clock_mono_ns() - d->heard_ns) / 1e9;
	char now_id[40];
	int ret;

	if (clock_mono_ns() > d->end_ns)
		return err_recode(err, ERR_TIMEOUT);
	run_progress(what->run, "reconnecting", err->text);
	ret = remote_connect(what->remote, left_s > 1 ? left_s : 1, what->gone,
			     what->arg, err);
	if (!ret)
		ret = remote_boot_id(what->remote, now_id, err);
	if (ret)
		return ret == ERR_TIMEOUT ? err_recode(err, ERR_INFRA) : ret;
	if (strcmp(what->boot_id, now_id) != 0)
		return err_set(err, ERR_INFRA,
			       "box %s booted again during run %d",
			       what->remote->box->name, what->seq);
	return start_dialogue(d, "attach", err);
}

int supervise_run(const struct supervise_run *what, struct supervise_end *out,
		  struct err *err)
{
	const struct run_spec *spec = what->run->spec;
	double slow = spec->box.boot.method == LAB_BOOT_QEMU ? SLOW_CLOCK : 1;
	struct dialogue d = { .what = what };
	struct err local = { 0 };
	int ret;

	d.end_ns = ssh_deadline(spec->timeout_s * slow + STEP_TIMEOUT_S);
	ret = start_dialogue(&d, "run", &local);
	for (;;) {
		if (!ret)
			ret = follow(&d, out, &local);
		if (!ret || ret != ERR_INFRA)
			break;
		ret = reconnect(&d, &local);
		if (ret)
			break;
	}
	if (!ret)
		return 0;
	err_set(err, ret == ERR_DENIED ? ERR_INFRA : ret, "%s", local.text);
	if (str_starts(local.text, "box "))
		return err ? err->code : ret;
	return err_wrap(err, "box %s: run %d", what->remote->box->name,
			what->seq);
}

/* --- afterwards ---------------------------------------------------------- */

int supervise_collect(struct remote *r, const struct run_spec *spec, int seq,
		      struct str *out, struct err *err)
{
	char *script = file_join(r->box->workdir, "supervisor.sh");
	char number[16];
	const char *const words[] = { "sh",	   script, "collect",
				      spec->token, number, NULL };
	int ret;

	snprintf(number, sizeof(number), "%d", seq);
	out->max_bytes = SPOOL_MAX_BYTES;
	ret = remote_do(r, words, NULL, out, COLLECT_TIMEOUT_S, err);
	free(script);
	return ret;
}

void supervise_release(struct remote *r, const struct run_spec *spec)
{
	char *script = file_join(r->box->workdir, "supervisor.sh");
	const char *const words[] = { "sh", script, "release", spec->token,
				      NULL };

	remote_exec(r, words, NULL, NULL, STEP_TIMEOUT_S, NULL);
	free(script);
}
