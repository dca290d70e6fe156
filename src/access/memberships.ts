/**
 * The writes of organizations, memberships and grants: statements for the change of a caller, who checks access and
 * adds guards. An update or removal applies only to the revision that was read: use `guardChanged` after it.
 */
import { and, eq, lte } from "drizzle-orm";
import type { Context } from "../platform/context";
import { inSet } from "../platform/db/statements";
import { grants, memberships, organizations } from "./tables";

type Db = Pick<Context, "db">;
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

export const insertOrganization = ({ db }: Db, row: Organization) => db.insert(organizations).values(row);

export const updateOrganization = (
  { db, now }: Pick<Context, "db" | "now">,
  row: AtRevision<Organization, "id">,
  next: Partial<Omit<Organization, "id" | "revision">>,
) =>
  db
    .update(organizations)
    .set({ ...next, revision: row.revision + 1, updatedAt: now })
    .where(isOrganization(row));

/** Removes an organization with its grants and memberships. The organization is the last statement. */
export const removeOrganization = ({ db }: Db, row: AtRevision<Organization, "id">) => [
  db.delete(grants).where(eq(grants.tenantId, row.id)),
  db.delete(memberships).where(eq(memberships.organizationId, row.id)),
  db.delete(organizations).where(isOrganization(row)),
];

/** Makes a person a member. A person who is a member already keeps their role. */
export const insertMembership = ({ db }: Db, row: typeof memberships.$inferInsert) =>
  db.insert(memberships).values(row).onConflictDoNothing();

export const updateMembership = (
  { db }: Db,
  row: AtRevision<Membership, "organizationId" | "userId">,
  next: Pick<Membership, "role" | "overrides">,
) =>
  db
    .update(memberships)
    .set({ ...next, revision: row.revision + 1 })
    .where(isMembership(row));

export const removeMembership = ({ db }: Db, row: AtRevision<Membership, "organizationId" | "userId">) =>
  db.delete(memberships).where(isMembership(row));

export const insertGrant = ({ db }: Db, row: typeof grants.$inferInsert) => db.insert(grants).values(row);

export const updateGrantRow = (
  { db }: Db,
  row: AtRevision<Grant, "id">,
  next: Pick<Grant, "capabilities" | "expiresAt">,
) =>
  db
    .update(grants)
    .set({ ...next, revision: row.revision + 1 })
    .where(isGrant(row));

export const removeGrant = ({ db }: Db, row: AtRevision<Grant, "id">) => db.delete(grants).where(isGrant(row));

export const removeGrants = ({ db }: Db, ids: readonly string[]) => db.delete(grants).where(inSet(grants.id, ids));

/** Removes a person's grants in a workspace. */
export const removeGrantsOf = ({ db }: Db, tenantId: string, userId: string) =>
  db.delete(grants).where(and(eq(grants.tenantId, tenantId), eq(grants.userId, userId)));

/** Removes a person's grant on a resource when it has expired. */
export const removeExpiredGrant = ({ db, now }: Pick<Context, "db" | "now">, targetId: string, userId: string) =>
  db.delete(grants).where(and(eq(grants.targetId, targetId), eq(grants.userId, userId), lte(grants.expiresAt, now)));
