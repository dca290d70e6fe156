import { z } from "@hono/zod-openapi";
import { and, desc, eq, gte, lt, type SQL } from "drizzle-orm";
import { requireOrganizationAdmin } from "../../access";
import { auditEntries } from "../../access/tables";
import type { Context } from "../../platform/context";
import { type PageQuery, readCursor, toPage } from "../../platform/db/cursor";
import type { WorkspaceDatabase } from "../../platform/db/database";
import { earliestId, idSchema } from "../../platform/ids";
import { HOUR, toUtc, utcSchema } from "../../platform/time";
import { idKey } from "../fields";

export const auditEntrySchema = z
  .object({
    id: idSchema,
    action: z.string().openapi({ example: "member.added" }),
    actor: z.object({
      userId: idSchema.nullable(),
      kind: z.string().openapi({ description: "The kind of credential, or `system`." }),
      credentialId: idSchema.nullable().openapi({ description: "The id of the session or token." }),
    }),
    subjectType: z.string(),
    subjectId: z.string(),
    details: z.record(z.string(), z.unknown()),
    ip: z.string().nullable(),
    requestId: z.string(),
    createdAtUtc: utcSchema,
  })
  .openapi("AuditEntry");

const presentEntry = (row: typeof auditEntries.$inferSelect): z.infer<typeof auditEntrySchema> => ({
  id: row.id,
  action: row.action,
  actor: { userId: row.actorUserId, kind: row.actorKind, credentialId: row.credentialId },
  subjectType: row.subjectType,
  subjectId: row.subjectId,
  details: row.details,
  ip: row.ip,
  requestId: row.requestId,
  createdAtUtc: toUtc(row.createdAt),
});

interface AuditFilter {
  action?: string | undefined;
  actorUserId?: string | undefined;
  /** Milliseconds since the epoch. `fromUtc` is inclusive, `toUtc` is exclusive. */
  fromUtc?: number | undefined;
  toUtc?: number | undefined;
}

/** Maximum difference between the time in an entry's id and its `createdAt`, milliseconds: clocks of machines differ. */
const MAX_CLOCK_DIFFERENCE_MS = HOUR;

/** Selects one page of audit entries, newest first. Each filter narrows the range of an index. */
function selectEntries(
  workspace: WorkspaceDatabase,
  organizationId: string,
  { action, actorUserId, fromUtc, toUtc }: AuditFilter,
  { before, limit }: { before: string | null; limit: number },
) {
  const filters: (SQL | undefined)[] = [
    eq(auditEntries.organizationId, organizationId),
    before === null ? undefined : lt(auditEntries.id, before),
    action === undefined ? undefined : eq(auditEntries.action, action),
    actorUserId === undefined ? undefined : eq(auditEntries.actorUserId, actorUserId),
    ...(fromUtc === undefined
      ? []
      : [gte(auditEntries.createdAt, fromUtc), gte(auditEntries.id, earliestId(fromUtc - MAX_CLOCK_DIFFERENCE_MS))]),
    ...(toUtc === undefined
      ? []
      : [lt(auditEntries.createdAt, toUtc), lt(auditEntries.id, earliestId(toUtc + MAX_CLOCK_DIFFERENCE_MS))]),
  ];
  return workspace
    .select()
    .from(auditEntries)
    .where(and(...filters))
    .orderBy(desc(auditEntries.id))
    .limit(limit);
}

/** Lists the audit entries of an organization, newest first. Only its owners and admins may. @throws DomainError 401, 403, 404. */
export async function listAudit(context: Context, organizationId: string, query: PageQuery & AuditFilter) {
  requireOrganizationAdmin(context, organizationId);
  const [before] = readCursor(query.cursor, idKey) ?? [null];
  const rows = await selectEntries(context.workspace, organizationId, query, { before, limit: query.limit + 1 });
  return toPage(rows, query.limit, (row) => [row.id], presentEntry);
}
