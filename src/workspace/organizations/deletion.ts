import { z } from "@hono/zod-openapi";
import { and, desc, eq, exists, isNotNull, isNull, lt, sql } from "drizzle-orm";
import {
  auditStatement,
  readAcross,
  requireOrganizationAdmin,
  requireUser,
  type UserCaller,
  updateOrganization,
} from "../../access";
import { grants, memberships, organizations, type RemovedContents, removalOwners, removals } from "../../access/tables";
import { type Context, inDatabase } from "../../platform/context";
import { beginChange, type Change } from "../../platform/db/change";
import { type PageQuery, readCursor, toPage } from "../../platform/db/cursor";
import { DomainError, forbidden, notFound } from "../../platform/errors";
import { checkPrecondition, type Precondition, staleRevision } from "../../platform/http/revision";
import { idSchema } from "../../platform/ids";
import { DAY, toUtc, toUtcOrNull, utcSchema } from "../../platform/time";
import { announceEnd } from "../deletion";
import { idKey } from "../fields";
import { queueMails } from "../owner-mails";
import { queueRemoval } from "../removal/removal";
import { hasOwner } from "../roles";

type OrganizationRow = typeof organizations.$inferSelect;

export const deletedOrganizationSchema = z
  .object({
    organizationId: idSchema,
    name: z.string(),
    state: z.enum(["recoverable", "removing", "removed"]).openapi({
      description: "`recoverable`: an owner can restore it. `removing`: its contents are being removed.",
    }),
    deletedAtUtc: utcSchema,
    deletedBy: idSchema.nullable(),
    purgeAtUtc: utcSchema.nullable().openapi({ description: "The removal begins then. Null after it has begun." }),
    removalStartedAtUtc: utcSchema.nullable(),
    removedAtUtc: utcSchema.nullable(),
    contents: z
      .array(z.object({ kind: z.string(), count: z.int(), bytes: z.int().nullable() }).openapi("RemovedContents"))
      .openapi({ description: "What there was when the removal began, by kind. Empty before." }),
  })
  .openapi("DeletedOrganization");
type DeletedOrganization = z.infer<typeof deletedOrganizationSchema>;

const presentWaiting = (row: OrganizationRow): DeletedOrganization => ({
  organizationId: row.id,
  name: row.name,
  state: row.removalAt === null ? "recoverable" : "removing",
  deletedAtUtc: toUtc(row.deletedAt ?? 0),
  deletedBy: row.deletedBy,
  purgeAtUtc: row.removalAt === null ? toUtcOrNull(row.purgeAt) : null,
  removalStartedAtUtc: toUtcOrNull(row.removalAt),
  removedAtUtc: null,
  contents: [],
});

const presentReceipt = (row: typeof removals.$inferSelect): DeletedOrganization => ({
  organizationId: row.workspaceId,
  name: row.name ?? "",
  state: row.finishedAt === null ? "removing" : "removed",
  deletedAtUtc: toUtc(row.deletedAt),
  deletedBy: row.deletedBy,
  purgeAtUtc: null,
  removalStartedAtUtc: toUtc(row.startedAt),
  removedAtUtc: toUtcOrNull(row.finishedAt),
  contents: row.contents as RemovedContents[],
});

const ownedBy = (userId: string) =>
  and(eq(memberships.organizationId, organizations.id), eq(memberships.userId, userId), eq(memberships.role, "owner"));

const isOwner = ({ facts }: UserCaller, organizationId: string): boolean =>
  facts.memberships.some((m) => m.organizationId === organizationId && m.role === "owner");

/** Condition for a deleted organization, which the facts do not have: it does not bar this owner. */
const isOpenTo = ({ facts }: UserCaller) =>
  facts.limits.isProven ? undefined : eq(organizations.signInRequirement, "none");

/** A text that sorts after every id. */
const AFTER_ALL_IDS = "~";

/** Owners whom the inbox tells of a deletion. */
const MAX_TOLD_OWNERS = 500;

/** Whether a personal access token may see all organizations of its person. */
const isUnrestricted = ({ facts: { limits } }: UserCaller): boolean =>
  limits.organizationIds === null && limits.ceiling === null;

/**
 * Deletes an organization; only its owners may. It is hidden at once, with its cameras and share links, and waits for the
 * recovery window. With `isPurged` its removal begins at once. @throws DomainError 401, 403, 404, 409, 412.
 */
export async function deleteOrganization(
  context: Context,
  organizationId: string,
  precondition: Precondition,
  isPurged: boolean,
): Promise<void> {
  const { workspace, now, settings } = context;
  const row = isPurged ? await findPurgeable(context, organizationId) : await findDeletable(context, organizationId);
  checkPrecondition(precondition, row.revision);
  const change = beginChange(context, organizationId)
    .add(
      updateOrganization(context, row, {
        deletedAt: row.deletedAt ?? now,
        deletedBy: row.deletedBy ?? requireUser(context).userId,
        purgeAt: isPurged ? now : now + settings.RECOVERY_WINDOW_DAYS * DAY,
        removalAt: isPurged ? now : null,
      }),
    )
    .guardChanged(staleRevision());
  if (row.deletedAt === null) {
    const [members, guests] = await workspace.batch([
      workspace
        .select({ id: memberships.userId, role: memberships.role })
        .from(memberships)
        .where(eq(memberships.organizationId, organizationId)),
      workspace.selectDistinct({ id: grants.userId }).from(grants).where(eq(grants.tenantId, organizationId)),
    ]);
    announceEnd(change, [...new Set([...members, ...guests].map(({ id }) => id))], organizationId);
    // It concerns no workspace: the jobs of this one end with it.
    change.announce({
      type: "organization-deleted",
      organizationId,
      userIds: members.flatMap(({ id, role }) => (role === "owner" ? [id] : [])).slice(0, MAX_TOLD_OWNERS),
      removedFrom: isPurged ? null : now + settings.RECOVERY_WINDOW_DAYS * DAY,
      actorUserId: requireUser(context).userId,
    });
    queueMails(context, change, { organizationId, about: "deleted" });
  }
  if (isPurged) queueRemoval(change, organizationId);
  await change
    .add(
      auditStatement(context, {
        organizationId,
        action: isPurged ? "organization.purged" : "organization.deleted",
        subjectType: "organization",
        subjectId: organizationId,
        details: { name: row.name },
      }),
    )
    .commit()
    .catch(async (thrown: unknown) => {
      // Another request deleted it just now. If it is removed already, the change is refused as if it moved.
      const found = await readRow(context, organizationId);
      const isDone = isPurged ? found.removalAt !== null : found.deletedAt !== null;
      throw isDone && thrown instanceof DomainError && thrown.code === "stale-revision" ? notFound() : thrown;
    });
}

async function readRow({ workspace }: Context, organizationId: string): Promise<OrganizationRow> {
  const [row] = await workspace.select().from(organizations).where(eq(organizations.id, organizationId));
  if (row === undefined) throw notFound();
  return row;
}

/** An organization that the caller owns and that is not deleted. */
async function findDeletable(context: Context, organizationId: string): Promise<OrganizationRow> {
  const caller = requireOrganizationAdmin(context, organizationId);
  if (!isOwner(caller, organizationId)) throw forbidden("Only an owner may delete an organization.");
  return readRow(context, organizationId);
}

/** An organization that the caller owns, deleted or not, whose removal has not begun. */
async function findPurgeable(context: Context, organizationId: string): Promise<OrganizationRow> {
  const caller = requireUser(context);
  const row = await findDeleted(context, organizationId, caller, false);
  return row ?? findDeletable(context, organizationId);
}

/** A deleted organization that can be restored, of this owner or for an administrator of the service. */
async function findDeleted(
  { workspace }: Context,
  organizationId: string,
  caller: UserCaller,
  isAdminEnough: boolean,
): Promise<OrganizationRow | null> {
  if (!isUnrestricted(caller)) return null;
  const owner = workspace.select({ one: sql`1` }).from(memberships).where(ownedBy(caller.userId));
  const [row] = await workspace
    .select()
    .from(organizations)
    .where(
      and(
        eq(organizations.id, organizationId),
        isNotNull(organizations.deletedAt),
        isNull(organizations.removalAt),
        isAdminEnough && caller.isAdmin ? undefined : and(exists(owner), isOpenTo(caller)),
      ),
    );
  return row ?? null;
}

/**
 * Restores a deleted organization with everything in it, for its owners and for administrators of the service.
 * @throws DomainError 401; 404 when its removal has begun; rule-violated if it has no owner any more
 */
export async function restoreOrganization(context: Context, organizationId: string): Promise<void> {
  const caller = requireUser(context);
  const row = await findDeleted(context, organizationId, caller, true);
  // A repeat of the request that restored it.
  const wasRestored = context.idempotency?.kind === "composed" || context.idempotency?.kind === "checked";
  if (row === null && wasRestored && (caller.isAdmin || isOwner(caller, organizationId))) return;
  if (row === null) throw notFound();
  const change: Change = beginChange(context, organizationId)
    .guard(
      hasOwner(organizationId),
      new DomainError("rule-violated", "The organization has no owner any more, so it cannot be restored."),
    )
    .add(updateOrganization(context, row, { deletedAt: null, deletedBy: null, purgeAt: null, removalAt: null }))
    .guardChanged(new DomainError("conflict", "It was restored in the meantime, or its removal has begun."))
    .add(
      auditStatement(context, {
        organizationId,
        action: "organization.restored",
        subjectType: "organization",
        subjectId: organizationId,
        details: { name: row.name },
      }),
    );
  await change.commit();
}

/**
 * Lists deleted organizations of the caller as an owner, and the receipts of those that were removed; all of the service
 * for an administrator who asks for them. Those that wait come first. @throws DomainError 401, 403
 */
export async function listDeletedOrganizations(
  context: Context,
  { limit, cursor, all }: PageQuery & { all: boolean },
): Promise<{ items: DeletedOrganization[]; nextCursor: string | null }> {
  const caller = requireUser(context);
  if (all && !caller.isAdmin) throw forbidden("Only an administrator of the service lists all deleted organizations.");
  if (!isUnrestricted(caller)) return { items: [], nextCursor: null };
  const [before] = readCursor(cursor, idKey) ?? [null];
  const isOwned = sql`${removals.workspaceId} IN (SELECT ${removalOwners.workspaceId} FROM ${removalOwners}
    WHERE ${removalOwners.userId} = ${caller.userId})`;
  const waits = sql`${organizations.id} IN (SELECT id FROM organizations INDEXED BY organizations_to_remove WHERE purge_at > 0)`;
  const owned = sql`${organizations.id} IN (SELECT ${memberships.organizationId} FROM ${memberships}
    WHERE ${memberships.userId} = ${caller.userId} AND ${memberships.role} = 'owner')`;
  const receipts = await context.directory
    .select()
    .from(removals)
    .where(and(isNotNull(removals.name), lt(removals.workspaceId, before ?? AFTER_ALL_IDS), all ? undefined : isOwned))
    .orderBy(desc(removals.workspaceId))
    .limit(limit + 1);
  const readWaiting = ({ workspace }: Context) =>
    workspace
      .select()
      .from(organizations)
      .where(
        and(
          isNotNull(organizations.deletedAt),
          lt(organizations.id, before ?? AFTER_ALL_IDS),
          all ? waits : and(owned, isOpenTo(caller)),
        ),
      )
      .orderBy(desc(organizations.id))
      .limit(limit + 1);
  const everywhere = context.databases.names.map((name) => inDatabase(context, name));
  const waiting = all
    ? (await Promise.all(everywhere.map(readWaiting))).flat()
    : (await readAcross(context, readWaiting)).flat();
  const known = new Set(receipts.map(({ workspaceId }) => workspaceId));
  const rows = [...receipts.map(presentReceipt), ...waiting.filter(({ id }) => !known.has(id)).map(presentWaiting)];
  rows.sort((one, other) => (one.organizationId < other.organizationId ? 1 : -1));
  return toPage(
    rows.slice(0, limit + 1),
    limit,
    (row) => [row.organizationId],
    (row) => row,
  );
}
