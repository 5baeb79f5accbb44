// SPDX-License-Identifier: GPL-3.0-or-later
// From a commit's id to its number: a hash table with linear probing. A sorted
// list would take most of the time that a range of a million commits has.
#include <stdlib.h>
#include <string.h>

#include "analysis/history_private.h"
#include "base/mem.h"

/* Multiplier of a multiplicative hash: 2^64 / golden ratio (Knuth 6.4). */
#define GOLDEN 0x9e3779b97f4a7c15ULL

/* @at: 1 + place, 0: empty, DROPPED; @tag: most of the hash. */
struct history_slot {
	int at;
	uint32_t tag;
};
#define DROPPED (-1)

static uint64_t hash(const char *id)
{
	size_t len = strlen(id);
	uint64_t h = len;
	uint64_t word;

	for (; len >= sizeof(word); len -= sizeof(word), id += sizeof(word)) {
		memcpy(&word, id, sizeof(word));
		h = (h ^ word) * GOLDEN;
		h ^= h >> 29;
	}
	word = 0;
	memcpy(&word, id, len);
	h = (h ^ word) * GOLDEN;
	return h ^ h >> 32;
}

/* The slot of @id, or the empty one where it belongs. */
static struct history_slot *find_slot(const struct history_names *n,
				      const char *id, uint32_t *out_tag)
{
	uint64_t h = hash(id);
	size_t i = (size_t)h & n->mask;

	*out_tag = (uint32_t)(h >> 32);
	for (;; i = (i + 1) & n->mask) {
		struct history_slot *s = &n->slot[i];

		if (!s->at)
			return s;
		if (s->at != DROPPED && s->tag == *out_tag &&
		    !strcmp(n->id[s->at - 1], id))
			return s;
	}
}

long history_names_init(struct history_names *n, const char *const *id,
			size_t nr)
{
	size_t size = 4;
	size_t i;

	while (size < 2 * nr)
		size *= 2;
	n->id = id;
	n->mask = size - 1;
	n->slot = xcalloc(size, sizeof(*n->slot));
	for (i = 0; i < nr; i++) {
		uint32_t tag;
		struct history_slot *s = find_slot(n, id[i], &tag);

		if (s->at)
			return (long)i;
		*s = (struct history_slot){ (int)i + 1, tag };
	}
	return -1;
}

void history_names_release(struct history_names *n)
{
	free(n->slot);
	n->slot = NULL;
}

long history_names_find(const struct history_names *n, const char *id)
{
	uint32_t tag;

	return find_slot(n, id, &tag)->at - 1L;
}

void history_names_renumber(struct history_names *n, const int *to,
			    const char *const *id)
{
	size_t i;

	for (i = 0; i <= n->mask; i++) {
		struct history_slot *s = &n->slot[i];

		if (s->at > 0)
			s->at = to[s->at - 1] < 0 ? DROPPED : to[s->at - 1] + 1;
	}
	n->id = id;
}
