// SPDX-License-Identifier: GPL-3.0-or-later
// Seeded and unguessable random numbers.
#include "base/rand.h"

#include <math.h>
#include <stdlib.h>

static uint64_t rotl(uint64_t x, int k)
{
	return (x << k) | (x >> (64 - k));
}

void rand_seed(struct rand *r, uint64_t seed)
{
	int i;

	for (i = 0; i < 4; i++) {
		uint64_t z = (seed += 0x9e3779b97f4a7c15ULL);

		z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
		z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
		r->s[i] = z ^ (z >> 31);
	}
}

uint64_t rand_u64(struct rand *r)
{
	uint64_t *s = r->s;
	uint64_t result = rotl(s[1] * 5, 7) * 9;
	uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotl(s[3], 45);
	return result;
}

uint64_t rand_below(struct rand *r, uint64_t n)
{
	uint64_t limit = UINT64_MAX - UINT64_MAX % n;
	uint64_t x;

	do
		x = rand_u64(r);
	while (x >= limit);
	return x % n;
}

double rand_unit(struct rand *r)
{
	return (double)(rand_u64(r) >> 11) * 0x1.0p-53;
}

double rand_normal(struct rand *r)
{
	double u;
	double v;
	double q;

	do {
		u = 2 * rand_unit(r) - 1;
		v = 2 * rand_unit(r) - 1;
		q = u * u + v * v;
	} while (q >= 1 || q == 0);
	return u * sqrt(-2 * log(q) / q);
}

void rand_token(char *out, size_t nr)
{
	static const char digits[] = "0123456789abcdef";
	size_t i;

	for (i = 0; i < nr; i++)
		out[i] = digits[arc4random_uniform(16)];
	out[nr] = '\0';
}
