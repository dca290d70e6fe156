import { z } from "@hono/zod-openapi";
import { and, count, desc, eq, gt, isNull, lt, ne, or, type SQL, sql } from "drizzle-orm";
import type { AccessFacts } from "../../platform/caller";
import { capabilityMapSchema } from "../../platform/capabilities";
import type { Context } from "../../platform/context";
import { randomHex, sha256Hex } from "../../platform/crypto/bytes";
import { beginDirectoryChange } from "../../platform/db/change";
import { type PageQuery, readCursor, toPage } from "../../platform/db/cursor";
import { DomainError, notFound } from "../../platform/errors";
import { lineSchema } from "../../platform/http/fields";
import { checkPrecondition, type Precondition, staleRevision } from "../../platform/http/revision";
import { orNull } from "../../platform/http/router";
import { idSchema, newId } from "../../platform/ids";
import { instantOrNullSchema, toUtc, toUtcOrNull, utcSchema } from "../../platform/time";
import { auditStatement } from "../audit";
import { writeToken } from "../authentication";
import { MAX_ORGANIZATIONS_PER_TOKEN, MAX_TOKENS_PER_USER } from "../limits";
import { requireSignIn } from "../require";
import { accessTokens } from "../tables";

const name = lineSchema(100).openapi({ example: "nightly export" });
const expiresAtUtc = instantOrNullSchema.openapi({
  description: "Time at which the token expires. Null: it does not expire.",
});
const organizationIds = z
  .array(idSchema)
  .min(1)
  .max(MAX_ORGANIZATIONS_PER_TOKEN)
  .transform((ids) => [...new Set(ids)])
  .nullable()
  .openapi({
    description:
      "The organizations that the token gives access to. Null: all organizations and the personal workspace.",
  });
const capabilities = orNull(capabilityMapSchema).openapi({
  description:
    "The maximum level of each capability. A capability without an entry has the level None. Null: no maximum.",
});

export const tokenCreateSchema = z
  .strictObject({
    name,
    expiresAtUtc: expiresAtUtc.default(null),
    organizationIds: organizationIds.default(null),
    capabilities: capabilities.default(null),
  })
  .openapi("PersonalAccessTokenCreate");
type TokenCreate = z.infer<typeof tokenCreateSchema>;

export const tokenEditSchema = z
  .strictObject({
    name: name.optional(),
    expiresAtUtc: expiresAtUtc.optional(),
    organizationIds: organizationIds.optional(),
    capabilities: capabilities.optional(),
    baseRevision: z.int().min(1).optional(),
  })
  .openapi("PersonalAccessTokenUpdate");
type TokenEdit = Omit<z.infer<typeof tokenEditSchema>, "baseRevision">;

export const tokenSchema = z
  .object({
    id: idSchema,
    name: z.string(),
    organizationIds: z.array(idSchema).nullable(),
    capabilities: orNull(capabilityMapSchema),
    hasSecondFactor: z.boolean().openapi({
      description:
        "Whether the session that made it was opened with a passkey or a second factor, or an external issuer has signed the person in. An organization that requires one takes no other tokens.",
    }),
    revision: z.int(),
    createdAtUtc: utcSchema,
    expiresAtUtc: utcSchema.nullable(),
    lastUsedAtUtc: utcSchema.nullable().openapi({ description: "Time of the last use, accurate to five minutes." }),
  })
  .openapi("PersonalAccessToken");

export const createdTokenSchema = tokenSchema
  .extend({ token: z.string().openapi({ description: "The secret. Only this response contains it." }) })
  .openapi("CreatedPersonalAccessToken");

type TokenRow = typeof accessTokens.$inferSelect;

export const presentToken = (row: TokenRow): z.infer<typeof tokenSchema> => ({
  id: row.id,
  name: row.name,
  organizationIds: row.organizationIds,
  capabilities: row.capabilities,
  hasSecondFactor: row.isProven,
  revision: row.revision,
  createdAtUtc: toUtc(row.createdAt),
  expiresAtUtc: toUtcOrNull(row.expiresAt),
  lastUsedAtUtc: toUtcOrNull(row.lastUsedAt),
});

/**
 * Checks the restrictions of a token: its owner must be a member of each organization or have a grant in it. The refusal
 * is the same for organizations that do not exist. @throws DomainError rule-violated.
 */
function checkTokenLimits(
  facts: AccessFacts,
  { organizationIds, expiresAt }: { organizationIds?: readonly string[] | null; expiresAt?: number | null },
  now: number,
): void {
  const reached = new Set([...facts.memberships, ...facts.grants].map((fact) => fact.organizationId));
  if (organizationIds?.some((id) => !reached.has(id)))
    throw new DomainError("rule-violated", "Name only organizations that you have access to.");
  if (expiresAt != null && expiresAt <= now)
    throw new DomainError("rule-violated", "Name a time in the future for `expiresAtUtc`, or null.");
}

const tooManyTokens = (): DomainError =>
  new DomainError("rule-violated", `You have ${MAX_TOKENS_PER_USER} tokens. Revoke a token that you no longer use.`);

/** Guard: the person has fewer other tokens that have not ended than one person may have. */
function canHoldToken({ directory, now }: Context, { id, userId }: Pick<TokenRow, "id" | "userId">): SQL {
  const live = or(isNull(accessTokens.expiresAt), gt(accessTokens.expiresAt, now));
  const others = directory
    .select({ held: count() })
    .from(accessTokens)
    .where(and(eq(accessTokens.userId, userId), ne(accessTokens.id, id), isNull(accessTokens.revokedAt), live));
  return sql`(${others}) < ${MAX_TOKENS_PER_USER}`;
}

const SECRET_BYTES = 32;

/**
 * Creates a personal access token. Only this answer has its secret.
 * @throws DomainError 401, 403, 422 rule-violated.
 */
export async function createToken(context: Context, given: TokenCreate): Promise<{ row: TokenRow; token: string }> {
  const { userId, facts } = requireSignIn(context);
  const { directory, now } = context;
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
    isProven: facts.limits.isProven,
    revision: 1,
    createdAt: now,
    expiresAt,
    lastUsedAt: null,
    revokedAt: null,
  };
  await beginDirectoryChange(context)
    .guard(canHoldToken(context, row), tooManyTokens())
    .add(
      directory.insert(accessTokens).values(row),
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

/** Reads one of the caller's tokens that is not revoked. @throws DomainError 401, 403, 404. */
export async function readToken(context: Context, tokenId: string): Promise<TokenRow> {
  const { userId } = requireSignIn(context);
  const [row] = await context.directory
    .select()
    .from(accessTokens)
    .where(and(eq(accessTokens.id, tokenId), eq(accessTokens.userId, userId), isNull(accessTokens.revokedAt)));
  if (row === undefined) throw notFound();
  return row;
}

/** Lists the caller's tokens that are not revoked, newest first. Expired ones are listed, because they can be extended. */
export async function listTokens(context: Context, { limit, cursor }: PageQuery) {
  const { userId } = requireSignIn(context);
  const after = readCursor(cursor, z.tuple([z.uuid()]));
  const rows = await context.directory
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

/**
 * Changes a token's name, end or restrictions. The change counts from the next request on.
 * @throws DomainError 401, 403, 404, 409, 412, 422.
 */
export async function editToken(
  context: Context,
  tokenId: string,
  { expiresAtUtc: expiresAt, ...rest }: TokenEdit,
  precondition: Precondition,
): Promise<TokenRow> {
  const { facts } = requireSignIn(context);
  const { directory, now } = context;
  const row = await readToken(context, tokenId);
  checkPrecondition(precondition, row.revision);
  const asked = { ...rest, ...(expiresAt === undefined ? {} : { expiresAt }) };
  const changes = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
  // Only added organizations are checked: a token may keep an organization that its owner has left.
  const kept = new Set(row.organizationIds);
  const added = asked.organizationIds?.filter((id) => !kept.has(id)) ?? null;
  checkTokenLimits(facts, { organizationIds: added, expiresAt: asked.expiresAt ?? null }, now);
  const change = beginDirectoryChange(context);
  // A new end brings back a token that had ended.
  if (asked.expiresAt !== undefined) change.guard(canHoldToken(context, row), tooManyTokens());
  await change
    .add(
      directory
        .update(accessTokens)
        .set({ ...changes, revision: sql`${accessTokens.revision} + 1` })
        .where(
          and(eq(accessTokens.id, row.id), eq(accessTokens.revision, row.revision), isNull(accessTokens.revokedAt)),
        ),
    )
    .guardChanged(staleRevision())
    .add(
      auditStatement(context, {
        organizationId: null,
        action: "token.changed",
        subjectType: "token",
        subjectId: row.id,
        details: changes,
      }),
    )
    .announce({ type: "access-changed", userIds: [row.userId] })
    .commit();
  return readToken(context, tokenId);
}

/** Revokes one of the caller's tokens. The next request with it is refused. @throws DomainError 401, 403, 404. */
export async function revokeToken(context: Context, tokenId: string): Promise<void> {
  const { userId } = requireSignIn(context);
  const { directory, now } = context;
  await beginDirectoryChange(context)
    .add(
      directory
        .update(accessTokens)
        .set({ revokedAt: now })
        .where(and(eq(accessTokens.id, tokenId), eq(accessTokens.userId, userId), isNull(accessTokens.revokedAt))),
    )
    .guardChanged(notFound())
    .announce({ type: "access-changed", userIds: [userId] })
    .add(
      auditStatement(context, {
        organizationId: null,
        action: "token.revoked",
        subjectType: "token",
        subjectId: tokenId,
      }),
    )
    .commit();
}
