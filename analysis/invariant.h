/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What must not differ between boots, as a table, and what follows when it
 * does. Boots report theirs as an object {"microcode": "0x2b", …}; keys that
 * the table doesn't have are recorded and compared, and lead to nothing else.
 */
#ifndef ANALYSIS_INVARIANT_H
#define ANALYSIS_INVARIANT_H

#include <stdbool.h>

#include "base/json.h"
#include "base/str.h"

/*
 * BOX: the machine's own; a boot that differs from what the box was is void.
 * KERNEL: a kernel may change it; a boot that differs is void unless the one
 * before of the same kernel was so, too. COUNT: the same, for a number that may
 * only rise. NONE: must not have happened at all. SAID: only compared.
 */
enum invariant_kind {
	INVARIANT_BOX,
	INVARIANT_KERNEL,
	INVARIANT_COUNT,
	INVARIANT_NONE,
	INVARIANT_SAID,
};

/*
 * @label: how people call it; NULL: never said, since it differs by nature.
 * @tolerance: relative difference that is none; infinite: only whether it is
 * more than 0 counts between two sides.
 */
struct invariant {
	const char *key;
	enum invariant_kind kind;
	const char *label;
	double tolerance;
};

/* The row of @key, or NULL. Static. */
const struct invariant *invariant_find(const char *key);

/*
 * Whether the boot @now is void, with the reason appended to @why. @seen: what
 * the box was, {} at first; @before: invariants of the boot before of the same
 * kernel on it, NULL when there was none. A key that only one side has breaks
 * nothing.
 */
bool invariant_breaks(const json_t *seen, const json_t *before,
		      const json_t *now, struct str *why);

/*
 * What the box is after a boot that counted: @seen with what it lacked, and
 * with what a kernel has changed twice. New reference.
 */
json_t *invariant_learn(const json_t *seen, const json_t *now);

/*
 * Whether the machine is still the one of @then: its BOX rows are equal. The
 * first that isn't is appended to @why ("microcode was 0x2a, is 0x2b").
 */
bool invariant_same_box(const json_t *then, const json_t *now, struct str *why);

/*
 * What differed systematically between two sides: boots [{"invariants" {}}],
 * one sentence a key, "governor: base performance, head powersave". Said of a
 * key whose values the sides share in no more than a quarter of their boots,
 * so that what differs from boot to boot on both sides isn't. At most 20; new
 * reference.
 */
json_t *invariant_compare(const json_t *base, const json_t *head);

#endif
