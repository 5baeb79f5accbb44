/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Kernel options that make a benchmark measure something else: debugging that
 * costs more than what is looked for, and randomisation that no two boots have
 * in common. A table; the text may be a fragment or a whole .config.
 */
#ifndef CONFIGS_KCONFIG_LINT_H
#define CONFIGS_KCONFIG_LINT_H

#include <stddef.h>

#include "base/json.h"

/*
 * One row: @option without CONFIG_; @why it matters for a measurement, in half
 * a sentence.
 */
struct kconfig_lint {
	const char *option;
	const char *why;
};

/* The rows, ended by one whose option is NULL. Static. */
extern const struct kconfig_lint kconfig_lint_table[];

/*
 * Appends to @warnings, an array, one sentence for each option of the table
 * that @text switches on (=y, =m, or a number above 0), the last setting of an
 * option counts: "CONFIG_KASAN=y: every memory access is checked …; set
 * CONFIG_KASAN=n, unless that is what is to be measured". A sentence
 * that is there already isn't repeated. Returns how many were added. Bytes may
 * be anything.
 */
size_t kconfig_lint(const char *text, size_t len, json_t *warnings);

#endif
