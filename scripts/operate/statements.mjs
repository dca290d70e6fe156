import { quoted } from "../databases/execute.mjs";

/* The statements of the commands that show and repair the work of the service. Each reads a bounded number of rows. */

/** Jobs of a set that a count reads, as `MAX_COUNTED_JOBS` of src/administration/limits.ts. */
export const MAX_COUNTED = 10_000;
/** Rows of a table. */
export const MAX_LISTED = 50;
/** Names of organizations that a search reads. */
export const MAX_NAMES = 20_000;
const LANES = ["live", "delivery", "light", "extraction", "verification", "printing", "recognition"];

const byKind = (set) => `SELECT kind, code, count(*) AS count, min(run_at) AS dueAt
  FROM (SELECT kind, error_code AS code, run_at FROM jobs WHERE ${set} LIMIT ${MAX_COUNTED + 1}) GROUP BY kind, code`;

/** The statements of `status` about one database: objects to purge, running jobs, failed jobs, then waiting jobs by lane. */
export const statusStatements = (hasWorkspaces) => [
  hasWorkspaces
    ? `SELECT count(*) AS waiting, min(purge_after) AS first FROM (SELECT purge_after FROM stored_objects
           WHERE purge_after IS NOT NULL ORDER BY purge_after LIMIT ${MAX_COUNTED + 1})`
    : "SELECT 0 AS waiting, NULL AS first",
  byKind("lease_until > 0"),
  byKind("status = 'failed' AND finished_at IS NOT NULL ORDER BY finished_at DESC"),
  ...LANES.flatMap((lane) =>
    ["sent_at IS NULL", "sent_at IS NOT NULL"].map((sent) =>
      byKind(`lane = '${lane}' AND status = 'queued' AND ${sent}`),
    ),
  ),
];

/** The statements of `status` about the directory: sizes of the last 30 days, and the last complete backup. */
export const directoryStatements = (now) => [
  `SELECT database, day, bytes FROM database_sizes WHERE day >= ${Math.floor(now / 86_400_000) - 30} ORDER BY day LIMIT 5000`,
  "SELECT max(completed_at) AS completedAt FROM backups",
];

/** The failed jobs of one database, the newest failure first, and one more than the table has. */
export const FAILED_JOBS = `SELECT j.id, j.kind, j.error_code AS code, j.error_detail AS detail, j.attempts, j.finished_at AS finishedAt,
    j.tenant_id AS workspace
  FROM (SELECT * FROM jobs WHERE status = 'failed' AND finished_at IS NOT NULL ORDER BY finished_at DESC LIMIT ${MAX_LISTED + 1}) j
  ORDER BY j.finished_at DESC`;

/** @param {string} id */
export const readJob = (id) =>
  `SELECT id, kind, status, payload, tenant_id AS workspace, error_code AS code FROM jobs WHERE id = ${quoted(id)}`;

/**
 * Statements by which a new job takes the place of a failed one, as when an administrator runs it again, with an audit row. The sweeper
 * of the service sends it. Nothing happens if the job has not failed, or its workspace is not here or is closed to changes.
 * @param {{ id: string, newId: string, auditId: string, lane: string, waits: boolean, now: number }} given
 */
export function retryStatements({ id, newId, auditId, lane, waits, now }) {
  const isNew = `EXISTS (SELECT 1 FROM jobs n WHERE n.id = ${quoted(newId)})`;
  return [
    `INSERT INTO jobs (id, kind, lane, tenant_id, payload, status, run_at, sent_at, request_id, created_at)
     SELECT ${quoted(newId)}, kind, ${quoted(lane)}, tenant_id, payload, 'queued', ${now}, ${waits ? "NULL" : 0}, ${quoted(auditId)}, ${now}
     FROM jobs WHERE id = ${quoted(id)} AND status = 'failed' AND finished_at IS NOT NULL
       AND (tenant_id IS NULL OR EXISTS (SELECT 1 FROM residents WHERE workspace_id = jobs.tenant_id AND state = 'here'
         AND coalesce(closed_until, 0) <= ${now}))`,
    `DELETE FROM jobs WHERE id = ${quoted(id)} AND status = 'failed' AND ${isNew}`,
    `INSERT INTO audit_entries (id, actor_kind, action, subject_type, subject_id, details, request_id, created_at)
     SELECT ${quoted(auditId)}, 'system', 'jobs.rerun', 'job', ${quoted(id)},
       json_object('reason', 'operator', 'jobs', json_array(json_object('jobId', ${quoted(id)}, 'newJobId', ${quoted(newId)}))),
       ${quoted(auditId)}, ${now} WHERE ${isNew}`,
    `SELECT id FROM jobs WHERE id = ${quoted(newId)}`,
  ];
}

/** The names of one database, in their order. */
export const NAMES = `SELECT id, name FROM organizations ORDER BY name COLLATE NOCASE, id LIMIT ${MAX_NAMES + 1}`;

/** The statements of `organization`: its facts, its owners, and its open and failed jobs. @param {string} id */
export const organizationStatements = (id) => {
  const of = quoted(id);
  const count = (from) => `(SELECT count(*) FROM ${from})`;
  const jobsOf = (set) => count(`(SELECT 1 FROM jobs WHERE ${set} LIMIT ${MAX_COUNTED})`);
  const inLanes = `lane IN (${LANES.map(quoted).join(", ")})`;
  return [
    `SELECT o.id, o.name, o.created_at AS createdAt, o.deleted_at AS deletedAt, o.purge_at AS purgeAt,
       o.document_storage_bytes AS storageBytes, o.cameras AS mayHaveCameras, s.used_bytes AS usedBytes,
       ${count("memberships WHERE organization_id = o.id")} AS members,
       ${count("locations WHERE tenant_id = o.id AND deleted_at IS NULL")} AS locations,
       ${count("cameras WHERE organization_id = o.id AND retired_at IS NULL")} AS cameras,
       (SELECT state FROM residents WHERE workspace_id = o.id) AS state
     FROM organizations o LEFT JOIN storage_usage s ON s.tenant_id = o.id WHERE o.id = ${of}`,
    `SELECT p.email FROM memberships m JOIN people p ON p.id = m.user_id
     WHERE m.organization_id = ${of} AND m.role = 'owner' ORDER BY p.email LIMIT ${MAX_LISTED}`,
    `SELECT ${jobsOf(`${inLanes} AND tenant_id = ${of} AND status = 'queued' AND sent_at IS NULL`)}
       + ${jobsOf(`${inLanes} AND tenant_id = ${of} AND sent_at IS NOT NULL`)} AS waiting`,
    `SELECT id, kind, error_code AS code, finished_at AS finishedAt FROM (SELECT * FROM jobs
       WHERE status = 'failed' AND finished_at IS NOT NULL ORDER BY finished_at DESC LIMIT ${MAX_COUNTED})
     WHERE tenant_id = ${of} ORDER BY finished_at DESC LIMIT ${MAX_LISTED + 1}`,
  ];
};

/** The statements of `user` in the directory. @param {string} email as accounts store it */
export const userStatements = (email, now) => {
  const of = `(SELECT id FROM users WHERE email = ${quoted(email)})`;
  const live = `user_id = ${of} AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${now})`;
  return [
    `SELECT id, email, display_name AS name, email_verified_at AS verifiedAt, external_issuer AS issuer, is_admin AS isAdmin,
       language, created_at AS createdAt FROM users WHERE email = ${quoted(email)}`,
    `SELECT count(*) AS count, max(last_used_at) AS lastUsedAt FROM sessions WHERE ${live}`,
    `SELECT count(*) AS count, max(last_used_at) AS lastUsedAt FROM access_tokens WHERE ${live}`,
  ];
};

/** The memberships of a person in one database, and one more than the table has. @param {string} userId */
export const membershipsOf = (userId) =>
  `SELECT o.id, o.name, m.role, m.created_at AS createdAt FROM memberships m JOIN organizations o ON o.id = m.organization_id
   JOIN residents r ON r.workspace_id = o.id AND r.state IN ('here', 'leaving')
   WHERE m.user_id = ${quoted(userId)} ORDER BY o.name COLLATE NOCASE LIMIT ${MAX_LISTED + 1}`;
