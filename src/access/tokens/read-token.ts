import { z } from "@hono/zod-openapi";
import { and, desc, eq, isNull, lt } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { type PageQuery, readCursor, toPage } from "../../platform/db/cursor";
import { notFound } from "../../platform/errors";
import { requireSession } from "../require";
import { accessTokens } from "../tables";
import { presentToken, type TokenRow } from "./schemas";

/** One of the caller's tokens that is not revoked. @throws DomainError 401, 403, 404. */
export async function readToken(context: Context, tokenId: string): Promise<TokenRow> {
  const { userId } = requireSession(context);
  const [row] = await context.db
    .select()
    .from(accessTokens)
    .where(and(eq(accessTokens.id, tokenId), eq(accessTokens.userId, userId), isNull(accessTokens.revokedAt)));
  if (row === undefined) throw notFound();
  return row;
}

/** The caller's tokens that are not revoked, newest first; expired ones may be given a new end. */
export async function listTokens(context: Context, { limit, cursor }: PageQuery) {
  const { userId } = requireSession(context);
  const after = readCursor(cursor, z.tuple([z.uuid()]));
  const rows = await context.db
    .select()
    .from(accessTokens)
    .where(
      and(
        eq(accessTokens.userId, userId),
        isNull(accessTokens.revokedAt),
        after === null ? undefined : lt(accessTokens.id, after[0]),
      ),
    )
    .orderBy(desc(accessTokens.id))
    .limit(limit + 1);
  return toPage(rows, limit, (row) => [row.id], presentToken);
}
