// SPDX-License-Identifier: GPL-3.0-or-later
// The table of backends.
#include "runners/backend.h"

static const struct backend *const rows[] = {
	[LAB_SSH] = &backend_ssh,
	[LAB_NULL] = &backend_null,
};

const struct backend *backend_find(enum lab_backend backend)
{
	return rows[backend];
}
