import { z } from "@hono/zod-openapi";
import { and, desc, eq, gt, isNull, lt } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { type PageQuery, readCursor, toPage } from "../../platform/db/cursor";
import { requireSession } from "../require";
import { sessions } from "../tables";
import { presentSession, type SessionView } from "./schemas";

/** The caller's live sessions, newest first. @throws DomainError 401, 403. */
export async function listSessions(
  context: Context,
  { limit, cursor }: PageQuery,
): Promise<{ items: SessionView[]; nextCursor: string | null }> {
  const caller = requireSession(context);
  const after = readCursor(cursor, z.tuple([z.uuid()]));
  const rows = await context.db
    .select()
    .from(sessions)
    .where(
      and(
        eq(sessions.userId, caller.userId),
        isNull(sessions.revokedAt),
        gt(sessions.expiresAt, context.now),
        after === null ? undefined : lt(sessions.id, after[0]),
      ),
    )
    .orderBy(desc(sessions.id))
    .limit(limit + 1);
  return toPage(
    rows,
    limit,
    (row) => [row.id],
    (row) => presentSession(row, caller.sessionId),
  );
}
