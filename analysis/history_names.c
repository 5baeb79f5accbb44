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

/* Ids that are entered together: each slot is a cache miss in a large table. */
#define AHEAD 16

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

/* The slot of @id, which has the hash @h, or the empty one where it belongs. */
static struct history_slot *find_slot(const struct history_names *n,
				      const char *id, uint64_t h)
{
	uint32_t tag = (uint32_t)(h >> 32);
	size_t i = (size_t)h & n->mask;

	for (;; i = (i + 1) & n->mask) {
		struct history_slot *s = &n->slot[i];

		if (!s->at || (s->at != DROPPED && s->tag == tag &&
			       !strcmp(n->id[s->at - 1], id)))
			return s;
	}
}

/* Enter ids @from..@to-1, their slots fetched into the cache beforehand. */
static long enter(struct history_names *n, size_t from, size_t to)
{
	uint64_t h[AHEAD];
	size_t i;

	for (i = from; i < to; i++) {
		h[i - from] = hash(n->id[i]);
		__builtin_prefetch(&n->slot[h[i - from] & n->mask], 1);
	}
	for (i = from; i < to; i++) {
		struct history_slot *s = find_slot(n, n->id[i], h[i - from]);

		if (s->at)
			return (long)i;
		s->at = (int)i + 1;
		s->tag = (uint32_t)(h[i - from] >> 32);
	}
	return -1;
}

long history_names_init(struct history_names *n, const char *const *id,
			size_t nr)
{
	size_t size = 4;
	long twice = -1;
	size_t i;

	while (size < 2 * nr)
		size *= 2;
	n->id = id;
	n->mask = size - 1;
	n->slot = xcalloc(size, sizeof(*n->slot));
	for (i = 0; i < nr && twice < 0; i += AHEAD)
		twice = enter(n, i, i + AHEAD < nr ? i + AHEAD : nr);
	return twice;
}

void history_names_release(struct history_names *n)
{
	free(n->slot);
	n->slot = NULL;
}

long history_names_find(const struct history_names *n, const char *id)
{
	return find_slot(n, id, hash(id))->at - 1L;
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
