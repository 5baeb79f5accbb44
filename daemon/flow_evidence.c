// SPDX-License-Identifier: GPL-3.0-or-later
// What stands beside a verdict: invariants that differed, new failures.
#include "analysis/invariant.h"
#include "daemon/flow_private.h"
#include "db/db_flow.h"

#define SHOWN_MAX 20

json_t *flow_invariants_differ(const struct flow *f, long long base_id,
			       long long head_id, struct err *err)
{
	json_t *base = db_flow_invariants(f->d->db, f->id, base_id, err);
	json_t *head =
		base ? db_flow_invariants(f->d->db, f->id, head_id, err) : NULL;
	json_t *out = head ? invariant_compare(base, head) : NULL;

	json_decref(base);
	json_decref(head);
	return out;
}

json_t *flow_new_failures(const struct comparison *c)
{
	json_t *out = json_array();
	size_t i;

	for (i = 0; i < c->nr && json_array_size(out) < SHOWN_MAX; i++) {
		const struct compare_metric *m = &c->metric[i];
		const struct compare_side *base = &m->side[0];
		const struct compare_side *head = &m->side[1];

		if (m->failure && base->runs && !base->fails && head->runs &&
		    head->fails == head->runs)
			json_array_append_new(out, json_string(m->name));
	}
	return out;
}
