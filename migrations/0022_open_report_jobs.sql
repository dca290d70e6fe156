-- Each request of a PDF counts the waiting PDFs of its tenant. With this index, the cost depends only on waiting ones.
CREATE INDEX report_jobs_open ON report_jobs (tenant_id) WHERE status IN ('queued', 'running');
