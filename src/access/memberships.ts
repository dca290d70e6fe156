/**
 * The writes of organizations, memberships and grants: statements for the change of a caller, who checks access and
 * adds guards. An update or removal applies only to the revision that was read: use `guardChanged` after it.
 */
import { and, eq, lte, sql } from "drizzle-orm";
import type { Context } from "../platform/context";
import type { Statement } from "../platform/db/database";
import { insertResident, removeResident } from "../platform/db/residence";
import { inSet } from "../platform/db/statements";
import { insertPerson, type Person } from "./people";
import { grants, memberships, organizations } from "./tables";

type Db = Pick<Context, "workspace">;
type Organization = typeof organizations.$inferSelect;
type Membership = typeof memberships.$inferSelect;
type Grant = typeof grants.$inferSelect;

/** A row at the revision that was read. */
type AtRevision<Row extends { revision: number }, Key extends keyof Row> = Pick<Row, Key | "revision">;

const isOrganization = ({ id, revision }: AtRevision<Organization, "id">) =>
  and(eq(organizations.id, id), eq(organizations.revision, revision));

const isMembership = ({ organizationId, userId, revision }: AtRevision<Membership, "organizationId" | "userId">) =>
  and(
    eq(memberships.organizationId, organizationId),
    eq(memberships.userId, userId),
    eq(memberships.revision, revision),
  );

const isGrant = ({ id, revision }: AtRevision<Grant, "id">) => and(eq(grants.id, id), eq(grants.revision, revision));

/** Creates an organization in this database. */
export const insertOrganization = ({ workspace }: Db, row: typeof organizations.$inferInsert): Statement[] => [
  insertResident(workspace, row.id),
  workspace.insert(organizations).values(row),
];

export const updateOrganization = (
  { workspace, now }: Pick<Context, "workspace" | "now">,
  row: AtRevision<Organization, "id">,
  next: Partial<Omit<Organization, "id" | "revision">>,
) =>
  workspace
    .update(organizations)
    .set({ ...next, revision: row.revision + 1, updatedAt: now })
    .where(isOrganization(row));

/** Removes an organization with its grants and memberships. The organization is the last statement. */
export const removeOrganization = ({ workspace }: Db, row: AtRevision<Organization, "id">): Statement[] => [
  removeResident(row.id),
  workspace.delete(grants).where(eq(grants.tenantId, row.id)),
  workspace.delete(memberships).where(eq(memberships.organizationId, row.id)),
  workspace.delete(organizations).where(isOrganization(row)),
];

/** Makes a person a member. A person who is a member already keeps their role. The membership is the last statement. */
export const insertMembership = (
  context: Db,
  person: Person,
  row: Omit<typeof memberships.$inferInsert, "userId">,
): Statement[] => [
  insertPerson(context, person),
  context.workspace
    .insert(memberships)
    .values({ ...row, userId: person.id })
    .onConflictDoNothing(),
];

export const updateMembership = (
  { workspace }: Db,
  row: AtRevision<Membership, "organizationId" | "userId">,
  next: Pick<Membership, "role" | "overrides" | "origin">,
) =>
  workspace
    .update(memberships)
    .set({ ...next, revision: row.revision + 1 })
    .where(isMembership(row));

export const removeMembership = ({ workspace }: Db, row: AtRevision<Membership, "organizationId" | "userId">) =>
  workspace.delete(memberships).where(isMembership(row));

/** Gives a person a grant. The grant is the last statement. */
export const insertGrant = (
  context: Db,
  person: Person,
  row: Omit<typeof grants.$inferInsert, "userId">,
): Statement[] => [
  insertPerson(context, person),
  context.workspace.insert(grants).values({ ...row, userId: person.id }),
];

/** Gives a person a grant, unless the person has one on the resource. The grant is the last statement. */
export const insertGrantIfNone = (
  context: Db,
  person: Person,
  row: Omit<typeof grants.$inferInsert, "userId">,
): Statement[] => [
  insertPerson(context, person),
  context.workspace
    .insert(grants)
    .values({ ...row, userId: person.id })
    .onConflictDoNothing(),
];

/** Gives a person one grant on each of some resources, with the same capabilities and end. */
export const insertGrants = (
  context: Db,
  person: Person,
  { capabilities, ...row }: Omit<typeof grants.$inferInsert, "userId" | "id" | "targetId">,
  each: readonly Pick<Grant, "id" | "targetId">[],
): Statement[] => [
  insertPerson(context, person),
  sql`INSERT INTO ${grants} (id, target_id, user_id, target, tenant_id, organization_id, capabilities, revision, granted_by, created_at, expires_at)
    SELECT j.value ->> 0, j.value ->> 1, ${person.id}, ${row.target}, ${row.tenantId}, ${row.organizationId ?? null}, ${JSON.stringify(capabilities)},
      ${row.revision ?? 1}, ${row.grantedBy ?? null}, ${row.createdAt}, ${row.expiresAt ?? null}
    FROM json_each(${JSON.stringify(each.map(({ id, targetId }) => [id, targetId]))}) j`,
];

export const updateGrantRow = (
  { workspace }: Db,
  row: AtRevision<Grant, "id">,
  next: Pick<Grant, "capabilities" | "expiresAt">,
) =>
  workspace
    .update(grants)
    .set({ ...next, revision: row.revision + 1 })
    .where(isGrant(row));

export const removeGrant = ({ workspace }: Db, row: AtRevision<Grant, "id">) =>
  workspace.delete(grants).where(isGrant(row));

/** Removes grants that nobody has changed since they were read. */
export const removeGrantsAsRead = (rows: readonly AtRevision<Grant, "id">[]) =>
  sql`DELETE FROM ${grants} WHERE (id, revision) IN
    (SELECT value ->> 0, value ->> 1 FROM json_each(${JSON.stringify(rows.map(({ id, revision }) => [id, revision]))}))`;

export const removeGrants = ({ workspace }: Db, ids: readonly string[]) =>
  workspace.delete(grants).where(inSet(grants.id, ids));

/** Removes a person's grants in a workspace. */
export const removeGrantsOf = ({ workspace }: Db, tenantId: string, userId: string) =>
  workspace.delete(grants).where(and(eq(grants.tenantId, tenantId), eq(grants.userId, userId)));

/** Removes a person's grants on these resources that have expired. */
export const removeExpiredGrants = (
  { workspace, now }: Pick<Context, "workspace" | "now">,
  targetIds: readonly string[],
  userId: string,
) =>
  workspace
    .delete(grants)
    .where(and(inSet(grants.targetId, targetIds), eq(grants.userId, userId), lte(grants.expiresAt, now)));

/** Whether an organization may use cameras: not while it is deleted. For a statement that joins `organizations`. */
export const mayUseCameras = sql<number>`(${organizations.cameras} AND ${organizations.deletedAt} IS NULL)`.mapWith(
  Boolean,
);
