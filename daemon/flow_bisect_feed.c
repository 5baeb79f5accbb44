// SPDX-License-Identifier: GPL-3.0-or-later
// The first results of a bisection: what was measured already, by its
// comparison or by an earlier bisection that didn't come to its end.
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "daemon/flow_private.h"
#include "db/db_flow_bisect.h"

/*
 * What an earlier bisection of this comparison measured before it was stopped,
 * or reached a limit, round by round; NULL: there is none. One that came to a
 * verdict is asked again by measuring again.
 */
static json_t *earlier_rounds(const struct flow *f, const char *metric)
{
	json_t *row = db_bisect_of(f->d->db, f->id, NULL);
	const json_t *start = json_object_get(row, "start");
	const char *verdict = json_opt_str(row, "verdict", "");
	json_t *rounds = NULL;

	if ((!*verdict || !strcmp(verdict, "inconclusive")) &&
	    !strcmp(json_opt_str(start, "metric", ""), metric))
		rounds = json_incref(json_object_get(
			json_object_get(row, "engine"), "rounds"));
	json_decref(row);
	return rounds;
}

/* Boxes come and go, and so do commits that were found to be another's bits. */
static json_t *known_boots(const struct bisect *engine, const json_t *round)
{
	const struct history *h = bisect_history(engine);
	json_t *out = json_array();
	const json_t *boot;
	size_t i;

	json_array_foreach(round, i, boot)
	{
		if (history_find(h, json_opt_str(boot, "commit", "")) >= 0 &&
		    bisect_find_box(engine, json_opt_str(boot, "box", "")) >= 0)
			json_array_append(out, (json_t *)boot);
	}
	return out;
}

static int feed_rounds(struct bisect *engine, const json_t *rounds,
		       struct err *err)
{
	const json_t *round;
	size_t i;
	int rc = 0;

	json_array_foreach(rounds, i, round)
	{
		json_t *boots = known_boots(engine, round);

		if (json_array_size(boots))
			rc = bisect_result_json(engine, boots, err);
		json_decref(boots);
		if (rc)
			break;
	}
	return rc;
}

/* What the comparison measured goes in, in its order, as one round. */
static int feed_comparison(const struct flow *f, const struct flow_boots *boots,
			   struct bisect *engine, struct err *err)
{
	struct bisect_result *r = xcalloc(boots->nr + 1, sizeof(*r));
	int last = history_nr(bisect_history(engine)) - 1;
	long long head = flow_int(f, "head_id");
	size_t nr = 0;
	size_t i;
	int rc;

	for (i = 0; i < boots->nr; i++) {
		const struct flow_boot *b = &boots->v[i];
		int box = bisect_find_box(engine, b->box);

		if (!b->nr || box < 0)
			continue;
		r[nr++] = (struct bisect_result){
			.commit = b->commit_id == head ? last : 0,
			.box = box,
			.status = BISECT_OK,
			.values = b->values,
			.nr_values = b->nr,
		};
	}
	rc = nr ? bisect_result(engine, r, nr, err) : 0;
	free(r);
	return rc;
}

/* An earlier bisection's record begins with the comparison's boots. */
int flow_bisect_feed(const struct flow *f, const char *metric,
		     const struct flow_boots *boots, struct bisect *engine,
		     struct err *err)
{
	json_t *rounds = earlier_rounds(f, metric);
	int rc = rounds ? feed_rounds(engine, rounds, err)
			: feed_comparison(f, boots, engine, err);

	json_decref(rounds);
	return rc;
}
