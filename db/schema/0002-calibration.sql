-- Calibrations: A/A boots of one kernel on one box, and what they say of each
-- metric. The table of the first schema was never written to.
DROP TABLE calibration;

-- One calibration of a box for an atomic job. Its boots are the plans of its
-- comparison, whose base is its head.
CREATE TABLE calibration (
	id INTEGER PRIMARY KEY,
	comparison_id INTEGER NOT NULL UNIQUE REFERENCES comparison,
	series_id INTEGER NOT NULL REFERENCES series,
	box_id INTEGER NOT NULL REFERENCES box,
	commit_id INTEGER NOT NULL REFERENCES git_commit, -- the kernel
	kconfig TEXT NOT NULL,          -- as repo.kconfig then; '' none is built
	nr_boots INTEGER NOT NULL CHECK (nr_boots BETWEEN 1 AND 1000), -- wanted
	nr_layouts INTEGER NOT NULL CHECK (nr_layouts BETWEEN 0 AND 16), -- more
	by_itself INTEGER NOT NULL CHECK (by_itself IN (0, 1)), -- an idle box
	created_s INTEGER NOT NULL,
	at_s INTEGER,                   -- when it was evaluated; NULL: not yet
	boots INTEGER NOT NULL DEFAULT 0, -- that gave values, as configured
	runs INTEGER NOT NULL DEFAULT 0,
	invariants_json TEXT NOT NULL DEFAULT '{}', -- of the box then
	headline TEXT NOT NULL DEFAULT '', -- metric that the verdict is about
	verdict TEXT NOT NULL DEFAULT '' CHECK (verdict IN ('', 'ok', 'failed')),
	why TEXT NOT NULL DEFAULT ''    -- the verdict in one sentence
) STRICT;
CREATE INDEX calibration_newest ON calibration (series_id, box_id, id);
CREATE INDEX calibration_by_box ON calibration (box_id, id);

-- What a calibration found about one metric. Ratios are of its mean.
CREATE TABLE calibration_metric (
	calibration_id INTEGER NOT NULL REFERENCES calibration,
	metric TEXT NOT NULL,
	kpi INTEGER NOT NULL CHECK (kpi IN (0, 1)), -- may be a headline
	mean REAL NOT NULL,
	sd_ratio REAL NOT NULL,         -- one run in a fresh boot
	sd_run_ratio REAL NOT NULL,     -- inside a boot
	sd_boot_ratio REAL NOT NULL,    -- between boots
	boot_share REAL NOT NULL,       -- of the variance, between boots
	dof REAL NOT NULL,              -- degrees of freedom behind sd_ratio
	drift_ratio REAL NOT NULL,      -- step of its level per boot; 0 not seen
	offset_ratio REAL,              -- against the group's other boxes with
	                                -- the same kernel; NULL: there is none
	layout_sd_ratio REAL,           -- between code layouts; NULL: not built
	aa_trials INTEGER NOT NULL,     -- splits of the boots into two sides
	aa_alarms INTEGER NOT NULL,     -- of them called a change
	halves_ratio REAL NOT NULL,     -- second half of the boots against first
	halves_e REAL NOT NULL,         -- E-value of that against "no change"
	verdict TEXT NOT NULL CHECK (verdict IN ('ok', 'failed')),
	PRIMARY KEY (calibration_id, metric)
) STRICT, WITHOUT ROWID;

-- What a box was like when first seen, against which its boots are held.
ALTER TABLE box ADD COLUMN invariants_json TEXT NOT NULL DEFAULT '{}';

-- Boots whose invariants were broken: nobody looked at what they measured.
CREATE TABLE rejected_boot (
	id INTEGER PRIMARY KEY,
	attempt_id INTEGER NOT NULL UNIQUE REFERENCES attempt,
	box_id INTEGER NOT NULL REFERENCES box,
	commit_id INTEGER NOT NULL REFERENCES git_commit,
	layout INTEGER NOT NULL,
	at_s INTEGER NOT NULL,
	invariants_json TEXT NOT NULL,
	why TEXT NOT NULL
) STRICT;
CREATE INDEX rejected_boot_by_kernel ON rejected_boot (box_id, commit_id);
CREATE INDEX boot_by_kernel ON boot (box_id, commit_id);
