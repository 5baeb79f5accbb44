-- Everything a report says can be recomputed from these tables and the
-- artifact folders. Times *_s are UTC seconds since 1970; *_json columns hold
-- JSON text. States are words, so that the file can be read by hand.

-- A git repository that Drover tests.
CREATE TABLE repo (
	id INTEGER PRIMARY KEY,
	name TEXT NOT NULL UNIQUE,
	path TEXT NOT NULL,             -- local clone
	url TEXT NOT NULL DEFAULT '',   -- what readers are told
	branch TEXT NOT NULL DEFAULT '',
	kconfig TEXT NOT NULL DEFAULT '' -- fragment files, separated by newlines
) STRICT;

-- A commit as far as Drover had to know it.
CREATE TABLE git_commit (
	id INTEGER PRIMARY KEY,
	repo_id INTEGER NOT NULL REFERENCES repo,
	sha TEXT NOT NULL,              -- 40 hex digits
	tree TEXT NOT NULL,             -- tree id, 40 hex digits
	subject TEXT NOT NULL,          -- UTF-8, hostile
	author_name TEXT NOT NULL,
	author_email TEXT NOT NULL,
	authored_s INTEGER NOT NULL,
	UNIQUE (repo_id, sha)
) STRICT;

-- A test box (tbox) of the lab.
CREATE TABLE box (
	id INTEGER PRIMARY KEY,
	name TEXT NOT NULL UNIQUE,
	tbox_group TEXT NOT NULL,       -- boxes of equal hardware share it
	tags TEXT NOT NULL DEFAULT '',  -- separated by blanks
	state TEXT NOT NULL CHECK (state IN ('ready', 'drained', 'quarantined')),
	why TEXT NOT NULL DEFAULT '',   -- why it is not ready
	spec_json TEXT NOT NULL,        -- its entry of the lab file
	hw_json TEXT NOT NULL DEFAULT '{}', -- as probed: model, nr_cpus, nodes, …
	infra_failures INTEGER NOT NULL DEFAULT 0 -- in a row
) STRICT;

-- What somebody submitted: a commit pair and a job file.
CREATE TABLE job (
	id INTEGER PRIMARY KEY,
	created_s INTEGER NOT NULL,
	ended_s INTEGER,
	uid INTEGER NOT NULL,           -- who (SO_PEERCRED)
	repo_id INTEGER NOT NULL REFERENCES repo,
	base_id INTEGER NOT NULL REFERENCES git_commit,
	head_id INTEGER NOT NULL REFERENCES git_commit,
	merge_base TEXT NOT NULL DEFAULT '', -- set when base isn't an ancestor
	name TEXT NOT NULL,             -- of the job file, without .yaml
	yaml TEXT NOT NULL,             -- the job file as submitted
	options_json TEXT NOT NULL,     -- pairs, runs, cc, in_reply_to, bisect, …
	client_key TEXT UNIQUE,         -- idempotent resubmission; NULL none
	prio INTEGER NOT NULL DEFAULT 0,
	state TEXT NOT NULL CHECK (state IN
		('queued', 'running', 'done', 'failed', 'cancelled')),
	why TEXT NOT NULL DEFAULT ''    -- failed: one sentence
) STRICT;
-- What is open, in the order in which it gets boxes and build slots.
CREATE INDEX job_open ON job (prio DESC, id)
	WHERE state IN ('queued', 'running');

-- What makes runs comparable over time: one atomic job on one kind of box.
CREATE TABLE series (
	id INTEGER PRIMARY KEY,
	repo_id INTEGER NOT NULL REFERENCES repo,
	testcase TEXT NOT NULL,
	path TEXT NOT NULL,             -- <testcase>/<path_params>
	job_json TEXT NOT NULL,         -- the atomic job
	tbox_group TEXT NOT NULL,
	rootfs TEXT NOT NULL,
	kconfig TEXT NOT NULL,
	compiler TEXT NOT NULL,
	UNIQUE (repo_id, path, job_json, tbox_group, rootfs, kconfig, compiler)
) STRICT;

-- Two commits of one series, and what we believe about them.
CREATE TABLE comparison (
	id INTEGER PRIMARY KEY,
	job_id INTEGER NOT NULL REFERENCES job,
	series_id INTEGER NOT NULL REFERENCES series,
	box_id INTEGER NOT NULL REFERENCES box, -- where its first boots run
	base_id INTEGER NOT NULL REFERENCES git_commit,
	head_id INTEGER NOT NULL REFERENCES git_commit,
	state TEXT NOT NULL CHECK (state IN
		('new', 'running', 'bisecting', 'done', 'failed', 'cancelled')),
	verdict TEXT NOT NULL DEFAULT '', -- regression, improvement, no-change,
	                                  -- undecided; '' while running
	headline TEXT NOT NULL DEFAULT '', -- metric that the verdict is about
	direction TEXT NOT NULL DEFAULT 'higher', -- which way is better
	change_pct REAL,                -- head against base, of the headline
	e_value REAL,
	ci_low_pct REAL,
	ci_high_pct REAL,
	evidence_json TEXT NOT NULL DEFAULT '{}', -- the rest of what was computed
	why TEXT NOT NULL DEFAULT '',   -- the verdict in one sentence
	created_s INTEGER NOT NULL,
	ended_s INTEGER
) STRICT;
CREATE INDEX comparison_by_job ON comparison (job_id);

-- A bisection of one comparison.
CREATE TABLE bisect (
	id INTEGER PRIMARY KEY,
	comparison_id INTEGER NOT NULL REFERENCES comparison,
	state TEXT NOT NULL CHECK (state IN ('running', 'done', 'stopped', 'failed')),
	start_json TEXT NOT NULL,       -- what the engine was started with
	engine_json TEXT NOT NULL,      -- the engine's state after the last step
	verdict TEXT NOT NULL DEFAULT '', -- culprit, set, not-reproduced, …
	commits_json TEXT NOT NULL DEFAULT '[]', -- shas that the verdict names
	posterior REAL,
	evidence_json TEXT NOT NULL DEFAULT '{}',
	why TEXT NOT NULL DEFAULT '',
	created_s INTEGER NOT NULL,
	ended_s INTEGER
) STRICT;

-- One question of the engine and what came back.
CREATE TABLE bisect_step (
	id INTEGER PRIMARY KEY,
	bisect_id INTEGER NOT NULL REFERENCES bisect,
	seq INTEGER NOT NULL,           -- 1, 2, …
	ask_json TEXT NOT NULL,         -- the boots asked for
	result_json TEXT,               -- what came back; NULL while open
	posterior_json TEXT NOT NULL DEFAULT '{}', -- after it
	note TEXT NOT NULL DEFAULT '',  -- one line for the log
	UNIQUE (bisect_id, seq)
) STRICT;

-- A kernel: built once per (tree, kconfig, toolchain, layout).
CREATE TABLE artifact (
	id INTEGER PRIMARY KEY,
	repo_id INTEGER NOT NULL REFERENCES repo,
	tree TEXT NOT NULL,
	kconfig TEXT NOT NULL,          -- fragments, as in repo.kconfig
	layout INTEGER NOT NULL,        -- 0: as configured; n: a code layout
	commit_id INTEGER NOT NULL REFERENCES git_commit, -- the first that asked
	state TEXT NOT NULL CHECK (state IN ('wanted', 'building', 'done', 'failed')),
	key TEXT,                       -- content key; names the folder
	kernel_path TEXT,
	build_id TEXT,                  -- GNU build-id, hex
	seconds REAL,
	why TEXT NOT NULL DEFAULT '',   -- failed: the first error line
	UNIQUE (repo_id, tree, kconfig, layout)
) STRICT;
CREATE INDEX artifact_failed ON artifact (id) WHERE state = 'failed';

-- One boot that somebody wants, with its runs.
CREATE TABLE plan (
	id INTEGER PRIMARY KEY,
	job_id INTEGER NOT NULL REFERENCES job,
	comparison_id INTEGER NOT NULL REFERENCES comparison,
	step_id INTEGER REFERENCES bisect_step, -- NULL: for the comparison itself
	seq INTEGER NOT NULL,           -- order inside the comparison
	commit_id INTEGER NOT NULL REFERENCES git_commit,
	artifact_id INTEGER REFERENCES artifact, -- NULL: no kernel is built
	box_id INTEGER NOT NULL REFERENCES box,
	layout INTEGER NOT NULL DEFAULT 0,
	nr_runs INTEGER NOT NULL CHECK (nr_runs BETWEEN 1 AND 1000),
	state TEXT NOT NULL CHECK (state IN
		('queued', 'leased', 'done', 'failed', 'cancelled')),
	tries INTEGER NOT NULL DEFAULT 0,
	not_before_s INTEGER NOT NULL DEFAULT 0, -- back-off after infra trouble
	failure TEXT NOT NULL DEFAULT '', -- build, boot, bench, infra, …
	why TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX plan_by_state ON plan (state, box_id);
CREATE INDEX plan_by_comparison ON plan (comparison_id);
CREATE INDEX plan_queue ON plan (job_id, box_id, comparison_id, seq)
	WHERE state = 'queued';
CREATE INDEX plan_by_artifact ON plan (artifact_id);

-- One try of a worker process at a build or a boot.
CREATE TABLE attempt (
	id INTEGER PRIMARY KEY,
	kind TEXT NOT NULL CHECK (kind IN ('build', 'run')),
	artifact_id INTEGER REFERENCES artifact, -- build
	plan_id INTEGER REFERENCES plan,         -- run
	box_id INTEGER REFERENCES box,           -- run
	folder TEXT NOT NULL,           -- task folder
	token TEXT NOT NULL UNIQUE,     -- fencing token
	state TEXT NOT NULL CHECK (state IN
		('leased', 'done', 'failed', 'infra', 'lost', 'cancelled')),
	failure TEXT NOT NULL DEFAULT '',
	why TEXT NOT NULL DEFAULT '',
	started_s INTEGER NOT NULL,
	ended_s INTEGER
) STRICT;
CREATE INDEX attempt_by_state ON attempt (state);
CREATE INDEX attempt_by_plan ON attempt (plan_id);
CREATE INDEX attempt_by_artifact ON attempt (artifact_id);

-- One verified boot of a kernel on a box: the unit of replication.
CREATE TABLE boot (
	id INTEGER PRIMARY KEY,
	attempt_id INTEGER NOT NULL UNIQUE REFERENCES attempt,
	plan_id INTEGER NOT NULL REFERENCES plan,
	box_id INTEGER NOT NULL REFERENCES box,
	commit_id INTEGER NOT NULL REFERENCES git_commit,
	artifact_id INTEGER REFERENCES artifact,
	layout INTEGER NOT NULL,
	boot_id TEXT NOT NULL,          -- /proc/sys/kernel/random/boot_id
	build_id TEXT NOT NULL,         -- as the running kernel says
	booted_s INTEGER NOT NULL,
	boot_seconds REAL NOT NULL,
	invariants_json TEXT NOT NULL DEFAULT '{}'
) STRICT;
CREATE INDEX boot_by_plan ON boot (plan_id);

-- One execution of the benchmark inside a boot.
CREATE TABLE run (
	id INTEGER PRIMARY KEY,
	boot_id INTEGER NOT NULL REFERENCES boot,
	series_id INTEGER NOT NULL REFERENCES series,
	commit_id INTEGER NOT NULL REFERENCES git_commit,
	seq INTEGER NOT NULL,           -- 1, 2, … inside the boot
	state TEXT NOT NULL CHECK (state IN ('done', 'failed')),
	why TEXT NOT NULL DEFAULT '',
	started_s INTEGER NOT NULL,
	seconds REAL NOT NULL,
	UNIQUE (boot_id, seq)
) STRICT;
CREATE INDEX run_by_series ON run (series_id, commit_id);

CREATE TABLE metric (
	id INTEGER PRIMARY KEY,
	name TEXT NOT NULL UNIQUE
) STRICT;

-- One scalar per run and metric. No secondary index: it would cost 13 times.
CREATE TABLE sample (
	run_id INTEGER NOT NULL REFERENCES run,
	metric_id INTEGER NOT NULL REFERENCES metric,
	value REAL NOT NULL,
	PRIMARY KEY (run_id, metric_id)
) STRICT, WITHOUT ROWID;

-- Headline candidates only, by series, for trends.
CREATE TABLE kpi (
	series_id INTEGER NOT NULL REFERENCES series,
	metric_id INTEGER NOT NULL REFERENCES metric,
	run_id INTEGER NOT NULL REFERENCES run,
	value REAL NOT NULL,
	PRIMARY KEY (series_id, metric_id, run_id)
) STRICT, WITHOUT ROWID;

-- Failure rows: dmesg.*, last_state.*, stderr.* seen in a run.
CREATE TABLE run_failure (
	run_id INTEGER NOT NULL REFERENCES run,
	name TEXT NOT NULL,
	PRIMARY KEY (run_id, name)
) STRICT, WITHOUT ROWID;

-- A/A results per series and box.
CREATE TABLE calibration (
	id INTEGER PRIMARY KEY,
	series_id INTEGER NOT NULL REFERENCES series,
	box_id INTEGER NOT NULL REFERENCES box,
	metric TEXT NOT NULL,
	at_s INTEGER NOT NULL,
	dof INTEGER NOT NULL,
	sd_ratio REAL NOT NULL,         -- one run in a fresh boot, of the mean
	boot_share REAL NOT NULL,       -- of the variance, between boots
	layout_sd_ratio REAL NOT NULL DEFAULT 0,
	drift_ratio REAL NOT NULL DEFAULT 0,
	verdict TEXT NOT NULL DEFAULT 'ok'
) STRICT;

CREATE TABLE regression (
	id INTEGER PRIMARY KEY,
	comparison_id INTEGER NOT NULL UNIQUE REFERENCES comparison,
	bisect_id INTEGER REFERENCES bisect,
	culprit_id INTEGER REFERENCES git_commit,
	state TEXT NOT NULL CHECK (state IN ('open', 'confirmed', 'fixed',
		'documented', 'invalid', 'dup', 'wrong-bisect')),
	created_s INTEGER NOT NULL
) STRICT;

CREATE TABLE state_change (
	id INTEGER PRIMARY KEY,
	regression_id INTEGER NOT NULL REFERENCES regression,
	at_s INTEGER NOT NULL,
	from_state TEXT NOT NULL,
	to_state TEXT NOT NULL,
	who TEXT NOT NULL,
	why TEXT NOT NULL
) STRICT;

-- Mail that must go out: written in the verdict's transaction.
CREATE TABLE outbox (
	id INTEGER PRIMARY KEY,
	message_id TEXT NOT NULL UNIQUE, -- without <>; also the folder's name
	job_id INTEGER NOT NULL REFERENCES job,
	comparison_id INTEGER REFERENCES comparison,
	subject TEXT NOT NULL,
	body TEXT NOT NULL,             -- UTF-8 text, LF
	headers_json TEXT NOT NULL,     -- from, to[], cc[], in_reply_to, references
	state TEXT NOT NULL CHECK (state IN ('queued', 'sent', 'failed')),
	tries INTEGER NOT NULL DEFAULT 0,
	next_try_s INTEGER NOT NULL DEFAULT 0,
	last_error TEXT NOT NULL DEFAULT '',
	refused_json TEXT NOT NULL DEFAULT '[]', -- recipients refused for good
	accepted_json TEXT NOT NULL DEFAULT '[]', -- recipients done
	created_s INTEGER NOT NULL,
	sent_s INTEGER
) STRICT;
CREATE INDEX outbox_by_state ON outbox (state, next_try_s);

CREATE TABLE mail_in (
	id INTEGER PRIMARY KEY,
	at_s INTEGER NOT NULL,
	message_id TEXT NOT NULL,
	sender TEXT NOT NULL,
	action TEXT NOT NULL,
	why TEXT NOT NULL DEFAULT ''
) STRICT;

-- What happened, for `drover log`, `drover watch` and the job page.
CREATE TABLE event (
	id INTEGER PRIMARY KEY,
	at_s INTEGER NOT NULL,
	job_id INTEGER REFERENCES job,  -- NULL: about the lab
	kind TEXT NOT NULL,             -- stage, verdict, retry, box, mail, …
	text TEXT NOT NULL
) STRICT;
CREATE INDEX event_by_job ON event (job_id, id);
