import { z } from "@hono/zod-openapi";
import { and, asc, eq, gt } from "drizzle-orm";
import {
  assignWorkspace,
  auditStatement,
  insertMembership,
  insertOrganization,
  levelsAt,
  type MoveProgress,
  movesUnderWay,
  pageAcross,
  READ,
  ROLES,
  readPerson,
  requireLevel,
  requireOrganizationAdmin,
  requireUser,
  scopeOf,
  type UserCaller,
  updateOrganization,
} from "../../access";
import { memberships, organizations } from "../../access/tables";
import { SIGN_IN_REQUIREMENTS, type SignInRequirement } from "../../platform/caller";
import type { Context } from "../../platform/context";
import { beginChange, type Change } from "../../platform/db/change";
import { type PageQuery, readCursor, toPage } from "../../platform/db/cursor";
import { NO_WORKSPACE } from "../../platform/db/residence";
import { inSet } from "../../platform/db/statements";
import { DomainError, forbidden, notFound } from "../../platform/errors";
import { checkPrecondition, type Precondition, staleRevision } from "../../platform/http/revision";
import { idSchema, newWorkspaceId } from "../../platform/ids";
import {
  DEFAULT_RECOGNITION_LANGUAGES,
  RECOGNITION_LANGUAGES,
  type RecognitionLanguage,
} from "../../platform/languages/recognition";
import { toUtc } from "../../platform/time";
import { announceEnd } from "../deletion";
import { editableFields, idKey, levelsSchema } from "../fields";
import { mayOwnMore, ownsMost } from "../roles";
import { organizationPath } from "../spatial";

export type OrganizationRow = typeof organizations.$inferSelect;

export const organizationSchema = z
  .object({
    id: idSchema,
    name: z.string(),
    role: z.enum(ROLES).openapi({ description: "The caller's role." }),
    capabilities: levelsSchema,
    recognizesScans: z
      .boolean()
      .openapi({ description: "Whether the text of scans and photos is recognized. Only an owner may change it." }),
    recognitionLanguages: z.array(z.enum(RECOGNITION_LANGUAGES)).openapi({
      description: "The languages in which the text of scans and photos is recognized. Only an owner may change them.",
    }),
    signInRequirement: z.enum(SIGN_IN_REQUIREMENTS).openapi({
      description:
        "The members who must sign in with a passkey, or with a second factor after the password: none of them, owners and admins, or all of them. These members have nothing here with another sign-in. Only an owner may change it.",
    }),
    moving: z.object({ done: z.int(), total: z.int() }).nullable().openapi({
      description:
        "Set while it moves to another database: how much of it is copied. It can be read, and changes get `workspace-moving`.",
    }),
    ...editableFields,
  })
  .openapi("Organization");

/** Presents an organization, with the caller's role and capabilities. @param moving the progress of its move */
export function presentOrganization(
  caller: UserCaller,
  row: OrganizationRow,
  moving: MoveProgress | null = null,
): z.infer<typeof organizationSchema> {
  return {
    id: row.id,
    name: row.name,
    role: caller.facts.memberships.find((m) => m.organizationId === row.id)?.role ?? "guest",
    capabilities: levelsAt(caller.facts, organizationPath(row.id)),
    recognizesScans: row.recognizesScans,
    recognitionLanguages: row.recognitionLanguages ?? [...DEFAULT_RECOGNITION_LANGUAGES],
    signInRequirement: row.signInRequirement,
    moving,
    revision: row.revision,
    createdAtUtc: toUtc(row.createdAt),
    updatedAtUtc: toUtc(row.updatedAt),
  };
}

/** Refuses a token that is restricted to organizations, or that lacks Write of OrganizationView. @throws DomainError forbidden. */
export function requireUnrestrictedToken({ facts: { limits } }: UserCaller): void {
  if (limits.organizationIds !== null)
    throw forbidden("This token is restricted to certain organizations. Use a token without that restriction.");
  if (limits.ceiling !== null && limits.ceiling.OrganizationView !== "Write")
    throw forbidden("This token does not have Write of OrganizationView. Use a token that has it.");
}

/** Lists the organizations that the caller is a member of and may see, ordered by id. */
export async function listOrganizations(context: Context, { limit, cursor }: PageQuery) {
  const caller = requireUser(context);
  const [after] = readCursor(cursor, idKey) ?? [""];
  const rows = await pageAcross(context, limit + 1, (there) => {
    const { tenants } = scopeOf(requireUser(there).facts, "OrganizationView", "content", { includeShared: false });
    return there.workspace
      .select()
      .from(organizations)
      .where(and(inSet(organizations.id, tenants), gt(organizations.id, after)))
      .orderBy(asc(organizations.id))
      .limit(limit + 1);
  });
  const moving = await movesUnderWay(
    context,
    rows.map(({ id }) => id),
  );
  return toPage(
    rows,
    limit,
    (row) => [row.id],
    (row) => presentOrganization(caller, row, moving.get(row.id)),
  );
}

/** Reads an organization without an access check. @throws DomainError 404. */
export async function findOrganization(
  { workspace }: Pick<Context, "workspace">,
  organizationId: string,
): Promise<OrganizationRow> {
  const [row] = await workspace.select().from(organizations).where(eq(organizations.id, organizationId));
  if (row === undefined) throw notFound();
  return row;
}

/** Reads an organization that the caller is a member of. @throws DomainError 401, 404 (absent or hidden). */
export async function readOrganization(context: Context, organizationId: string): Promise<OrganizationRow> {
  requireLevel(context, organizationPath(organizationId), "OrganizationView", "OrganizationView", READ);
  return findOrganization(context, organizationId);
}

/**
 * Creates an organization with the operator's default entitlements. The caller becomes its owner.
 * @throws DomainError 401, 403, 422 (also for an unknown region), 503 if no database has room
 */
export async function createOrganization(
  context: Context,
  { name, region }: { name: string; region?: string | undefined },
) {
  const caller = requireUser(context);
  requireUnrestrictedToken(caller);
  const { now, settings } = context;
  const row: OrganizationRow = {
    id: newWorkspaceId(),
    name,
    revision: 1,
    cameras: settings.DEFAULT_CAMERAS,
    externalShares: settings.DEFAULT_EXTERNAL_SHARES,
    documentStorageBytes: settings.DEFAULT_STORAGE_BYTES,
    jobsPerMonth: settings.DEFAULT_JOBS_PER_MONTH,
    maxRetentionDays: settings.DEFAULT_MAX_RETENTION_DAYS,
    recognizesScans: true,
    recognitionLanguages: null,
    signInRequirement: "none",
    createdAt: now,
    updatedAt: now,
    deletedAt: null,
    deletedBy: null,
    purgeAt: null,
    removalAt: null,
  };
  const membership = { organizationId: row.id, role: "owner" as const, overrides: {} };
  const person = await readPerson(context, caller.userId);
  if (person === undefined) throw new Error("a caller has no user");
  const there = await assignWorkspace(context, row.id, caller.userId, region);
  await beginChange(there, NO_WORKSPACE)
    .guard(await mayOwnMore(there, caller.userId), ownsMost())
    .add(...insertOrganization(there, row), ...insertMembership(there, person, { ...membership, createdAt: now }))
    .add(
      auditStatement(there, {
        organizationId: row.id,
        action: "organization.created",
        subjectType: "organization",
        subjectId: row.id,
        details: { name, ...(region !== undefined && { region }) },
      }),
    )
    .commit();
  return presentOrganization(asOwner(caller, row), row);
}

/** The caller with the new membership, so that the answer shows the state after the change. */
const asOwner = (caller: UserCaller, row: OrganizationRow): UserCaller => {
  const { cameras, externalShares } = row;
  const membership = { organizationId: row.id, role: "owner" as const, overrides: {}, cameras, externalShares };
  return { ...caller, facts: { ...caller.facts, memberships: [...caller.facts.memberships, membership] } };
};

interface OrganizationChange {
  name?: string | undefined;
  recognizesScans?: boolean | undefined;
  recognitionLanguages?: RecognitionLanguage[] | undefined;
  /** Reads the scans again that are recognized already. */
  recognizeAgain?: boolean | undefined;
  signInRequirement?: SignInRequirement | undefined;
}

/**
 * Renames an organization, for its owners and admins. Its owners also switch the recognition of scans on or off, and require a
 * passkey or a second factor of its members. When recognition is switched on, the scans that were left are read. Who requires
 * more of a sign-in has signed in with it: so nobody shuts themselves out. @throws DomainError 401, 403, 404, 409, 412, 422.
 */
export async function changeOrganization(
  context: Context,
  organizationId: string,
  given: OrganizationChange,
  precondition: Precondition,
) {
  const caller = requireOrganizationAdmin(context, organizationId);
  if (given.recognizesScans !== undefined && !isOwner(caller, organizationId))
    throw forbidden("Only an owner may switch the recognition of scans on or off.");
  if ((given.recognitionLanguages ?? given.recognizeAgain) !== undefined && !isOwner(caller, organizationId))
    throw forbidden("Only an owner may change the languages of recognition.");
  const requirement = given.signInRequirement;
  if (requirement !== undefined) assertMayRequire(caller, organizationId, requirement);
  const row = await findOrganization(context, organizationId);
  checkPrecondition(precondition, row.revision);
  const next = {
    name: given.name ?? row.name,
    recognizesScans: given.recognizesScans ?? row.recognizesScans,
    recognitionLanguages: given.recognitionLanguages ?? row.recognitionLanguages,
    signInRequirement: requirement ?? row.signInRequirement,
  };
  const change = beginChange(context, organizationId)
    .add(updateOrganization(context, row, next))
    .guardChanged(staleRevision());
  const audit = (action: string, from: unknown, to: unknown) =>
    change.add(
      auditStatement(context, {
        organizationId,
        action,
        subjectType: "organization",
        subjectId: organizationId,
        details: { from, to },
      }),
    );
  if (given.name !== undefined) audit("organization.renamed", row.name, next.name);
  if (given.recognizesScans !== undefined)
    audit("organization.recognition-changed", row.recognizesScans, next.recognizesScans);
  if (given.recognitionLanguages !== undefined)
    audit("organization.recognition-languages-changed", row.recognitionLanguages, next.recognitionLanguages);
  if (requirement !== undefined) audit("organization.sign-in-requirement-changed", row.signInRequirement, requirement);
  if (next.signInRequirement !== row.signInRequirement) await announceRequirement(context, change, organizationId);
  if (next.recognizesScans && !row.recognizesScans) resumeRecognition(change, organizationId);
  if (given.recognizeAgain === true)
    change.job(
      "recognize-again",
      { organizationId },
      { tenantId: organizationId, dedupeKey: `recognize-again:${organizationId}` },
    );
  await change.commit();
  return presentOrganization(caller, { ...row, ...next, revision: row.revision + 1, updatedAt: context.now });
}

/** @throws DomainError forbidden, rule-violated. */
function assertMayRequire(caller: UserCaller, organizationId: string, requirement: SignInRequirement): void {
  if (!isOwner(caller, organizationId))
    throw forbidden("Only an owner may change what the organization requires of a sign-in.");
  if (requirement !== "none" && !caller.facts.limits.isProven)
    throw new DomainError(
      "rule-violated",
      "Sign in with a passkey, or with the password and a second factor, before you require it of others.",
    );
}

/** Announces that the access of members may have changed, so that live connections are checked again. */
async function announceRequirement({ workspace }: Context, change: Change, organizationId: string): Promise<void> {
  const members = await workspace
    .select({ id: memberships.userId })
    .from(memberships)
    .where(eq(memberships.organizationId, organizationId));
  announceEnd(
    change,
    members.map(({ id }) => id),
    organizationId,
  );
}

const isOwner = ({ facts }: UserCaller, organizationId: string): boolean =>
  facts.memberships.some((m) => m.organizationId === organizationId && m.role === "owner");

/** Queues the scans that were left while recognition was off or the jobs of the month were used up. */
export const resumeRecognition = (change: Change, organizationId: string): string =>
  change.job(
    "resume-recognition",
    { organizationId },
    { tenantId: organizationId, dedupeKey: `resume-recognition:${organizationId}` },
  );
