import { and, asc, eq, gt, inArray, type SQL, sql } from "drizzle-orm";
import { type AccessFacts, credentialKey, levelAt, READ, userRef } from "../access";
import { grants, memberships } from "../access/tables";
import type { Context } from "../platform/context";
import { inSet } from "../platform/db/sets";
import { loadAccessAtLocation } from "../workspace";
import type { Audience, Draft } from "./draft";
import { notificationPreferences } from "./tables";

/** People looked at in one slice of the job. */
export const AUDIENCE_PAGE = 200;

/**
 * The next people of an audience after `after`, by user id: at most `AUDIENCE_PAGE`, before access is asked.
 * An organization of any size is gone through page by page.
 */
async function candidates({ db }: Context, audience: Audience, after: string): Promise<string[]> {
  switch (audience.kind) {
    case "users":
      return audience.userIds
        .filter((id) => id > after)
        .sort()
        .slice(0, AUDIENCE_PAGE);
    case "administrators": {
      const rows = await db
        .select({ userId: memberships.userId })
        .from(memberships)
        .where(
          and(
            eq(memberships.organizationId, audience.organizationId),
            gt(memberships.userId, after),
            inArray(memberships.role, ["owner", "admin"]),
          ),
        )
        .orderBy(asc(memberships.userId))
        .limit(AUDIENCE_PAGE);
      return rows.map((row) => row.userId);
    }
    case "location":
    case "document": {
      const within = audience.kind === "document" ? [audience.documentId] : [];
      const named = inSet(grants.targetId, [...within, audience.locationId, audience.clusterId]);
      const members: SQL = sql`SELECT ${memberships.userId} AS user_id FROM ${memberships}
        WHERE ${memberships.organizationId} = ${audience.organizationId} AND ${memberships.userId} > ${after}`;
      const outsiders: SQL = sql`SELECT ${grants.userId} AS user_id FROM ${grants} WHERE ${named} AND ${grants.userId} > ${after}`;
      const rows = await db.all<{ user_id: string }>(
        sql`${members} UNION ${outsiders} UNION SELECT ${audience.tenantId} AS user_id
          WHERE ${audience.organizationId} IS NULL AND ${audience.tenantId} > ${after} ORDER BY user_id LIMIT ${AUDIENCE_PAGE}`,
      );
      return rows.map((row) => row.user_id);
    }
  }
}

/** Whom of these the draft may be shown to now, as people, whatever they sign in with. */
async function allowed(context: Context, draft: Draft, userIds: readonly string[]): Promise<string[]> {
  const { audience } = draft;
  if (audience.kind === "users" || audience.kind === "administrators") return [...userIds];
  const isDocument = audience.kind === "document";
  const [capability, level] = isDocument ? (["Documents", READ] as const) : [audience.capability, audience.level];
  const { facts } = await loadAccessAtLocation(
    context.db,
    userIds.map(userRef),
    audience.locationId,
    isDocument ? [audience.documentId] : [],
    context.now,
  );
  const mayRead = (found: AccessFacts | undefined) =>
    found !== undefined && levelAt(found, capability, audience) >= level;
  return userIds.filter((id) => mayRead(facts.get(credentialKey(userRef(id)))));
}

export interface AudiencePage {
  userIds: string[];
  /** Where the next page goes on; null after the last. */
  next: string | null;
}

/** One page of those who get the notification: may see it, have not turned it off, did not cause it. */
export async function audiencePage(context: Context, draft: Draft, after: string): Promise<AudiencePage> {
  const found = await candidates(context, draft.audience, after);
  const others = found.filter((id) => id !== draft.actorUserId);
  const may = await allowed(context, draft, others);
  const off = await context.db
    .select({ userId: notificationPreferences.userId })
    .from(notificationPreferences)
    .where(
      and(
        inSet(notificationPreferences.userId, may),
        eq(notificationPreferences.type, draft.type),
        eq(notificationPreferences.inApp, false),
      ),
    );
  const declined = new Set(off.map((row) => row.userId));
  return {
    userIds: may.filter((id) => !declined.has(id)),
    next: found.length === AUDIENCE_PAGE ? (found.at(-1) ?? null) : null,
  };
}
