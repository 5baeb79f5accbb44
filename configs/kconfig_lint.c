// SPDX-License-Identifier: GPL-3.0-or-later
// Kernel options that spoil a measurement, and whether a configuration has
// them. Source: their help texts in the kernel's Kconfig files.
#include "configs/kconfig_lint.h"

#include <stdbool.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

const struct kconfig_lint kconfig_lint_table[] = {
	{ "KASAN", "every memory access is checked, which makes kernels two "
		   "to three times slower" },
	{ "KCSAN", "memory accesses are watched and delayed at random" },
	{ "KMSAN", "every memory access is tracked, several times slower" },
	{ "UBSAN", "arithmetic and array accesses are checked" },
	{ "KCOV", "every branch is recorded" },
	{ "GCOV_KERNEL", "every branch is counted in memory that CPUs share" },
	{ "KMEMLEAK", "every allocation is recorded and scanned for" },
	{ "KFENCE", "allocations are sampled by a timer, so that some of them "
		    "are slow at random" },
	{ "LOCKDEP", "every lock is tracked, which hides what locks cost" },
	{ "PROVE_LOCKING",
	  "every lock is tracked, which hides what locks cost" },
	{ "PROVE_RCU", "every RCU section is checked" },
	{ "LOCK_STAT", "every lock is timed" },
	{ "DEBUG_SPINLOCK", "spinlocks are checked and no longer inlined" },
	{ "DEBUG_MUTEXES", "mutexes are checked and lose their fast path" },
	{ "DEBUG_RWSEMS", "rw semaphores are checked" },
	{ "DEBUG_LOCK_ALLOC", "every lock is tracked" },
	{ "DEBUG_ATOMIC_SLEEP", "every point that may sleep is checked" },
	{ "DEBUG_PREEMPT", "every access to a CPU's own data is checked" },
	{ "DEBUG_LIST", "every change of a list is checked" },
	{ "DEBUG_OBJECTS", "timers and work items are tracked" },
	{ "DEBUG_VM", "memory management checks itself" },
	{ "DEBUG_PAGEALLOC", "freed pages are unmapped, page by page" },
	{ "PAGE_POISONING", "freed pages are filled with a pattern" },
	{ "PAGE_OWNER", "a stack trace is kept for every page" },
	{ "SLUB_DEBUG_ON",
	  "every object of every slab is checked and poisoned" },
	{ "FAULT_INJECTION", "allocations may be made to fail" },
	{ "XFS_DEBUG", "allocation groups are chosen at random and structures "
		       "checked, so that no two runs are alike" },
	{ "BTRFS_DEBUG", "structures are checked and ranges split at random" },
	{ "BTRFS_ASSERT", "structures are checked" },
	{ "EXT4_DEBUG", "debug messages are prepared on every path" },
	{ "NFSD_FAULT_INJECTION", "requests may be made to fail" },
	{ "RANDSTRUCT", "the order of structure members is random: kernels of "
			"two builds differ in it" },
	{ "RANDSTRUCT_FULL",
	  "the order of structure members is random: kernels of two builds "
	  "differ in it" },
	{ "RANDSTRUCT_PERFORMANCE",
	  "the order of structure members is random: kernels of two builds "
	  "differ in it" },
	{ "GCC_PLUGIN_RANDSTRUCT",
	  "the order of structure members is random: kernels of two builds "
	  "differ in it" },
	{ "GCC_PLUGIN_LATENT_ENTROPY",
	  "functions gather entropy while they run" },
	{ "GCC_PLUGIN_STACKLEAK",
	  "the stack is wiped at the end of every system call" },
	{ "RANDOMIZE_KSTACK_OFFSET_DEFAULT",
	  "the stack moves at random with every system call" },
	{ "SHUFFLE_PAGE_ALLOCATOR",
	  "free pages are shuffled, differently in every boot" },
	{ "RANDOM_KMALLOC_CACHES",
	  "objects go to caches chosen at random in every boot" },
	{ NULL, NULL },
};

/* The value of the last setting of CONFIG_@option; false: it has none. */
static bool find_setting(const char *text, size_t len, const char *option,
			 struct str *out)
{
	size_t name_len = strlen(option);
	const char *end = text + len;
	bool found = false;

	while (text < end) {
		const char *line = text;
		const char *eol = memchr(text, '\n', (size_t)(end - text));
		size_t nr = (size_t)((eol ? eol : end) - line);
		bool off = nr > 2 && !strncmp(line, "# ", 2);

		text = eol ? eol + 1 : end;
		line += off ? 2 : 0;
		nr -= off ? 2 : 0;
		if (nr <= 7 + name_len || strncmp(line, "CONFIG_", 7) != 0 ||
		    strncmp(line + 7, option, name_len) != 0)
			continue;
		line += 7 + name_len;
		nr -= 7 + name_len;
		if (off ? nr < 11 || strncmp(line, " is not set", 11) != 0
			: *line != '=')
			continue;
		str_reset(out);
		if (off)
			str_addch(out, 'n');
		else
			str_addn(out, line + 1, nr < 64 ? nr - 1 : 63);
		found = true;
	}
	return found;
}

static bool is_on(struct str *value)
{
	long long number;

	str_rtrim(value);
	if (!strcmp(value->p, "y") || !strcmp(value->p, "m"))
		return true;
	return str_to_i64(value->p, &number) && number > 0;
}

/* KFENCE with a sample interval of 0 never samples. */
static bool is_harmless(const char *text, size_t len, const char *option)
{
	struct str value = STR_INIT;
	bool harmless;

	if (strcmp(option, "KFENCE") != 0)
		return false;
	harmless = find_setting(text, len, "KFENCE_SAMPLE_INTERVAL", &value) &&
		   !is_on(&value);
	str_release(&value);
	return harmless;
}

static bool has_sentence(const json_t *warnings, const char *text)
{
	const json_t *item;
	size_t i;

	json_array_foreach(warnings, i, item)
	{
		if (!strcmp(json_string_value(item), text))
			return true;
	}
	return false;
}

static bool add_warning(const struct kconfig_lint *row, const char *value,
			json_t *warnings)
{
	struct str line = STR_INIT;
	bool added;

	str_addf(&line,
		 "CONFIG_%s=%s: %s; set CONFIG_%s=n, unless that is "
		 "what is to be measured",
		 row->option, value, row->why, row->option);
	added = !has_sentence(warnings, line.p);
	if (added)
		json_array_append_new(warnings, json_text(line.p, line.len));
	str_release(&line);
	return added;
}

size_t kconfig_lint(const char *text, size_t len, json_t *warnings)
{
	const struct kconfig_lint *row;
	size_t added = 0;

	for (row = kconfig_lint_table; row->option; row++) {
		struct str value = STR_INIT;

		if (find_setting(text, len, row->option, &value) &&
		    is_on(&value) && !is_harmless(text, len, row->option))
			added += add_warning(row, value.p, warnings);
		str_release(&value);
	}
	return added;
}
