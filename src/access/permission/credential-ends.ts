import { sql } from "drizzle-orm";
import type { CredentialRef, Refusal } from "../../platform/caller";
import { type Database, rowsOf, runBatch } from "../../platform/db/database";
import { reusable } from "../../platform/db/reusable";
import { accessTokens, sessions } from "../tables";
import { type CredentialRow, credentialKey, endOf, selectSessions, selectTokens } from "./credential";

/** Until when a credential lives, milliseconds, null for ever; or why it does not any more. */
export type CredentialEnd = { expiresAt: number | null } | { ended: Refusal };

const oneOf = (set: string) => sql`IN (SELECT value FROM json_each(${sql.placeholder(set)}))`;
const someSessions = reusable<"sessionIds">(() => selectSessions(sql`${sessions.id} ${oneOf("sessionIds")}`));
const someTokens = reusable<"tokenIds">(() => selectTokens(sql`${accessTokens.id} ${oneOf("tokenIds")}`));

const firstEnd = (a: number | null, b: number | null): number | null => {
  const end = Math.min(a ?? Infinity, b ?? Infinity);
  return end === Infinity ? null : end;
};

/** How each of these credentials stands now, in their order: one batch, whatever their number. */
export async function loadCredentialEnds(
  db: Database,
  refs: readonly CredentialRef[],
  now: number,
): Promise<CredentialEnd[]> {
  const idsOf = (kind: CredentialRef["kind"]) => {
    const ids = refs.filter((ref) => ref.kind === kind).map((ref) => ref.id);
    return JSON.stringify([...new Set(ids)]);
  };
  const [sessionRows, tokenRows] = await runBatch(db, [
    someSessions({ sessionIds: idsOf("session") }),
    someTokens({ tokenIds: idsOf("pat") }),
  ]);
  const rows = new Map<string, CredentialRow>();
  for (const row of rowsOf<CredentialRow>(sessionRows)) rows.set(credentialKey({ kind: "session", id: row.id }), row);
  for (const row of rowsOf<CredentialRow>(tokenRows)) rows.set(credentialKey({ kind: "pat", id: row.id }), row);
  return refs.map((ref) => {
    if (ref.expiresAt !== null && ref.expiresAt <= now) return { ended: "expired" };
    if (ref.kind !== "session" && ref.kind !== "pat") return { expiresAt: ref.expiresAt };
    const row = rows.get(credentialKey(ref));
    const ended = row === undefined || row.userId !== ref.userId ? "unknown" : endOf(row, now);
    return ended === null ? { expiresAt: firstEnd(row?.expiresAt ?? null, ref.expiresAt) } : { ended };
  });
}
