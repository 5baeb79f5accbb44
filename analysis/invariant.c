// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants of boots: broken, learnt, compared.
#include "analysis/invariant.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define SHOWN_MAX	 20
#define VALUE_MAX_BYTES	 120
#define VALUES_MAX_BYTES 200
/* Kernels keep back a little more or less memory for themselves. */
#define MEMORY_TOLERANCE 0.02
/* Share of the boots in which the sides must agree. */
#define OVERLAP_MIN 0.25

static const struct invariant table[] = {
	{ "microcode", INVARIANT_BOX, "microcode", 0 },
	{ "smt", INVARIANT_BOX, "SMT", 0 },
	{ "cpus_online", INVARIANT_BOX, "CPUs online", 0 },
	{ "memory_kib", INVARIANT_BOX, "memory in KiB", MEMORY_TOLERANCE },
	{ "governor", INVARIANT_KERNEL, "frequency governor", 0 },
	{ "frequency_driver", INVARIANT_KERNEL, "frequency driver", 0 },
	{ "max_frequency_khz", INVARIANT_KERNEL, "highest frequency in kHz",
	  0 },
	{ "min_frequency_khz", INVARIANT_KERNEL, "lowest frequency in kHz", 0 },
	{ "no_turbo", INVARIANT_KERNEL, "turbo switched off", 0 },
	{ "numa_balancing", INVARIANT_KERNEL, "NUMA balancing", 0 },
	{ "thp", INVARIANT_KERNEL, "transparent huge pages", 0 },
	{ "thp_defrag", INVARIANT_KERNEL, "defragmentation for huge pages", 0 },
	{ "aslr", INVARIANT_KERNEL, "address space randomisation", 0 },
	{ "clocksource", INVARIANT_KERNEL, "clocksource", 0 },
	{ "mitigations", INVARIANT_KERNEL, "CPU mitigations", 0 },
	{ "dmesg_splats", INVARIANT_COUNT,
	  "warnings and oopses in the kernel's log", 0 },
	{ "throttled_in_runs", INVARIANT_NONE,
	  "throttling of CPUs during the runs", 0 },
	{ "splats_in_runs", INVARIANT_SAID,
	  "warnings and oopses during the runs", INFINITY },
	{ "task_nodes", INVARIANT_SAID, "NUMA nodes of the test's tasks", 0 },
	{ "throttled", INVARIANT_SAID, "throttling of CPUs while booting",
	  INFINITY },
	/* these differ from kernel to kernel, or from boot to boot */
	{ "boot_id", INVARIANT_SAID, NULL, 0 },
	{ "build_id", INVARIANT_SAID, NULL, 0 },
	{ "kernel", INVARIANT_SAID, NULL, 0 },
	{ "version", INVARIANT_SAID, NULL, 0 },
	{ "uptime", INVARIANT_SAID, NULL, 0 },
	{ "uname", INVARIANT_SAID, NULL, 0 },
	{ "release", INVARIANT_SAID, NULL, 0 },
};

const struct invariant *invariant_find(const char *key)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		if (!strcmp(table[i].key, key))
			return &table[i];
	}
	return NULL;
}

static void add_value(struct str *out, const json_t *value)
{
	struct str text = STR_INIT;

	text.max_bytes = VALUE_MAX_BYTES;
	if (json_is_string(value))
		str_add_term(&text, json_string_value(value), false);
	else
		json_add_text(&text, value);
	str_add(out, text.len ? text.p : "empty");
	str_release(&text);
}

/* --- one boot against what the box was --- */

static bool equal(const struct invariant *row, const json_t *a, const json_t *b)
{
	double x = json_number_value(a);
	double y = json_number_value(b);

	if (row->kind == INVARIANT_COUNT && json_is_number(a) &&
	    json_is_number(b))
		return y <= x;
	if (isinf(row->tolerance) && json_is_number(a) && json_is_number(b))
		return (x > 0) == (y > 0);
	if (row->tolerance > 0 && json_is_number(a) && json_is_number(b))
		return fabs(x - y) <= row->tolerance * fmax(x, y);
	return json_equal(a, b);
}

static void add_broken(const struct invariant *row, const json_t *was,
		       const json_t *is, struct str *why)
{
	str_addf(why, "%s: ", row->label);
	add_value(why, is);
	if (row->kind == INVARIANT_NONE)
		return;
	str_add(why, ", but ");
	add_value(why, was);
	str_add(why, " when the box was first seen");
}

static bool row_breaks(const struct invariant *row, const json_t *seen,
		       const json_t *before, const json_t *now, struct str *why)
{
	const json_t *is = json_object_get(now, row->key);
	const json_t *was = json_object_get(seen, row->key);
	const json_t *last = json_object_get(before, row->key);

	if (!is || row->kind == INVARIANT_SAID)
		return false;
	if (row->kind == INVARIANT_NONE) {
		if (!json_is_number(is) || json_number_value(is) <= 0)
			return false;
		add_broken(row, NULL, is, why);
		return true;
	}
	if (!was || equal(row, was, is))
		return false;
	if (row->kind != INVARIANT_BOX && last && equal(row, last, is))
		return false;
	add_broken(row, was, is, why);
	if (row->kind != INVARIANT_BOX)
		str_add(why, " (if the next boot of this kernel says so too, "
			     "it is taken as the kernel's doing)");
	return true;
}

bool invariant_breaks(const json_t *seen, const json_t *before,
		      const json_t *now, struct str *why)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		if (row_breaks(&table[i], seen, before, now, why))
			return true;
	}
	return false;
}

/*
 * A kernel's splats are not the box's, which is thought to have none. What a
 * kernel may change follows the kernels: the newest that said so twice.
 */
json_t *invariant_learn(const json_t *seen, const json_t *now)
{
	json_t *out =
		json_is_object(seen) ? json_deep_copy(seen) : json_object();
	size_t i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		const struct invariant *row = &table[i];
		json_t *is = json_object_get(now, row->key);
		bool known = json_object_get(out, row->key);

		if (!is || row->kind == INVARIANT_SAID ||
		    row->kind == INVARIANT_NONE)
			continue;
		if (row->kind == INVARIANT_COUNT && !known)
			json_object_set_new(out, row->key, json_integer(0));
		else if (!known || row->kind == INVARIANT_KERNEL)
			json_object_set(out, row->key, is);
	}
	return out;
}

bool invariant_same_box(const json_t *then, const json_t *now, struct str *why)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		const struct invariant *row = &table[i];
		const json_t *was = json_object_get(then, row->key);
		const json_t *is = json_object_get(now, row->key);

		if (row->kind != INVARIANT_BOX || !was || !is ||
		    equal(row, was, is))
			continue;
		str_addf(why, "%s was ", row->label);
		add_value(why, was);
		str_add(why, ", is ");
		add_value(why, is);
		return false;
	}
	return true;
}

/* --- one side against the other --- */

/*
 * @value, or the one of those met before that it counts as equal to. @met:
 * {"key": [values]} of both sides.
 */
static const json_t *same_as_before(json_t *met, const char *key, json_t *value)
{
	const struct invariant *row = invariant_find(key);
	json_t *list = json_object_get(met, key);
	const json_t *other;
	size_t i;

	if (!row || !(row->tolerance > 0))
		return value;
	if (!list) {
		list = json_array();
		json_object_set_new(met, key, list);
	}
	json_array_foreach(list, i, other)
	{
		if (equal(row, other, value))
			return other;
	}
	json_array_append(list, value);
	return value;
}

static void count_value(json_t *all, const char *key, const json_t *value)
{
	json_t *set = json_object_get(all, key);
	struct str text = STR_INIT;

	if (!set) {
		set = json_object();
		json_object_set_new(all, key, set);
	}
	add_value(&text, value);
	json_object_set_new(set, text.p,
			    json_integer(json_opt_int(set, text.p, 0) + 1));
	str_release(&text);
}

/* {"key": {"value": in so many boots}} over all boots of one side. */
static json_t *values_by_key(const json_t *boots, json_t *met)
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
			count_value(all, key, same_as_before(met, key, value));
	}
	return all;
}

static double boots_of(json_t *set)
{
	const char *value;
	json_t *nr;
	double sum = 0;

	json_object_foreach(set, value, nr) sum +=
		(double)json_integer_value(nr);
	return sum;
}

/* Share of the boots, of the one side or the other, that agree in a value. */
static double overlap(json_t *a, json_t *b)
{
	double all_a = boots_of(a);
	double all_b = boots_of(b);
	double sum = 0;
	const char *value;
	json_t *nr;

	json_object_foreach(a, value, nr) sum +=
		fmin((double)json_integer_value(nr) / all_a,
		     (double)json_opt_int(b, value, 0) / fmax(all_b, 1));
	return sum;
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

static void add_sentence(const char *key, json_t *a, json_t *b, json_t *out)
{
	const struct invariant *row = invariant_find(key);
	struct str line = STR_INIT;

	if (row && !row->label)
		return;
	str_add_term(&line, row ? row->label : key, false);
	str_add(&line, ": base ");
	add_values(&line, a);
	str_add(&line, ", head ");
	add_values(&line, b);
	json_array_append_new(out, json_text(line.p, line.len));
	str_release(&line);
}

json_t *invariant_compare(const json_t *base, const json_t *head)
{
	json_t *met = json_object();
	json_t *a = values_by_key(base, met);
	json_t *b = values_by_key(head, met);
	json_t *out = json_array();
	const char *key;
	json_t *set;

	json_object_foreach(b, key, set)
	{
		json_t *other = json_object_get(a, key);

		if (overlap(set, other) <= OVERLAP_MIN &&
		    json_array_size(out) < SHOWN_MAX)
			add_sentence(key, other, set, out);
	}
	json_object_foreach(a, key, set)
	{
		if (!json_object_get(b, key) && json_array_size(head) &&
		    json_array_size(out) < SHOWN_MAX)
			add_sentence(key, set, NULL, out);
	}
	json_decref(met);
	json_decref(a);
	json_decref(b);
	return out;
}
