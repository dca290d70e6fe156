import { and, eq, type SQL, sql } from "drizzle-orm";
import { READ, requireLevel } from "../access";
import { organizations } from "../access/tables";
import type { Context } from "../platform/context";
import type { Change } from "../platform/db/change";
import { notFound } from "../platform/errors";
import { organizationPath } from "../workspace";
import type { AssetRow, BrandingRow, FoundBranding, Slot } from "./fields";
import { brandingAssets, organizationBranding } from "./tables";

/** Refuses unless the caller is a member who sees the organization. @throws DomainError 401, 404. */
export const requireMember = (context: Context, organizationId: string): void =>
  requireLevel(context, organizationPath(organizationId), "OrganizationView", "OrganizationView", READ);

/** An organization's branding, whoever asks. @throws DomainError 404. */
export async function findBranding({ db }: Pick<Context, "db">, organizationId: string): Promise<FoundBranding> {
  const [[organization], [branding], assets] = await db.batch([
    db
      .select({ id: organizations.id, name: organizations.name, revision: organizations.revision })
      .from(organizations)
      .where(eq(organizations.id, organizationId)),
    db.select().from(organizationBranding).where(eq(organizationBranding.organizationId, organizationId)),
    db.select().from(brandingAssets).where(eq(brandingAssets.organizationId, organizationId)),
  ]);
  if (organization === undefined) throw notFound();
  return { organization, branding: branding ?? null, assets };
}

export const isSlot = (organizationId: string, slot: Slot): SQL | undefined =>
  and(eq(brandingAssets.organizationId, organizationId), eq(brandingAssets.slot, slot));

/** A slot's current file for a member. @throws DomainError 401, 404. */
export async function requireAsset(context: Context, organizationId: string, slot: Slot): Promise<AssetRow> {
  requireMember(context, organizationId);
  const [row] = await context.db.select().from(brandingAssets).where(isSlot(organizationId, slot));
  if (row === undefined) throw notFound();
  return row;
}

/** Writes fields of the record, and counts its revision up, also where there was none. */
export function touchBranding(
  { db }: Pick<Context, "db">,
  change: Change,
  organizationId: string,
  at: number,
  fields: Partial<BrandingRow> = {},
): void {
  change.add(
    db
      .insert(organizationBranding)
      .values({ organizationId, ...fields, revision: 2, updatedAt: at })
      .onConflictDoUpdate({
        target: organizationBranding.organizationId,
        set: { ...fields, revision: sql`${organizationBranding.revision} + 1`, updatedAt: at },
      }),
  );
}

/** Holds while the record is at this revision. */
export const atRevision = (organizationId: string, revision: number): SQL =>
  sql`coalesce((SELECT ${organizationBranding.revision} FROM ${organizationBranding}
    WHERE ${organizationBranding.organizationId} = ${organizationId}), 1) = ${revision}`;
