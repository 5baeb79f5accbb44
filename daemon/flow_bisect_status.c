// SPDX-License-Identifier: GPL-3.0-or-later
// A bisection as op bisect tells it: what is left of the range and why the
// rest went, who is likely, every step, what it cost.
#include <string.h>

#include "base/mem.h"
#include "daemon/flow_private.h"
#include "db/db_flow_bisect.h"

#define SHOWN_MAX 100

/* What the start said of the commits, and which of them the engine has. */
static const json_t *infos(const struct flow_bisect *b)
{
	return json_object_get(b->start, "commits");
}

/* NULL when it isn't in the range. */
static const json_t *find_info(const struct flow_bisect *b, const char *sha)
{
	const json_t *c;
	size_t i;

	json_array_foreach(infos(b), i, c)
	{
		if (!strcmp(json_opt_str(c, "sha", ""), sha))
			return c;
	}
	return NULL;
}

static json_t *candidate(const struct flow_bisect *b, const json_t *row)
{
	const char *sha = json_opt_str(row, "sha", "");
	const json_t *hot = json_object_get(find_info(b, sha), "hot");
	int pos = history_find(bisect_history(b->engine), sha);
	json_t *out = json_pack("{s:s, s:s, s:f, s:O, s:O}", "sha", sha,
				"subject", flow_bisect_subject(b, sha), "prior",
				pos > 0 ? bisect_prior(b->engine, pos) : 0.0,
				"posterior", json_object_get(row, "posterior"),
				"bad", json_object_get(row, "bad"));

	if (hot)
		json_object_set(out, "hot", (json_t *)hot);
	return out;
}

static json_t *candidates(const struct flow_bisect *b)
{
	json_t *posterior = flow_bisect_posterior(b);
	const json_t *list = json_object_get(posterior, "candidates");
	json_t *out = json_array();
	const json_t *row;
	size_t i;

	json_array_foreach(list, i, row)
	{
		if (i >= SHOWN_MAX)
			break;
		json_array_append_new(out, candidate(b, row));
	}
	json_decref(posterior);
	return out;
}

/* Why a commit of the start is no candidate now; NULL: it is one. */
static const char *why_excluded(const struct flow_bisect *b, const json_t *info)
{
	if (json_opt_bool(info, "idle", false))
		return json_opt_str(info, "why", "files");
	if (history_find(bisect_history(b->engine),
			 json_opt_str(info, "sha", "")) < 0)
		return "same";
	return NULL;
}

/* {"commits", "left", "excluded": {"files": 3, …}} */
static json_t *range(const struct flow_bisect *b)
{
	json_t *excluded = json_object();
	const json_t *info;
	size_t nr = json_array_size(infos(b));
	size_t i;

	json_array_foreach(infos(b), i, info)
	{
		const char *why = i ? why_excluded(b, info) : NULL;

		if (why)
			json_object_set_new(
				excluded, why,
				json_integer(json_opt_int(excluded, why, 0) +
					     1));
	}
	return json_pack("{s:I, s:i, s:o}", "commits",
			 json_opt_int(b->start, "nr_commits",
				      nr ? (json_int_t)nr - 1 : 0),
			 "left", history_nr(bisect_history(b->engine)) - 1,
			 "excluded", excluded);
}

json_t *flow_bisect_describe(const struct flow_bisect *b, struct err *err)
{
	static const char *const keys[] = { "id",      "state",	    "verdict",
					    "commits", "posterior", "why",
					    "evidence" };
	json_t *steps = db_steps(b->f->d->db, b->id, err);
	json_t *cost = db_bisect_cost(b->f->d->db, b->id, err);
	json_t *out;
	size_t i;

	if (!steps || !cost) {
		json_decref(steps);
		json_decref(cost);
		return NULL;
	}
	out = json_object();
	for (i = 0; i < ARRAY_SIZE(keys); i++)
		json_object_set(out, keys[i], json_object_get(b->row, keys[i]));
	json_object_set(out, "metric", json_object_get(b->start, "metric"));
	json_object_set_new(out, "range", range(b));
	json_object_set_new(out, "cost", cost);
	json_object_set_new(out, "steps", steps);
	json_object_set_new(out, "candidates", candidates(b));
	return out;
}
