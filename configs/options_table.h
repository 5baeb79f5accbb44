/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables behind options.h, shared by the files that read and write them. */
#ifndef CONFIGS_OPTIONS_TABLE_H
#define CONFIGS_OPTIONS_TABLE_H

#include "configs/field.h"
#include "configs/options.h"

/* The single-valued options; "repos" is the list beside them. */
extern const struct fields options_table;
/* The keys of one entry of "repos". */
extern const struct fields options_repo_table;

/* Remember where the value of a row (table order, repos behind it) came from.
 */
void options_set_origin(struct config *cfg, size_t row, const char *origin);

/*
 * Fill in empty paths and make kconfig fragments absolute. ERR_CONFIG for a
 * fragment that isn't there.
 */
int options_derive_paths(struct config *cfg, struct err *err);

/* "DROVER_MAIL_HOST" for "mail.host". */
void options_env_name(const char *key, char out[64]);

#endif
