import { carried } from "./db/carry/declare";
import { committedRequests } from "./http/tables";
import { JOB_LANES } from "./jobs/kinds";
import { jobs } from "./jobs/tables";

const lanes = JOB_LANES.map((lane) => `'${lane}'`).join(", ");

/** Open work of a restored row is in no queue and has no worker: it is sent again. */
const as = {
  sent_at: "iif(row.finished_at IS NULL, 0, row.sent_at)",
  lease_until: "iif(row.status = 'running', 0, row.lease_until)",
};

/** Open jobs of a workspace. Each of the two indexes has the jobs of a tenant by lane. */
export const carriedOfWorkspace = [
  carried(jobs, {
    from: (workspace) => `(SELECT id AS job FROM jobs WHERE lane IN (${lanes}) AND tenant_id = ${workspace}
        AND status = 'queued' AND sent_at IS NULL
      UNION ALL SELECT id FROM jobs WHERE lane IN (${lanes}) AND tenant_id = ${workspace} AND sent_at IS NOT NULL) AS found
      CROSS JOIN jobs AS row ON row.id = found.job`,
    as,
    secrets: ["lease_token"],
    slice: 100,
  }),
];

/** Ended jobs of a workspace, which an operator can read and run again. No index has them. */
export const movedJobs = carried(jobs, {
  part: "ended",
  where: (workspace) => `row.tenant_id = ${workspace} AND row.sent_at IS NULL AND row.status <> 'queued'`,
  as,
  slice: 100,
});

/**
 * The marks of requests whose change is committed: a repeat of such a request can reach the database to which its workspace has
 * moved. They name no workspace, so all of a database are copied. A time takes the place of the workspace: only marks since then.
 */
export const movedMarks = {
  all: { ...carried(committedRequests, {}), isKept: true },
  since: {
    ...carried(committedRequests, { where: (since) => `row.committed_at >= CAST(${since} AS INTEGER)` }),
    isKept: true,
  },
};

/** Jobs of the whole service, and ended jobs, which do not change. */
export const carriedOfService = [
  carried(jobs, {
    part: "service",
    where: "(row.tenant_id IS NULL OR row.sent_at IS NULL AND row.status <> 'queued')",
    as,
    secrets: ["lease_token"],
    slice: 100,
  }),
];
