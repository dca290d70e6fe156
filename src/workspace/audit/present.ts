import { z } from "@hono/zod-openapi";
import type { auditEntries } from "../../access/tables";
import { idSchema } from "../../platform/ids";
import { toUtc, utcSchema } from "../../platform/time";

export const auditEntrySchema = z
  .object({
    id: idSchema,
    action: z.string().openapi({ example: "member.added" }),
    actor: z.object({
      userId: idSchema.nullable(),
      kind: z.string().openapi({ description: "The kind of credential, or `system`." }),
      credentialId: idSchema.nullable().openapi({ description: "Of the session or token." }),
    }),
    subjectType: z.string(),
    subjectId: z.string(),
    details: z.record(z.string(), z.unknown()),
    ip: z.string().nullable(),
    requestId: z.string(),
    createdAtUtc: utcSchema,
  })
  .openapi("AuditEntry");

export const presentEntry = (row: typeof auditEntries.$inferSelect): z.infer<typeof auditEntrySchema> => ({
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
