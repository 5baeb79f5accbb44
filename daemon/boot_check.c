// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants of a boot against those of its box.
#include "daemon/boot_check.h"

#include "analysis/invariant.h"
#include "base/clock.h"
#include "daemon/outcome.h"
#include "db/db_invariant.h"

static int reject(struct daemon *d, const struct db_attempt *a,
		  const json_t *invariants, const char *why, struct err *err)
{
	int rc = db_boot_reject(d->db, a->id, invariants, why, clock_wall_s(),
				err);

	if (!rc)
		rc = outcome_infra(d, a, "infra", "infra", why, err);
	return rc ? rc : 1;
}

static int learn(struct daemon *d, const json_t *row, const json_t *invariants,
		 struct err *err)
{
	json_t *seen =
		invariant_learn(json_object_get(row, "seen"), invariants);
	int rc = db_invariants_set(d->db, json_opt_int(row, "box_id", 0), seen,
				   err);

	json_decref(seen);
	return rc;
}

int boot_check(struct daemon *d, const struct db_attempt *a, const json_t *boot,
	       struct err *err)
{
	const json_t *invariants = json_object_get(boot, "invariants");
	struct str broken = STR_INIT;
	struct str why = STR_INIT;
	const char *box;
	json_t *row;
	int rc;

	if (!json_is_object(invariants))
		return 0;
	row = db_invariants_of(d->db, a->plan_id, err);
	if (!row)
		return ERR_IO;
	box = json_opt_str(row, "box", "");
	if (invariant_breaks(json_object_get(row, "seen"),
			     json_object_get(row, "before"), invariants,
			     &broken)) {
		str_addf(&why,
			 "box %s: this boot doesn't count, its results were "
			 "not looked at: %s; if that is meant to stay, drover "
			 "box resume %s takes it over",
			 box, broken.p, box);
		rc = reject(d, a, invariants, why.p, err);
	} else {
		rc = learn(d, row, invariants, err);
	}
	json_decref(row);
	str_release(&broken);
	str_release(&why);
	return rc;
}
