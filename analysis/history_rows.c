// SPDX-License-Identifier: GPL-3.0-or-later
// Ancestor sets as bits, for the commits that somebody asks about: those that
// are tested, a few dozen. All of them would be N²/8 bytes.
#include <stdlib.h>
#include <string.h>

#include "analysis/history_private.h"
#include "base/mem.h"

/* Of all rows together; then they are made anew, as they are asked for. */
#define ROWS_MAX_BYTES ((size_t)256 << 20)
#define ROWS_MIN       64

struct history_rows *history_rows_new(int nr)
{
	struct history_rows *r = xcalloc(1, sizeof(*r));
	size_t bytes;

	r->words = nr / HISTORY_WORD_BITS + 1;
	bytes = (size_t)r->words * sizeof(uint64_t);
	r->max = ROWS_MAX_BYTES / bytes;
	if (r->max < ROWS_MIN)
		r->max = ROWS_MIN;
	if (r->max > (size_t)nr)
		r->max = (size_t)nr;
	r->pos = xcalloc(r->max, sizeof(*r->pos));
	r->row = xcalloc(r->max, sizeof(*r->row));
	r->of = xcalloc((size_t)nr, sizeof(*r->of));
	return r;
}

static void drop_all(struct history_rows *r)
{
	while (r->nr) {
		r->nr--;
		free(r->row[r->nr]);
		r->of[r->pos[r->nr]] = 0;
	}
}

void history_rows_free(struct history_rows *r)
{
	if (!r)
		return;
	drop_all(r);
	free(r->pos);
	free(r->row);
	free(r->of);
	free(r);
}

/* Parents are below their children, so one way down finds all ancestors. */
static void fill(const struct history *h, int x, uint64_t *row)
{
	int p;
	int e;

	row[x / HISTORY_WORD_BITS] |= 1ULL << (x % HISTORY_WORD_BITS);
	for (p = x; p > 0; p--) {
		if (!(row[p / HISTORY_WORD_BITS] >> (p % HISTORY_WORD_BITS) &
		      1))
			continue;
		for (e = h->up.first[p]; e < h->up.first[p + 1]; e++) {
			int up = h->up.edge[e];

			row[up / HISTORY_WORD_BITS] |=
				1ULL << (up % HISTORY_WORD_BITS);
		}
	}
	row[0] &= ~1ULL; /* the good commit is no candidate */
}

const uint64_t *history_row(const struct history *h, int x)
{
	struct history_rows *r = h->rows;

	if (r->of[x])
		return r->row[r->of[x] - 1];
	if (r->nr == r->max)
		drop_all(r);
	r->row[r->nr] = xcalloc((size_t)r->words, sizeof(uint64_t));
	r->pos[r->nr] = x;
	fill(h, x, r->row[r->nr]);
	r->of[x] = (int)++r->nr;
	return r->row[r->nr - 1];
}
