// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * <benchmark>.time.*: what the benchmark used, as the supervisor measured it.
 * The file is the output of GNU's or busybox' `time -v`, or lines "key=value":
 * elapsed_s, user_s, system_s, voluntary_ctx, involuntary_ctx, major_faults,
 * minor_faults, max_rss_kb, fs_inputs, fs_outputs.
 */
#include <string.h>

#include "base/mem.h"
#include "jobs/monitor.h"
#include "jobs/text.h"

/* A line by its key in either form, and LKP's name for the metric. */
static const struct {
	const char *key;
	const char *label;
	const char *metric;
} rows[] = {
	{ "elapsed_s", "Elapsed (wall clock) time", "elapsed_time" },
	{ "user_s", "User time (seconds)", "user_time" },
	{ "system_s", "System time (seconds)", "system_time" },
	{ "voluntary_ctx", "Voluntary context switches",
	  "voluntary_context_switches" },
	{ "involuntary_ctx", "Involuntary context switches",
	  "involuntary_context_switches" },
	{ "major_faults", "Major (requiring I/O) page faults",
	  "major_page_faults" },
	{ "minor_faults", "Minor (reclaiming a frame) page faults",
	  "minor_page_faults" },
	{ "max_rss_kb", "Maximum resident set size (kbytes)",
	  "maximum_resident_set_size" },
	{ "fs_inputs", "File system inputs", "file_system_inputs" },
	{ "fs_outputs", "File system outputs", "file_system_outputs" },
};

/* "1:02:03", "2:03.45", "0m 2.03s" or "2.5" in seconds. */
static bool clock_time(struct text t, double *out)
{
	struct text part;
	double total = 0, v;
	int parts = 0;

	while (t.len && parts++ < 3) {
		size_t n = 0;

		while (n < t.len && strchr("0123456789.", t.p[n]) && t.p[n])
			n++;
		part = (struct text){ t.p, n };
		if (!text_number(part, &v))
			return false;
		total = total * 60 + v;
		t = text_skip(t, n);
		while (t.len && (!t.p[0] || strchr(":hms ", t.p[0])))
			t = text_skip(t, 1);
	}
	*out = total;
	return parts > 0 && !t.len;
}

/* Which row a line is, its value in @out; -1 for any other line. */
static int row_of(struct text line, struct text *out)
{
	line = text_trim(line);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t n = strlen(rows[i].key);

		if (text_starts(line, rows[i].key) && line.len > n &&
		    line.p[n] == '=') {
			*out = text_trim(text_skip(line, n + 1));
			return (int)i;
		}
		if (!text_starts(line, rows[i].label))
			continue;
		/* the label of the elapsed time has ':' in brackets */
		for (n = line.len; n > 1; n--)
			if (line.p[n - 1] == ' ' && line.p[n - 2] == ':')
				break;
		if (n <= 1)
			return -1;
		*out = text_trim(text_skip(line, n));
		return (int)i;
	}
	return -1;
}

static int parse(const struct monitor_input *in, struct metric_set *out,
		 struct err *err)
{
	struct text rest = { in->text, in->len }, line, value;
	double v[ARRAY_SIZE(rows)];
	bool have[ARRAY_SIZE(rows)] = { false };
	size_t before = out->nr;

	while (text_line(&rest, &line)) {
		int i = row_of(line, &value);

		if (i >= 0)
			have[i] = clock_time(value, &v[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (have[i])
			metric_add(out, v[i], "%s.time.%s", in->benchmark,
				   rows[i].metric);
	if (have[0])
		metric_add(out, v[0], "%s.time.elapsed_time.max",
			   in->benchmark);
	if (have[0] && have[1] && have[2] && v[0] > 0)
		metric_add(out, (double)(long long)(100 * (v[1] + v[2]) / v[0]),
			   "%s.time.percent_of_cpu_this_job_got",
			   in->benchmark);
	if (out->nr == before && in->len)
		return err_set(err, ERR_DATA,
			       "monitor time: no time in %zu "
			       "bytes",
			       in->len);
	return 0;
}

static const char *const sources[] = { NULL };

const struct monitor monitor_time = {
	.name = "time",
	.sources = sources,
	.interval_s = 0,
	.parse = parse,
};
