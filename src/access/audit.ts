import { type SQL, sql } from "drizzle-orm";
import { type Caller, isUser } from "../platform/caller";
import type { Context } from "../platform/context";
import { newId, newIdIn } from "../platform/ids";
import { noteWorkspace } from "../platform/log";
import { auditEntries } from "./tables";

/** The user who acts, and the session or token that they use. */
export interface Actor {
  userId: string | null;
  kind: Caller["kind"];
  credentialId: string | null;
}

export interface AuditEntry {
  /** Null for resources of one person: sessions, tokens, the personal workspace. */
  organizationId: string | null;
  /** `noun.verb`, such as `grant.created`. */
  action: string;
  subjectType: string;
  subjectId: string;
  /** The changed fields, with the names of the API. Never a secret. */
  details?: Record<string, unknown>;
  /** The actor, if it is not the caller of the context: a person who signs in with this change. */
  actor?: Actor;
  /** Writes the row only if this condition holds at its position in the batch, such as `changes() > 0`. */
  when?: SQL;
}

function credentialOf(caller: Caller): string | null {
  switch (caller.kind) {
    case "session":
      return caller.sessionId;
    case "pat":
      return caller.tokenId;
    case "device":
      return caller.credentialId;
    default:
      return null;
  }
}

/** The caller as an actor of the audit trail. Jobs that continue after the request use it too. */
export const actorOf = (caller: Caller): Actor => ({
  userId: isUser(caller) ? caller.userId : null,
  kind: caller.kind,
  credentialId: credentialOf(caller),
});

/** The statement that writes the audit row of a change. Commit it in the same batch. */
export function auditStatement(context: Context, entry: AuditEntry) {
  const { caller, origin, workspace, now, requestId } = context;
  const actor = entry.actor ?? actorOf(caller);
  if (entry.organizationId !== null) noteWorkspace(entry.organizationId);
  const row = {
    id: entry.organizationId === null ? newId() : newIdIn(entry.organizationId),
    organizationId: entry.organizationId,
    actorUserId: actor.userId,
    actorKind: actor.kind,
    credentialId: actor.credentialId,
    action: entry.action,
    subjectType: entry.subjectType,
    subjectId: entry.subjectId,
    details: entry.details ?? {},
    ip: origin?.ip ?? null,
    requestId,
    createdAt: now,
  } satisfies typeof auditEntries.$inferInsert;
  if (entry.when === undefined) return workspace.insert(auditEntries).values(row);
  const values = Object.values({ ...row, details: JSON.stringify(row.details) }).map((value) => sql`${value}`);
  return workspace.insert(auditEntries).select(sql`SELECT ${sql.join(values, sql`, `)} WHERE ${entry.when}`);
}
