import { type SQL, sql } from "drizzle-orm";
import { type Caller, isUser } from "../platform/caller";
import type { Context } from "../platform/context";
import type { Statement } from "../platform/db/database";
import { newId } from "../platform/ids";
import { auditEntries } from "./tables";

/** Who acts, through which session or token. */
export interface Actor {
  userId: string | null;
  kind: Caller["kind"];
  credentialId: string | null;
}

export interface AuditEntry {
  /** Null for what is a person's own: sessions, tokens, the personal workspace. */
  organizationId: string | null;
  /** `noun.verb`, such as `grant.created`. */
  action: string;
  subjectType: string;
  subjectId: string;
  /** What changed, in the API's own words; never a secret. */
  details?: Record<string, unknown>;
  /** Who acts, where it is not the caller of this context: somebody who is only just signing in. */
  actor?: Actor;
  /** Writes the row only where this holds at its point of the batch, such as `changes() > 0`. */
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

/** Who a caller is to the audit trail: what work that goes on after the request is done in the name of. */
export const actorOf = (caller: Caller): Actor => ({
  userId: isUser(caller) ? caller.userId : null,
  kind: caller.kind,
  credentialId: credentialOf(caller),
});

/** The audit row of a change, to be committed in the same batch: who, through what, what, from where. */
export function auditStatement(context: Context, entry: AuditEntry): Statement {
  const { caller, origin, db, now, requestId } = context;
  const actor = entry.actor ?? actorOf(caller);
  const row = {
    id: newId(),
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
  if (entry.when === undefined) return db.insert(auditEntries).values(row);
  const values = Object.values({ ...row, details: JSON.stringify(row.details) }).map((value) => sql`${value}`);
  return db.insert(auditEntries).select(sql`SELECT ${sql.join(values, sql`, `)} WHERE ${entry.when}`);
}
