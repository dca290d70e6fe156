import { z } from "@hono/zod-openapi";
import { and, desc, eq, gt, isNull, lte, not, or, type SQL, sql } from "drizzle-orm";
import { type AccessFacts, auditStatement, holds, levelAt, READ, requireLevel, requireUser } from "../../access";
import type { Context } from "../../platform/context";
import { randomHex, sha256Hex } from "../../platform/crypto/bytes";
import { secretTokens } from "../../platform/crypto/tokens";
import { beginChange } from "../../platform/db/change";
import { isHere } from "../../platform/db/residence";
import { inSet } from "../../platform/db/statements";
import { DomainError, notFound } from "../../platform/errors";
import { lineSchema } from "../../platform/http/fields";
import { checkPrecondition, type Precondition, staleRevision } from "../../platform/http/revision";
import { idSchema, newIdIn } from "../../platform/ids";
import { complete, continueLater, type RecurringHandler } from "../../platform/jobs/handlers";
import { instantOrNullSchema, toUtc, toUtcOrNull, utcSchema } from "../../platform/time";
import { fewerThan, locationExists, locationPath, locationUnchanged, requireLocation } from "../../workspace";
import { locations } from "../../workspace/tables";
import {
  ENDED_LINK_RETENTION,
  LINKS_DELETED_PER_SLICE,
  MAX_ACTIVE_LINKS,
  MAX_CAMERAS_PER_LINK,
  MAX_LISTED_ENDED_LINKS,
} from "../limits";
import { cameraAssignments, cameraShares } from "../tables";
import { hashPasscode, newPasscodeSchema } from "./passcode";

export type ShareRow = typeof cameraShares.$inferSelect;

/** Tokens of links: `svcshare1.<id without hyphens>.<64 hex characters of the secret>`. */
export const { write: writeShareToken, read: readShareToken } = secretTokens("svcshare1");

const name = lineSchema(200).openapi({ description: "The page of the link shows it." });
const cameraIds = z
  .array(idSchema)
  .min(1)
  .max(MAX_CAMERAS_PER_LINK)
  .refine((ids) => new Set(ids).size === ids.length, "must name each camera once");

const terms = {
  expiresAtUtc: instantOrNullSchema.optional(),
  showFromUtc: instantOrNullSchema.optional().openapi({ description: "Only images from this time on are shown." }),
  showUntilUtc: instantOrNullSchema.optional().openapi({ description: "Only images up to this time are shown." }),
  passcode: newPasscodeSchema.optional(),
  hideMetadata: z.boolean().optional().openapi({
    description:
      "Whether images have pixels, orientation and colours alone, and captures no facts of the original. Default for a new link: true.",
  }),
  showGapCauses: z.boolean().optional().openapi({
    description: "Whether gaps of the timeline show their causes. Default for a new link: true.",
  }),
};

export const newShareSchema = z.strictObject({ name, cameraIds, ...terms }).openapi("CameraShareCreate");
type NewShare = z.infer<typeof newShareSchema>;

export const shareChangeSchema = z
  .strictObject({
    baseRevision: z.int().min(1),
    name: name.optional(),
    cameraIds: cameraIds.optional(),
    ...terms,
  })
  .openapi("CameraShareUpdate");
type ShareChange = z.infer<typeof shareChangeSchema>;

const fields = {
  id: idSchema,
  locationId: idSchema,
  name: z.string(),
  cameraIds: z.array(idSchema),
  revision: z.int(),
  createdAtUtc: utcSchema,
  createdBy: idSchema.nullable(),
  expiresAtUtc: utcSchema.nullable(),
  showFromUtc: utcSchema.nullable(),
  showUntilUtc: utcSchema.nullable(),
  hasPasscode: z.boolean(),
  hideMetadata: z.boolean(),
  showGapCauses: z.boolean(),
  revokedAtUtc: utcSchema.nullable(),
  lastUsedAtUtc: utcSchema.nullable().openapi({ description: "Exact to a few minutes." }),
};
export const shareSchema = z.object(fields).openapi("CameraShare");

export const createdShareSchema = z
  .object({
    ...fields,
    token: z.string().openapi({
      description:
        "The secret. Only this response contains it. Requests with the link send it in the header X-Camera-Share.",
    }),
    url: z.string().openapi({ description: "A page that shows the cameras; the token is in its fragment." }),
  })
  .openapi("CreatedCameraShare");

/** A link on the wire, without its secret. */
const presentShare = (row: ShareRow): z.infer<typeof shareSchema> => ({
  id: row.id,
  locationId: row.locationId,
  name: row.name,
  cameraIds: row.cameraIds,
  revision: row.revision,
  createdAtUtc: toUtc(row.createdAt),
  createdBy: row.createdBy,
  expiresAtUtc: toUtcOrNull(row.expiresAt),
  showFromUtc: toUtcOrNull(row.shownFrom),
  showUntilUtc: toUtcOrNull(row.shownUntil),
  hasPasscode: row.passcodeHash !== null,
  hideMetadata: row.hidesMetadata,
  showGapCauses: row.showsGapCauses,
  revokedAtUtc: toUtcOrNull(row.revokedAt),
  lastUsedAtUtc: toUtcOrNull(row.lastUsedAt),
});

const SECRET_BYTES = 32;

const tooMany = (): DomainError =>
  new DomainError(
    "rule-violated",
    `The location has ${MAX_ACTIVE_LINKS} links in use, which is the maximum. Revoke one that is no longer needed.`,
  );

/**
 * Makes a link to cameras of a location. Only this response contains its secret. Requires ExternalShareLinksCreate and
 * Read of the cluster, the location and its cameras.
 * @throws DomainError 401, 403, 404, 422 rule-violated.
 */
export async function createShare(context: Context, locationId: string, given: NewShare) {
  const { workspace, now, settings } = context;
  const location = await requireLocation(context, locationId, "ExternalShareLinksCreate", READ);
  const place = locationPath(location);
  for (const capability of ["ClusterView", "LocationView", "LocationCameras"] as const)
    requireLevel(context, place, "ExternalShareLinksCreate", capability, READ);
  // Entitlements give an organization cameras and links: a personal workspace was refused above.
  if (location.organizationId === null) throw notFound();
  requireFutureExpiry(given.expiresAtUtc, now);
  const shown = { shownFrom: given.showFromUtc ?? null, shownUntil: given.showUntilUtc ?? null };
  requireShownTime(shown);
  await requireCamerasOf(context, locationId, given.cameraIds);
  const secret = randomHex(SECRET_BYTES);
  const row: ShareRow = {
    id: newIdIn(location.tenantId),
    tenantId: location.tenantId,
    organizationId: location.organizationId,
    locationId,
    name: given.name,
    cameraIds: given.cameraIds,
    secretHash: await sha256Hex(secret),
    ...shown,
    passcodeHash: await hashPasscode(given.passcode ?? null),
    hidesMetadata: given.hideMetadata ?? true,
    showsGapCauses: given.showGapCauses ?? true,
    revision: 1,
    createdBy: requireUser(context).userId,
    createdAt: now,
    updatedAt: now,
    expiresAt: given.expiresAtUtc ?? null,
    revokedAt: null,
    lastUsedAt: null,
  };
  const ofLocation = and(eq(cameraShares.locationId, locationId), isActive(now));
  const others = sql`SELECT 1 FROM ${cameraShares} WHERE ${ofLocation}`;
  await beginChange(context, row.tenantId)
    .guard(locationUnchanged(location), notFound())
    .guard(fewerThan(MAX_ACTIVE_LINKS, others), tooMany())
    .add(
      workspace.insert(cameraShares).values(row),
      auditStatement(context, {
        organizationId: row.organizationId,
        action: "camera-share.created",
        subjectType: "camera-share",
        subjectId: row.id,
        details: { locationId, ...auditedOf(row) },
      }),
    )
    .commit();
  const token = writeShareToken(row.id, secret);
  return { ...presentShare(row), token, url: `${settings.PUBLIC_BASE_URL}/s#${token}` };
}

export const sharesSchema = z
  .object({
    permissions: z.object({ canCreate: z.boolean(), canManage: z.boolean() }),
    links: z.array(shareSchema),
  })
  .openapi("CameraShareList");

/**
 * The caller's permissions for links to a location's cameras, and the links that they may manage: active links, newest
 * first, then the links that ended. @throws DomainError 401, 403, 404.
 */
export async function listShares(context: Context, locationId: string): Promise<z.infer<typeof sharesSchema>> {
  const { workspace, now } = context;
  const location = await requireLocation(context, locationId, "LocationCameras", READ);
  const caller = requireUser(context);
  const place = locationPath(location);
  const canManage = holds(caller, "ExternalShareLinksManage", place);
  const canCreate = (["ExternalShareLinksCreate", "ClusterView", "LocationView"] as const).every((capability) =>
    holds(caller, capability, place),
  );
  const permissions = { canCreate, canManage };
  if (!canManage) return { permissions, links: [] };
  const active = isActive(now) ?? sql`1`;
  const ofLocation = eq(cameraShares.locationId, locationId);
  const newest = desc(cameraShares.id);
  const [inUse, ended] = await workspace.batch([
    workspace.select().from(cameraShares).where(and(ofLocation, active)).orderBy(newest).limit(MAX_ACTIVE_LINKS),
    workspace
      .select()
      .from(cameraShares)
      .where(and(ofLocation, not(active)))
      .orderBy(newest)
      .limit(MAX_LISTED_ENDED_LINKS),
  ]);
  return { permissions, links: [...inUse, ...ended].map(presentShare) };
}

const hasEnded = (): DomainError =>
  new DomainError("rule-violated", "This link has ended permanently. Create a new one.");

type Terms = ShownTime &
  Pick<ShareRow, "name" | "cameraIds" | "expiresAt" | "passcodeHash" | "hidesMetadata" | "showsGapCauses">;

/** The terms of a link as the audit keeps them: without the hash of its passcode. */
const auditedOf = (of: Terms) => {
  const { name, cameraIds, expiresAt, shownFrom, shownUntil, hidesMetadata, showsGapCauses } = of;
  const hasPasscode = of.passcodeHash !== null;
  return { name, cameraIds, expiresAt, shownFrom, shownUntil, hidesMetadata, showsGapCauses, hasPasscode };
};

const auditOf = (row: ShareRow, verb: "updated" | "revoked") => ({
  organizationId: row.organizationId,
  action: `camera-share.${verb}`,
  subjectType: "camera-share",
  subjectId: row.id,
});

/**
 * Changes a link; its token stays the same. Adding cameras requires Read of LocationCameras.
 * @throws DomainError 401, 403, 404, 409, 412, 422 rule-violated.
 */
export async function updateShare(context: Context, shareId: string, given: ShareChange, precondition: Precondition) {
  const row = await requireShare(context, shareId);
  checkPrecondition(precondition, row.revision);
  if (row.revokedAt !== null || (row.expiresAt ?? Number.POSITIVE_INFINITY) <= context.now) throw hasEnded();
  requireFutureExpiry(given.expiresAtUtc, context.now);
  const added = (given.cameraIds ?? []).filter((id) => !row.cameraIds.includes(id));
  if (added.length > 0) {
    await requireLocation(context, row.locationId, "LocationCameras", READ);
    await requireCamerasOf(context, row.locationId, added);
  }
  const written = {
    name: given.name ?? row.name,
    cameraIds: given.cameraIds ?? row.cameraIds,
    expiresAt: given.expiresAtUtc === undefined ? row.expiresAt : given.expiresAtUtc,
    shownFrom: given.showFromUtc === undefined ? row.shownFrom : given.showFromUtc,
    shownUntil: given.showUntilUtc === undefined ? row.shownUntil : given.showUntilUtc,
    passcodeHash: given.passcode === undefined ? row.passcodeHash : await hashPasscode(given.passcode),
    hidesMetadata: given.hideMetadata ?? row.hidesMetadata,
    showsGapCauses: given.showGapCauses ?? row.showsGapCauses,
    revision: row.revision + 1,
    updatedAt: context.now,
  };
  requireShownTime(written);
  await write(context, row, written, { ...auditOf(row, "updated"), details: auditedOf(written) });
  return presentShare({ ...row, ...written });
}

/** Ends a link permanently; a repeat changes nothing. @throws DomainError 401, 403, 404, 409, 412. */
export async function revokeShare(context: Context, shareId: string, precondition: Precondition) {
  const row = await requireShare(context, shareId, { whateverEntitled: true });
  if (row.revokedAt !== null) return presentShare(row);
  checkPrecondition(precondition, row.revision);
  const written = { revokedAt: context.now, revision: row.revision + 1, updatedAt: context.now };
  await write(context, row, written, auditOf(row, "revoked"));
  return presentShare({ ...row, ...written });
}

async function write(
  context: Context,
  row: ShareRow,
  written: Partial<ShareRow>,
  entry: Parameters<typeof auditStatement>[1],
): Promise<void> {
  const unchanged = and(
    eq(cameraShares.id, row.id),
    eq(cameraShares.revision, row.revision),
    isNull(cameraShares.revokedAt),
  );
  await beginChange(context, row.tenantId)
    .guard(locationExists(row.locationId), notFound())
    .add(context.workspace.update(cameraShares).set(written).where(unchanged))
    .guardChanged(staleRevision())
    .add(auditStatement(context, entry))
    .commit();
}

const entitled = { externalShares: true };
const withSharingEntitled = (facts: AccessFacts): AccessFacts => ({
  ...facts,
  memberships: facts.memberships.map((membership) => ({ ...membership, ...entitled })),
  grants: facts.grants.map((grant) => ({ ...grant, ...entitled })),
});

/**
 * A link that the caller may edit and revoke: requires ExternalShareLinksManage at its location. Callers who cannot see
 * the cameras there get 404. With `whateverEntitled` it also works while the organization may not share with
 * strangers, so that existing links can be revoked. @throws DomainError 401, 403, 404.
 */
async function requireShare(context: Context, shareId: string, { whateverEntitled = false } = {}): Promise<ShareRow> {
  const { facts } = requireUser(context);
  const [found] = await context.workspace
    .select({ share: cameraShares, location: locations })
    .from(cameraShares)
    .innerJoin(locations, and(eq(locations.id, cameraShares.locationId), isNull(locations.deletedAt)))
    .where(eq(cameraShares.id, shareId));
  if (found === undefined) throw notFound();
  const place = locationPath(found.location);
  const manages = levelAt(withSharingEntitled(facts), "ExternalShareLinksManage", place) >= READ;
  const sees = levelAt(facts, "LocationCameras", place) >= READ;
  if (!(whateverEntitled && manages && sees))
    requireLevel(context, place, "LocationCameras", "ExternalShareLinksManage", READ);
  return found.share;
}

/** SQL that selects links that are neither revoked nor expired. */
export const isActive = (now: number): SQL | undefined =>
  and(isNull(cameraShares.revokedAt), or(isNull(cameraShares.expiresAt), gt(cameraShares.expiresAt, now)));

const notAtLocation = (): DomainError =>
  new DomainError(
    "rule-violated",
    "A link shows cameras that are or were at its location. Remove the others from `cameraIds`.",
  );

/** Refuses cameras that were never at the location. The error does not reveal whether they exist. @throws DomainError 422. */
async function requireCamerasOf(
  { workspace }: Context,
  locationId: string,
  cameraIds: readonly string[],
): Promise<void> {
  const [found] = await workspace
    .select({ cameras: sql<number>`count(DISTINCT ${cameraAssignments.cameraId})` })
    .from(cameraAssignments)
    .where(and(eq(cameraAssignments.locationId, locationId), inSet(cameraAssignments.cameraId, cameraIds)));
  if (found?.cameras !== cameraIds.length) throw notAtLocation();
}

type ShownTime = Pick<ShareRow, "shownFrom" | "shownUntil">;

/** Requires that the shown time does not end before it begins. @throws DomainError 422 rule-violated. */
function requireShownTime({ shownFrom, shownUntil }: ShownTime): void {
  if (shownFrom !== null && shownUntil !== null && shownFrom > shownUntil)
    throw new DomainError("rule-violated", "`showUntilUtc` is before `showFromUtc`. Exchange them.");
}

/** Requires an end in the future, or none. @throws DomainError 422 rule-violated. */
function requireFutureExpiry(expiresAt: number | null | undefined, now: number): void {
  if (expiresAt != null && expiresAt <= now)
    throw new DomainError("rule-violated", "`expiresAtUtc` has passed. Give a time in the future, or null.");
}

/** Deletes links that ended long ago. A link ends at its own time, not through this job. */
export const expireShares: RecurringHandler<"expire-camera-shares"> = {
  hasWork: ({
    now,
  }) => sql`EXISTS (SELECT 1 FROM ${cameraShares} WHERE ${lte(cameraShares.revokedAt, now - ENDED_LINK_RETENTION)})
    OR EXISTS (SELECT 1 FROM ${cameraShares} WHERE ${lte(cameraShares.expiresAt, now - ENDED_LINK_RETENTION)})`,
  async run(context) {
    const { workspace } = context;
    const before = Date.now() - ENDED_LINK_RETENTION;
    const ended = (time: typeof cameraShares.revokedAt | typeof cameraShares.expiresAt) =>
      workspace
        .select({ id: cameraShares.id, tenantId: cameraShares.tenantId })
        .from(cameraShares)
        .where(and(lte(time, before), isHere(cameraShares.tenantId)))
        .limit(LINKS_DELETED_PER_SLICE);
    const [revoked, expired] = await workspace.batch([ended(cameraShares.revokedAt), ended(cameraShares.expiresAt)]);
    const change = beginChange(
      context,
      [...revoked, ...expired].map((link) => link.tenantId),
    ).add(
      workspace
        .delete(cameraShares)
        .where(or(inSet(cameraShares.id, idsOf(revoked)), inSet(cameraShares.id, idsOf(expired)))),
    );
    return revoked.length === LINKS_DELETED_PER_SLICE || expired.length === LINKS_DELETED_PER_SLICE
      ? continueLater(null, { change })
      : complete(change);
  },
};

const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);
