import { Refusal } from "../setup/project.mjs";

/* What the operator does with deleted organizations: the statements, and the words for their results. */

/** The statement that lists deleted organizations: those that wait, and the receipts of removed ones. */
export const LIST = `SELECT id, name, deleted_at AS deletedAt, deleted_by AS deletedBy, purge_at AS purgeAt,
    removal_at AS startedAt, NULL AS finishedAt, '[]' AS contents
  FROM organizations WHERE deleted_at IS NOT NULL AND id NOT IN (SELECT workspace_id FROM removals)
  UNION ALL SELECT workspace_id, name, deleted_at, deleted_by, NULL, started_at, finished_at, contents
  FROM removals WHERE name IS NOT NULL ORDER BY deletedAt DESC`;

/** Statements that restore an organization until its removal begins, with an audit row, and read it. */
export function restoreStatements(id, { id: auditId, now }) {
  const found = `FROM organizations WHERE id = '${id}'`;
  const waits = `${found} AND deleted_at IS NOT NULL AND removal_at IS NULL
    AND EXISTS (SELECT 1 FROM memberships WHERE organization_id = '${id}' AND role = 'owner')`;
  return [
    `INSERT INTO audit_entries (id, organization_id, actor_kind, action, subject_type, subject_id, details, request_id, created_at)
     SELECT '${auditId}', id, 'system', 'organization.restored', 'organization', id, json_object('name', name), '${auditId}', ${now} ${waits}`,
    `UPDATE organizations SET deleted_at = NULL, deleted_by = NULL, purge_at = NULL, revision = revision + 1, updated_at = ${now}
     WHERE id IN (SELECT id ${waits})`,
    `SELECT name, deleted_at AS deletedAt, removal_at AS startedAt ${found}`,
  ];
}

/** @throws Refusal if the id is none of an organization */
export function readOrganizationId(text) {
  const id = text.toLowerCase();
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) return id;
  throw new Refusal(`"${text}" is not the id of an organization.`);
}

const timeOf = (ms) => new Date(ms).toISOString();

/** One deleted organization in lines for the operator. */
export function described({ id, name, deletedAt, deletedBy, purgeAt, startedAt, finishedAt, contents }) {
  const state =
    finishedAt !== null
      ? `removed by ${timeOf(finishedAt)}`
      : startedAt !== null
        ? `being removed since ${timeOf(startedAt)}`
        : `can be restored until ${timeOf(purgeAt)}`;
  const counted = JSON.parse(contents).map(
    ({ kind, count, bytes }) => `    ${kind}: ${count}${bytes === null ? "" : ` (${bytes} bytes)`}`,
  );
  return [
    `${name} (${id})`,
    `  deleted ${timeOf(deletedAt)} by ${deletedBy ?? "nobody known"}, ${state}`,
    ...counted,
  ].join("\n");
}
