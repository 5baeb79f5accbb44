// SPDX-License-Identifier: GPL-3.0-or-later
// What stands beside a verdict: invariants that differed, new failures.
#include <stdlib.h>
#include <string.h>

#include "daemon/flow_private.h"
#include "db/db_flow.h"

#define SHOWN_MAX	 20
#define VALUE_MAX_BYTES	 120
#define VALUES_MAX_BYTES 200

/* These differ from kernel to kernel, or from boot to boot, by nature. */
static bool is_expected(const char *key)
{
	static const char *const keys[] = { "boot_id", "build_id", "kernel",
					    "version", "uptime",   "uname",
					    "release" };
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (!strcmp(key, keys[i]))
			return true;
	}
	return false;
}

static char *value_text(const json_t *value)
{
	struct str out = STR_INIT;

	out.max_bytes = VALUE_MAX_BYTES;
	if (json_is_string(value))
		str_add_term(&out, json_string_value(value), false);
	else
		json_add_text(&out, value);
	return str_detach(&out);
}

static void note_value(json_t *all, const char *key, const json_t *value)
{
	json_t *set = json_object_get(all, key);
	char *text = value_text(value);

	if (!set) {
		set = json_object();
		json_object_set_new(all, key, set);
	}
	json_object_set_new(set, text, json_true());
	free(text);
}

/* {"key": {"value": true}} over all boots of one side. */
static json_t *values_by_key(const json_t *boots)
{
	json_t *all = json_object();
	const json_t *boot;
	const char *key;
	json_t *value;
	size_t i;

	json_array_foreach(boots, i, boot)
	{
		json_t *invariants = json_object_get(boot, "invariants");

		json_object_foreach(invariants, key, value)
			note_value(all, key, value);
	}
	return all;
}

static void add_values(struct str *out, json_t *set)
{
	struct str list = STR_INIT;
	const char *value;
	json_t *unused;

	list.max_bytes = VALUES_MAX_BYTES;
	json_object_foreach(set, value, unused)
		str_addf(&list, "%s%s", list.len ? " or " : "", value);
	str_add(out, list.len ? list.p : "not recorded");
	str_release(&list);
}

json_t *flow_invariants_compare(const json_t *base, const json_t *head)
{
	json_t *a = values_by_key(base);
	json_t *b = values_by_key(head);
	json_t *out = json_array();
	const char *key;
	json_t *set;

	json_object_foreach(b, key, set)
	{
		struct str line = STR_INIT;

		if (is_expected(key) ||
		    json_equal(set, json_object_get(a, key)) ||
		    json_array_size(out) >= SHOWN_MAX)
			continue;
		str_add_term(&line, key, false);
		str_add(&line, ": base ");
		add_values(&line, json_object_get(a, key));
		str_add(&line, ", head ");
		add_values(&line, set);
		json_array_append_new(out, json_text(line.p, line.len));
		str_release(&line);
	}
	json_decref(a);
	json_decref(b);
	return out;
}

json_t *flow_invariants_differ(const struct flow *f, long long base_id,
			       long long head_id, struct err *err)
{
	json_t *base = db_flow_invariants(f->d->db, f->id, base_id, err);
	json_t *head =
		base ? db_flow_invariants(f->d->db, f->id, head_id, err) : NULL;
	json_t *out = head ? flow_invariants_compare(base, head) : NULL;

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
