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

/* "DROVER_MAIL_HOST" for "mail.host". */
void options_env_name(const char *key, char out[64]);

#endif
