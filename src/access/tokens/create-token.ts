import { and, count, eq, gt, isNull, or, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { randomHex, sha256Hex } from "../../platform/crypto/hash";
import { beginChange } from "../../platform/db/change";
import { DomainError } from "../../platform/errors";
import { newId } from "../../platform/ids";
import { auditStatement } from "../audit";
import { writeToken } from "../authentication/token";
import { requireSession } from "../require";
import { accessTokens } from "../tables";
import { checkTokenLimits, MOST_TOKENS } from "./rules";
import type { TokenCreate, TokenRow } from "./schemas";

const SECRET_BYTES = 32;

/**
 * Makes a personal access token; its secret is in this answer alone.
 * @throws DomainError 401, 403, 422 rule-violated.
 */
export async function createToken(context: Context, given: TokenCreate): Promise<{ row: TokenRow; token: string }> {
  const { userId, facts } = requireSession(context);
  const { db, now } = context;
  const { name, organizationIds, capabilities, expiresAtUtc: expiresAt } = given;
  checkTokenLimits(facts, { organizationIds, expiresAt }, now);
  const secret = randomHex(SECRET_BYTES);
  const row: TokenRow = {
    id: newId(),
    userId,
    name,
    secretHash: await sha256Hex(secret),
    organizationIds,
    capabilities,
    revision: 1,
    createdAt: now,
    expiresAt,
    lastUsedAt: null,
    revokedAt: null,
  };
  const live = or(isNull(accessTokens.expiresAt), gt(accessTokens.expiresAt, now));
  const held = db
    .select({ held: count() })
    .from(accessTokens)
    .where(and(eq(accessTokens.userId, userId), isNull(accessTokens.revokedAt), live));
  await beginChange(context)
    .guard(
      sql`(${held}) < ${MOST_TOKENS}`,
      new DomainError("rule-violated", `You have ${MOST_TOKENS} tokens. Revoke one that is no longer used.`),
    )
    .add(
      db.insert(accessTokens).values(row),
      auditStatement(context, {
        organizationId: null,
        action: "token.created",
        subjectType: "token",
        subjectId: row.id,
        details: { name, organizationIds, capabilities },
      }),
    )
    .commit();
  return { row, token: writeToken(row.id, secret) };
}
