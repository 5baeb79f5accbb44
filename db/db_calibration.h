/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calibrations: A/A boots of one kernel on one box, and what they say of each
 * metric.
 */
#ifndef DB_DB_CALIBRATION_H
#define DB_DB_CALIBRATION_H

#include <stdbool.h>

#include "db/db.h"

/* A row of calibration to insert: box, series and kernel are those of the
 * comparison whose plans are its boots. */
struct db_calibration {
	long long comparison_id;
	long long nr_boots;   /* wanted, as configured */
	long long nr_layouts; /* further code layouts */
	bool by_itself;	      /* the daemon asked for it */
};

/* @kconfig is taken from the repository unless @builds is false. */
int db_calibration_add(struct db *db, const struct db_calibration *c,
		       bool builds, long long now_s, long long *out_id,
		       struct err *err);

/*
 * The calibration of a comparison: {"id", "series_id", "box_id", "box",
 * "commit_id", "nr_boots", "nr_layouts", "by_itself", "created_s", "at_s",
 * "verdict", "why"}. NULL with ERR_NOTFOUND when it is none.
 */
json_t *db_calibration_of(struct db *db, long long comparison_id,
			  struct err *err);

/* What was found out; @invariants of the box. Borrowed. */
struct db_calibration_end {
	long long boots, runs;
	const json_t *invariants;
	const char *headline;
	const char *verdict; /* ok, failed */
	const char *why;
};
int db_calibration_end(struct db *db, long long id,
		       const struct db_calibration_end *e, long long now_s,
		       struct err *err);

/* A row of calibration_metric; @layout_sd NaN: no layouts. Borrowed. */
struct db_calibration_metric {
	const char *metric;
	bool kpi;
	double mean, sd, sd_run, sd_boot, boot_share, dof, drift, layout_sd;
	long long aa_trials, aa_alarms;
	double halves, halves_e;
	const char *verdict;
};
/*
 * Store one of them. Its offset follows from the newest calibrations of the
 * other boxes of the series with the same kernel.
 */
int db_calibration_put(struct db *db, long long id,
		       const struct db_calibration_metric *m, struct err *err);
/*
 * The done runs of a calibration, of each plan's last boot, in order of time:
 * [{"id", "boot", "layout"}]. New reference.
 */
json_t *db_calibration_runs(struct db *db, long long comparison_id,
			    struct err *err);
/* Remove the metrics of one, so that it can be evaluated anew. */
int db_calibration_clear(struct db *db, long long id, struct err *err);

/*
 * The newest evaluated calibration of a box for a series, with the row of
 * @metric: {"id", "at_s", "verdict", "why", "boots", "kconfig", "invariants"
 * {}, "aa_trials", "aa_alarms" (of that metric), "sd_ratio", "boot_share",
 * "dof", "drift_ratio", "offset_ratio", "layout_sd_ratio" (of the newest that
 * has one), "box_invariants" {} and "repo_kconfig": as they are now}. The
 * numbers are null when it knows nothing of @metric. NULL with ERR_NOTFOUND.
 */
json_t *db_calibration_for(struct db *db, long long series_id, long long box_id,
			   const char *metric, struct err *err);
/*
 * When the box was last calibrated for the same job under another kernel
 * configuration, compiler or root file system; 0: never.
 */
int db_calibration_elsewhere(struct db *db, long long series_id,
			     long long box_id, long long *out_at_s,
			     struct err *err);

/*
 * Calibrations, newest first, of a box (@box_id 0: of all): [{"id", "job_id",
 * "box", "path", "metric" (the headline), "state" (of its comparison),
 * "verdict", "why", "created_s", "at_s", "boots", "nr_boots", "by_itself",
 * "sha", and of the headline "mean", "sd_ratio", "boot_share", "drift_ratio",
 * "offset_ratio", "layout_sd_ratio", "dof", "aa_trials", "aa_alarms",
 * "invariants", "box_invariants", "kconfig", "repo_kconfig", "newest": of its
 * box and series}]. With @id not 0 that one alone. New reference.
 */
json_t *db_calibration_list(struct db *db, long long box_id, long long id,
			    struct err *err);
/* All metrics of one, headlines first. New reference. */
json_t *db_calibration_metrics(struct db *db, long long id, struct err *err);

/*
 * A ready box without work, queued or running, and a series that was measured
 * on it since @since_s but not calibrated after @before_s: the kernel of its
 * newest base is there already. {"box_id", "box", "series_id", "commit_id",
 * "repo_id", "name", "yaml", "runs", "job"}; the longest neglected first.
 * NULL with ERR_NOTFOUND when there is none.
 */
json_t *db_calibration_due(struct db *db, long long since_s, long long before_s,
			   struct err *err);

#endif
