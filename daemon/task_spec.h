/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is written into task.json for each kind of worker. */
#ifndef DAEMON_TASK_SPEC_H
#define DAEMON_TASK_SPEC_H

#include "base/json.h"
#include "daemon/daemon.h"
#include "db/db_box.h"
#include "db/db_event.h"

/* Task of a run or build attempt (docs/protocol.md). New reference. */
int task_spec_run(struct daemon *d, const struct db_attempt *a, json_t **out,
		  struct err *err);
int task_spec_build(struct daemon *d, const struct db_attempt *a, int slot,
		    json_t **out, struct err *err);
/* Task of drover-mail for one mail. New reference. */
json_t *task_spec_mail(struct daemon *d, const struct db_outbox *m);

/* Build slot that a task.json names in its slot_dir; -1 for none. */
int task_spec_slot(const json_t *spec);

#endif
