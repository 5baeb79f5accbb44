// SPDX-License-Identifier: GPL-3.0-or-later
/* The table of monitors. */
#include "jobs/monitor.h"

#include <string.h>

#include "base/mem.h"

static const struct monitor *const table[] = {
	&monitor_uptime,      &monitor_meminfo,	     &monitor_proc_vmstat,
	&monitor_vmstat,      &monitor_mpstat,	     &monitor_numa_numastat,
	&monitor_numa_vmstat, &monitor_numa_meminfo, &monitor_softirqs,
	&monitor_interrupts,  &monitor_cpuidle,	     &monitor_sched_debug,
	&monitor_schedstat,   &monitor_slabinfo,     &monitor_time,
	&monitor_dmesg,
};

const struct monitor *monitor_at(size_t i)
{
	return i < ARRAY_SIZE(table) ? table[i] : NULL;
}

const struct monitor *monitor_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (!strcmp(table[i]->name, name))
			return table[i];
	return NULL;
}

int monitor_finish(struct series_set *set, const struct monitor_input *in,
		   const char *name, struct metric_set *out, struct err *err)
{
	size_t before = out->nr;

	series_flush(set, out);
	series_set_free(set);
	/* counters of a single tick give nothing, which is no fault */
	if (out->nr == before && in->len &&
	    !memmem(in->text, in->len, "# /", 3))
		return err_set(err, ERR_DATA,
			       "monitor %s: no sample in %zu bytes", name,
			       in->len);
	return 0;
}
