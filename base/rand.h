/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Randomness of two kinds: a seeded generator whose sequence is part of a
 * result (run order, bootstrap), and unguessable tokens.
 */
#ifndef BASE_RAND_H
#define BASE_RAND_H

#include <stddef.h>
#include <stdint.h>

/* xoshiro256** by Blackman and Vigna 2018; seeded through splitmix64. */
struct rand {
	uint64_t s[4];
};

void rand_seed(struct rand *r, uint64_t seed);
uint64_t rand_u64(struct rand *r);
/* Uniform in [0, n), n ≥ 1, without modulo bias. */
uint64_t rand_below(struct rand *r, uint64_t n);
/* Uniform in [0, 1). */
double rand_unit(struct rand *r);
/* Standard normal (polar method). */
double rand_normal(struct rand *r);

/* @nr lower-case hex digits from the kernel's generator, and a NUL. */
void rand_token(char *out, size_t nr);

#endif
