// SPDX-License-Identifier: GPL-3.0-or-later
// The two-sided tabular CUSUM.
#include "analysis/stat_cusum.h"

#include <math.h>

void stat_cusum_init(struct stat_cusum *c, double target, double sd)
{
	*c = (struct stat_cusum){ .target = target,
				  .sd = sd,
				  .slack = STAT_CUSUM_SLACK,
				  .limit = STAT_CUSUM_LIMIT };
}

void stat_cusum_restart(struct stat_cusum *c)
{
	c->up = c->down = 0;
	c->nr = c->up_from = c->down_from = 0;
}

int stat_cusum_add(struct stat_cusum *c, double value)
{
	double z = (value - c->target) / c->sd;

	if (isnan(z))
		return 0;
	c->up = fmax(c->up + z - c->slack, 0);
	c->down = fmax(c->down - z - c->slack, 0);
	c->nr++;
	if (!(c->up > 0))
		c->up_from = c->nr;
	if (!(c->down > 0))
		c->down_from = c->nr;
	if (c->up > c->limit)
		return 1;
	return c->down > c->limit ? -1 : 0;
}
