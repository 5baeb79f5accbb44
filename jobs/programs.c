// SPDX-License-Identifier: GPL-3.0-or-later
/* Look-ups in the table of programs, and the keys that belong to no program. */
#include "jobs/programs.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

static const char *const header_keys[] = {
	"suite",
	"testcase",
	"category",
	"description",
	"tbox_group",
	"testbox",
	"arch",
	"os",
	"os_arch",
	"queue",
	"user",
	"timeout",
	"max_uptime",
	"memory",
	"model",
	"nr_cpu",
	"nr_node",
	"branch",
	"head_commit",
	"base_commit",
	"kernel_cmdline",
	"nr_disks",
	"kernel_version",
	"mail_to",
	"mail_cc",
	"job_origin",
	"job_file",
	"on_fail",
	"constraints",
	"ucode",
	"upstream_commit",
	"initrds",
	"hdd_partitions",
	"node_roles",
	"ssd_partitions",
	"pmem_partitions",
	"swap_partitions",
	"set_nic_irq_affinity",
	"verify",
};

static const char *const axis_keys[] = { "kconfig", "commit", "rootfs",
					 "compiler" };

static const char *const common_options[] = { "cluster", "nr_instances" };

static bool word_in(const char *const *words, size_t nr, const char *key)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(words[i], key))
			return true;
	return false;
}

static int by_name(const void *key, const void *row)
{
	return strcmp(key, ((const struct program *)row)->name);
}

const struct program *program_find(const char *name)
{
	const struct program *p = bsearch(name, programs, programs_nr,
					  sizeof(*programs), by_name);

	while (p && p > programs && !strcmp(p[-1].name, name))
		p--;
	return p;
}

bool program_has_option(const struct program *p, const char *key)
{
	size_t len = strlen(key);

	if (!strcmp(p->name, "cgroup") || !strcmp(p->name, "cgroup2"))
		if (strchr(key, '.'))
			return true;
	if (!strcmp(p->name, "sysctl") && str_starts(key, "sc_"))
		return true;
	for (const char *o = p->options; *o;) {
		size_t n = strcspn(o, " ");

		if (n == len && !strncmp(o, key, n))
			return true;
		o += n + (o[n] == ' ');
	}
	return false;
}

bool program_common_option(const char *key)
{
	return word_in(common_options, ARRAY_SIZE(common_options), key);
}

bool program_header_key(const char *key)
{
	return str_starts(key, "need_") || str_starts(key, "if role ") ||
	       word_in(header_keys, ARRAY_SIZE(header_keys), key);
}

bool program_axis_key(const char *key)
{
	return word_in(axis_keys, ARRAY_SIZE(axis_keys), key);
}

/* The words of a program's option list, each owned, behind @nr others. */
static size_t add_options(const struct program *p, const char **words,
			  size_t nr, size_t max)
{
	for (const char *o = p->options; *o && nr < max;) {
		size_t n = strcspn(o, " ");

		words[nr++] = xstrndup(o, n);
		o += n + (o[n] == ' ');
	}
	return nr;
}

void program_suggest(const struct program *const *used, size_t nr,
		     const char *key, char out[64])
{
	enum { MAX = 2048 };
	const char **words = xcalloc(MAX, sizeof(char *));
	struct str s = STR_INIT;
	const char *near;
	size_t n = 0;

	for (size_t i = 0; i < nr; i++)
		n = add_options(used[i], words, n, MAX / 2);
	for (size_t i = 0; i < ARRAY_SIZE(header_keys); i++)
		words[n++] = xstrdup(header_keys[i]);
	for (size_t i = 0; i < ARRAY_SIZE(common_options); i++)
		words[n++] = xstrdup(common_options[i]);
	for (size_t i = 0; i < programs_nr && n < MAX; i++)
		words[n++] = xstrdup(programs[i].name);
	near = str_suggest(key, words, n);
	s.max_bytes = 63;
	str_add(&s, near ? near : "");
	memcpy(out, s.p, s.len + 1);
	str_release(&s);
	for (size_t i = 0; i < n; i++)
		free((char *)words[i]);
	free(words);
}
