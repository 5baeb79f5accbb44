// SPDX-License-Identifier: GPL-3.0-or-later
// Short wordings of a report: subject, verdict sentence, ids, machine.
#include <ctype.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "analysis/kpi.h"
#include "analysis/metric_info.h"
#include "base/mem.h"
#include "report/report_mail.h"

#define GIB	   (1ULL << 30)
#define MIB	   (1ULL << 20)
#define SHA_LONG   12
#define SHA_SHORT  10
#define SUBJECT_OF 200
#define SUBSYS_MAX 40
#define HUGE_PCT   1e5 /* from here the table is short of digits, too */

void report_set_headline(struct report_mail *mail,
			 const struct compare_metric *metric, size_t side)
{
	const struct metric_info *info = metric_info_find(metric->name);

	mail->metric = metric->name;
	mail->meaning = info ? info->text : NULL;
	mail->change = metric->side[side].change;
	mail->direction = kpi_direction(metric->name);
	mail->absolute = metric->absolute;
	mail->unchanged = !metric->side[side].changed;
}

void report_add_change(const struct report_mail *in, struct str *out)
{
	if (in->unchanged) {
		str_add(out, "no change");
		return;
	}
	str_addf(out, fabs(in->change) < HUGE_PCT ? "%.1f%s %s" : "%.2g%s %s",
		 fabs(in->change), in->absolute ? " points" : "%",
		 kpi_word(in->direction, in->change));
}

/*
 * "sched/pelt" out of "sched/pelt: Relax the sync", also when that is reverted;
 * nothing where a sentence ends in the first colon, or there is none.
 */
static void add_subsys(const struct report_mail *in, struct str *out)
{
	const char *subject = in->commit.subject ? in->commit.subject : "";
	const char *colon;
	char *word;

	while (str_starts(subject, "Revert \"") ||
	       str_starts(subject, "Reapply \""))
		subject = strchr(subject, '"') + 1;
	colon = strstr(subject, ": ");
	if (!in->subsys && (!colon || colon - subject > SUBSYS_MAX))
		return;
	word = in->subsys ? xstrdup(in->subsys)
			  : xstrndup(subject, (size_t)(colon - subject));
	str_add(out, " [");
	str_add_term(out, word, false);
	str_addch(out, ']');
	free(word);
}

static void add_plain_subject(const struct report_mail *in, struct str *out)
{
	bool range = in->kind != REPORT_CULPRIT && in->kind != REPORT_LAYOUT &&
		     in->base.sha;

	str_addch(out, '[');
	str_add_term(out, in->tree ? in->tree : "linux", false);
	if (in->branch) {
		str_addch(out, ':');
		str_add_term(out, in->branch, false);
	}
	str_addch(out, ']');
	add_subsys(in, out);
	str_add(out, "  ");
	if (range)
		str_addf(out, "%.*s..", SHA_SHORT, in->base.sha);
	str_addf(out, "%.*s:  ", SHA_SHORT, in->commit.sha);
	str_add_term(out, in->metric, false);
	str_addch(out, ' ');
	report_add_change(in, out);
	if (in->kind == REPORT_NOT_REPRODUCED)
		str_add(out, " not reproduced");
}

void report_subject(const struct report_mail *in, struct str *out)
{
	const char *patch = in->patch_subject;

	if (in->kind != REPORT_PATCH || !patch) {
		add_plain_subject(in, out);
		return;
	}
	if (strncasecmp(patch, "Re:", 3) != 0)
		str_add(out, "Re: ");
	str_add_term(out, patch, false);
}

static void add_commit(struct str *out, const struct report_commit *c)
{
	str_addf(out, "%.*s (\"", SHA_LONG, c->sha);
	str_add_term(out, c->subject ? c->subject : "", false);
	str_add(out, "\")");
}

/* The words behind "metric 9.7% regression", by what can be claimed. */
static void add_claim(const struct report_mail *in, struct str *out)
{
	const struct report_confidence *c = &in->confidence;

	switch (in->kind) {
	case REPORT_CULPRIT:
		str_add(out, " comes from ");
		add_commit(out, &in->commit);
		if (c->posterior > 0.0) {
			str_add(out, ", probability ");
			str_add_probability(out, c->posterior);
		}
		break;
	case REPORT_COMPARISON:
	case REPORT_PATCH:
		str_add(out, " between ");
		add_commit(out, &in->base);
		str_add(out, " and ");
		add_commit(out, &in->commit);
		break;
	case REPORT_RANGE_ONLY:
		str_addf(out,
			 " lies in %.*s..%.*s; the commit was not searched "
			 "for",
			 SHA_LONG, in->base.sha, SHA_LONG, in->commit.sha);
		break;
	case REPORT_NOT_REPRODUCED:
		str_addf(out, " in %.*s..%.*s did not reproduce", SHA_LONG,
			 in->base.sha, SHA_LONG, in->commit.sha);
		break;
	case REPORT_LAYOUT:
		str_add(out, " at ");
		add_commit(out, &in->commit);
		str_add(out, " is gone under a second code layout: nobody's "
			     "fault");
		break;
	case REPORT_INCONCLUSIVE:
		str_addf(out, " in %.*s..%.*s: %zu commits are left", SHA_LONG,
			 in->base.sha, SHA_LONG, in->commit.sha, in->nr_left);
		break;
	}
}

void report_verdict(const struct report_mail *in, struct str *out)
{
	str_add_term(out, in->metric, false);
	str_add(out, ": ");
	report_add_change(in, out);
	add_claim(in, out);
	str_addch(out, '.');
}

void report_add_id(struct str *out, long long wall_s, const char *sha,
		   const char *host)
{
	time_t at = (time_t)wall_s;
	struct tm tm;

	memset(&tm, 0, sizeof(tm));
	gmtime_r(&at, &tm);
	str_addf(out, "%04d%02d%02d%02d%02d.%.7s-drover@", tm.tm_year + 1900,
		 tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, sha);
	for (const char *p = host; *p && p - host < SUBJECT_OF; p++) {
		if (isalnum((unsigned char)*p) || *p == '-' || *p == '.')
			str_addch(out, *p);
	}
}

static void add_memory(struct str *out, unsigned long long bytes)
{
	/* rounded: firmware keeps a little of what was plugged in */
	if (bytes >= GIB)
		str_addf(out, "%lluG", (bytes + GIB / 2) / GIB);
	else
		str_addf(out, "%lluM", (bytes + MIB / 2) / MIB);
}

static void add_number(struct str *out, unsigned nr, const char *what)
{
	if (nr)
		str_addf(out, "%u %s%s ", nr, what, nr == 1 ? "" : "s");
}

void report_add_machine(struct str *out, const struct report_machine *m)
{
	size_t start = out->len;

	add_number(out, m->threads, "thread");
	if (m->sockets)
		add_number(out, m->sockets, "socket");
	else
		add_number(out, m->nodes, "node");
	if (m->model) {
		str_add_term(out, m->model, false);
		str_addch(out, ' ');
	}
	if (m->codename) {
		str_addch(out, '(');
		str_add_term(out, m->codename, false);
		str_add(out, ") ");
	}
	if (m->memory_bytes) {
		str_add(out, "with ");
		add_memory(out, m->memory_bytes);
		str_add(out, " memory");
	}
	if (out->len > start)
		str_rtrim(out);
}
