-- How many PDFs of a tenant wait is asked each time one is asked for: the cost follows those, not all there ever were.
CREATE INDEX report_jobs_open ON report_jobs (tenant_id) WHERE status IN ('queued', 'running');
