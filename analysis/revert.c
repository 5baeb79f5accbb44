// SPDX-License-Identifier: GPL-3.0-or-later
// A revert on head: which part of a commit's effect is gone with it.
#include "analysis/revert.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

/* The pairs against the null hypothesis that the revert changes head by
 * @change. */
static void against(const struct revert_in *in, double change, double effect,
		    struct verdict *out)
{
	struct verdict_pair *pairs = xcalloc(in->nr + 1, sizeof(*pairs));
	struct verdict_in v = {
		.pairs = pairs,
		.nr = in->nr,
		.planned = in->planned,
		.max_pairs = in->max_pairs,
		/* what there is to be told apart */
		.min_effect = fabs(effect) / 2,
		.sd = in->sd,
		.dof = in->dof,
		.candidates = 1,
		.direction = 1,
	};
	size_t i;

	for (i = 0; i < in->nr; i++) {
		pairs[i] = in->pairs[i];
		pairs[i].base *= 1 + change;
	}
	verdict_decide(&v, out);
	free(pairs);
}

static enum revert_kind judge(const struct revert_in *in,
			      const struct revert_verdict *v)
{
	/* the part of the effect that is back */
	double part = v->delta / v->expected;

	if (v->e_back >= VERDICT_E_ENOUGH && part >= 0.5)
		return REVERT_BACK;
	if (v->e_half >= VERDICT_E_ENOUGH && part < 0.5)
		return REVERT_NOT_BACK;
	return in->nr < (size_t)in->max_pairs ? REVERT_MORE : REVERT_OPEN;
}

static int pairs_wanted(const struct revert_in *in)
{
	int left = in->max_pairs - (int)in->nr;

	return in->planned < left ? in->planned : left;
}

void revert_decide(const struct revert_in *in, struct revert_verdict *out)
{
	double expected = 1 / (1 + in->effect) - 1;
	struct verdict none, half;

	against(in, 0, expected, &none);
	against(in, expected / 2, expected, &half);
	*out = (struct revert_verdict){
		.expected = expected,
		.delta = none.delta,
		.lo = none.lo,
		.hi = none.hi,
		.e_back = none.e_value,
		.e_half = half.e_value,
	};
	out->kind = judge(in, out);
	if (out->kind == REVERT_MORE)
		out->more = pairs_wanted(in);
}

const char *revert_to_str(enum revert_kind kind)
{
	switch (kind) {
	case REVERT_BACK:
		return "back";
	case REVERT_NOT_BACK:
		return "not-back";
	case REVERT_OPEN:
		return "open";
	case REVERT_MORE:
		break;
	}
	return "";
}
