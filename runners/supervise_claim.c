// SPDX-License-Identifier: GPL-3.0-or-later
// Taking a box: the scripts and the list of what to sample go there, and what
// an older attempt left running ends.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/embed.h"
#include "base/file.h"
#include "base/mem.h"
#include "jobs/monitor.h"
#include "runners/spool.h"
#include "runners/supervise.h"

#define STEP_TIMEOUT_S 60
#define MAX_SOURCES    128
#define EXIT_FULL      5 /* of supervisor.sh */

/* --- monitors ------------------------------------------------------------ */

struct source {
	const char *path;
	unsigned interval_s;
	struct str names;
};

static unsigned whole_interval(double interval_s)
{
	if (interval_s <= 0)
		return 0;
	return interval_s < 1 ? 1 : (unsigned)interval_s;
}

static void add_source(struct source *v, size_t *nr, const char *path,
		       unsigned interval_s, const char *name)
{
	size_t i;

	for (i = 0; i < *nr; i++)
		if (v[i].interval_s == interval_s && !strcmp(v[i].path, path))
			break;
	if (i == MAX_SOURCES)
		return;
	if (i == *nr) {
		v[i] = (struct source){ path, interval_s, STR_INIT };
		++*nr;
	} else {
		str_addch(&v[i].names, ',');
	}
	str_add(&v[i].names, name);
}

void supervise_monitors(const char *const *monitors, struct str *out)
{
	struct source v[MAX_SOURCES];
	const struct monitor *m;
	size_t nr = 0;
	size_t i;
	size_t k;

	for (i = 0; monitors[i]; i++) {
		m = monitor_find(monitors[i]);
		for (k = 0; m && m->sources && m->sources[k]; k++)
			add_source(v, &nr, m->sources[k],
				   whole_interval(m->interval_s), m->name);
	}
	for (i = 0; i < nr; i++) {
		str_addf(out, "%u %s %s\n", v[i].interval_s, v[i].names.p,
			 v[i].path);
		str_release(&v[i].names);
	}
}

/* --- taking the box ------------------------------------------------------ */

static int put_file(struct remote *r, const char *name, const void *data,
		    size_t len, struct err *err)
{
	char *path = file_join(r->box->workdir, name);
	int ret = remote_put(r, path, data, len, STEP_TIMEOUT_S, err);

	free(path);
	return ret;
}

static int put_script(struct remote *r, const char *name, struct err *err)
{
	const struct embed_file *f = embed_find(embed_runners, name);

	return put_file(r, name, f->data, f->len, err);
}

/* A folder that others could write to would let them replace the scripts. */
static int make_workdir(struct remote *r, struct err *err)
{
	const char *const words[] = {
		"sh",
		"-c",
		"mkdir -p -- \"$1\" && [ -O \"$1\" ] && chmod 700 -- \"$1\"",
		"-",
		r->box->workdir,
		NULL
	};
	int ret = remote_do(r, words, NULL, NULL, STEP_TIMEOUT_S, err);

	if (ret == ERR_INFRA && !r->errs.len)
		return err_set(err, ERR_INFRA,
			       "box %s: %s belongs to another user; name a "
			       "workdir of %s in the lab file",
			       r->box->name, r->box->workdir, r->box->user);
	return ret;
}

static int claim_refused(struct remote *r, int status, struct err *err)
{
	struct str last = STR_INIT;

	spool_last_line(&r->errs, &last);
	if (status == EXIT_FULL)
		err_set(err, ERR_INFRA,
			"box %s: no space left under %s; free some there or "
			"give the box another workdir in the lab file",
			r->box->name, r->box->workdir);
	else
		err_set(err, ERR_INFRA, "box %s: can't be taken: %s",
			r->box->name, last.len ? last.p : "no reason given");
	str_release(&last);
	return ERR_INFRA;
}

static int claim(struct remote *r, const struct run_spec *spec, struct err *err)
{
	char *script = file_join(r->box->workdir, "supervisor.sh");
	char attempt[24];
	const char *const words[] = { "sh",    script,	    "claim",
				      attempt, spec->token, NULL };
	int status;

	snprintf(attempt, sizeof(attempt), "%lld", spec->attempt);
	status = remote_exec(r, words, NULL, NULL, STEP_TIMEOUT_S, err);
	free(script);
	return status > 0 ? claim_refused(r, status, err) : status;
}

int supervise_claim(struct remote *r, const struct run_spec *spec,
		    struct err *err)
{
	struct str list = STR_INIT;
	char *name;
	int ret;

	ret = make_workdir(r, err);
	if (!ret)
		ret = put_script(r, "supervisor.sh", err);
	if (!ret)
		ret = put_script(r, "monitor.sh", err);
	if (!ret)
		ret = claim(r, spec, err);
	if (ret)
		return ret;
	supervise_monitors(spec->monitors, &list);
	name = xasprintf("a-%s/monitors", spec->token);
	ret = put_file(r, name, list.p, list.len, err);
	free(name);
	str_release(&list);
	return ret;
}
