// SPDX-License-Identifier: GPL-3.0-or-later
// The first commit that a bisection of BASE..HEAD builds: what the daemon does
// between a comparison's verdict and the first build order, without its
// database. For tests/bench/run, which times it against git rev-list --bisect.
//
//   first_commit REPO BASE HEAD      (full hashes)
#include <stdio.h>

#include "base/json.h"
#include "daemon/flow_private.h"

#define PAIRS 6

/* The comparison's boots: both ends on two boxes, 10 % apart. */
static int feed(struct bisect *b, struct err *err)
{
	struct bisect_result r[2 * PAIRS];
	double value[2 * PAIRS];
	int last = history_nr(bisect_history(b)) - 1;
	int i;

	for (i = 0; i < 2 * PAIRS; i++) {
		value[i] = (i % 2 ? 0.9 : 1) * (1 + 0.004 * (i % 3 - 1));
		r[i] = (struct bisect_result){ .commit = i % 2 ? last : 0,
					       .box = i / 2 % 2,
					       .status = BISECT_OK,
					       .values = &value[i],
					       .nr_values = 1 };
	}
	return bisect_result(b, r, 2 * PAIRS, err);
}

static struct bisect *start(const struct flow_range *range, const char *good,
			    const char *bad, struct err *err)
{
	static const char *const boxes[] = { "b0", "b1" };
	const struct bisect_start s = {
		.commits = range->v,
		.nr_commits = range->nr,
		.good = good,
		.bad = bad,
		.claim = -0.1,
		.higher_is_better = true,
		.boxes = boxes,
		.nr_boxes = 2,
		.calibration = { 20, 0.02, 0.8, 0, -1 },
		.cost = { 10, 1, 1 },
		.budget_runs = 1000,
		.parallel = 2,
	};

	return bisect_new(&s, err);
}

/* Print the first commit asked for that is neither end. */
static int print_question(const struct bisect *b, struct err *err)
{
	const struct history *h = bisect_history(b);
	struct bisect_ask ask;
	size_t i;

	for (i = 0; bisect_next(b, &ask) && i < ask.nr; i++) {
		int c = ask.boots[i].commit;

		if (c && c != history_nr(h) - 1)
			return printf("%s\n", history_id(h, c)) > 0 ? 0
								    : ERR_IO;
	}
	return err_set(err, ERR_DATA,
		       "no commit between the ends was asked "
		       "for");
}

int main(int argc, char **argv)
{
	struct flow_range range = { 0 };
	struct bisect *b = NULL;
	struct flow f = { 0 };
	struct err err = { 0 };
	struct repo *repo;
	int rc;

	if (argc != 4) {
		fprintf(stderr, "usage: first_commit REPO BASE HEAD\n");
		return 2;
	}
	f.row = json_pack("{s:s, s:s}", "base_sha", argv[2], "head_sha",
			  argv[3]);
	repo = repo_open(argv[1], &err);
	rc = repo ? flow_range_load(repo, &f, &range, &err) : err.code;
	if (!rc) {
		b = start(&range, argv[2], argv[3], &err);
		rc = b ? feed(b, &err) : err.code;
	}
	if (!rc)
		rc = print_question(b, &err);
	if (rc)
		fprintf(stderr, "first_commit: %s\n", err.text);
	bisect_free(b);
	flow_range_release(&range);
	repo_free(repo);
	json_decref(f.row);
	return rc ? 1 : 0;
}
