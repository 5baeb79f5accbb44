-- Indexes for what the daemon asks, which does nothing else meanwhile. A lab
-- that has run for years has a million boots: no question may read them all.

-- Progress of a job; boots of a bisection's step; who waits for a kernel.
CREATE INDEX plan_by_job ON plan (job_id);
CREATE INDEX plan_by_step ON plan (step_id) WHERE step_id IS NOT NULL;
CREATE INDEX plan_waits ON plan (artifact_id) WHERE state = 'queued';

-- The bisections of a comparison, and those that may want a kernel ahead.
CREATE INDEX bisect_by_comparison ON bisect (comparison_id);
CREATE INDEX bisect_running ON bisect (comparison_id) WHERE state = 'running';

-- What waits for a flow after a start; what was measured of late, where; what
-- was measured of two commits.
CREATE INDEX comparison_open ON comparison (id)
	WHERE state IN ('new', 'running', 'bisecting');
CREATE INDEX comparison_done ON comparison (created_s, box_id, series_id)
	WHERE state = 'done';
CREATE INDEX comparison_by_pair ON comparison (base_id, head_id);

-- Whether a report's identifier is taken; the reports of a job.
ALTER TABLE comparison ADD COLUMN report TEXT; -- NULL: it heads no report
UPDATE comparison SET report = json_extract(evidence_json, '$.report');
CREATE INDEX comparison_by_report ON comparison (report)
	WHERE report IS NOT NULL;
CREATE INDEX outbox_by_job ON outbox (job_id);

-- How long a boot takes on a box, and a build.
CREATE INDEX attempt_done ON attempt (kind, box_id) WHERE state = 'done';

-- The kernels that are there, by the folder that they share.
CREATE INDEX artifact_done ON artifact (key) WHERE state = 'done';
