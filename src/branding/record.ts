import { and, eq, type SQL, sql } from "drizzle-orm";
import { auditStatement, READ, requireLevel, requireOrganizationAdmin } from "../access";
import { organizations } from "../access/tables";
import type { Context } from "../platform/context";
import { beginChange, type Change } from "../platform/db/change";
import { notFound } from "../platform/errors";
import { checkPrecondition, type Precondition, staleRevision } from "../platform/http/revision";
import { organizationExists, organizationPath } from "../workspace";
import { type AssetRow, type BrandingRow, type FoundBranding, presentBranding, revisionOf, type Slot } from "./fields";
import { brandingAssets, organizationBranding } from "./tables";

/** Refuses unless the caller may see the organization. @throws DomainError 401, 404. */
export const requireMember = (context: Context, organizationId: string): void =>
  requireLevel(context, organizationPath(organizationId), "OrganizationView", "OrganizationView", READ);

/** Reads an organization's branding without a check of access. @throws DomainError 404. */
export async function findBranding(
  { workspace }: Pick<Context, "workspace">,
  organizationId: string,
): Promise<FoundBranding> {
  const [[organization], [branding], assets] = await workspace.batch([
    workspace
      .select({ id: organizations.id, name: organizations.name, revision: organizations.revision })
      .from(organizations)
      .where(eq(organizations.id, organizationId)),
    workspace.select().from(organizationBranding).where(eq(organizationBranding.organizationId, organizationId)),
    workspace.select().from(brandingAssets).where(eq(brandingAssets.organizationId, organizationId)),
  ]);
  if (organization === undefined) throw notFound();
  return { organization, branding: branding ?? null, assets };
}

export const isSlot = (organizationId: string, slot: Slot): SQL | undefined =>
  and(eq(brandingAssets.organizationId, organizationId), eq(brandingAssets.slot, slot));

/** Reads a slot's current file, for callers who may see the organization. @throws DomainError 401, 404. */
export async function requireAsset(context: Context, organizationId: string, slot: Slot): Promise<AssetRow> {
  requireMember(context, organizationId);
  const [row] = await context.workspace.select().from(brandingAssets).where(isSlot(organizationId, slot));
  if (row === undefined) throw notFound();
  return row;
}

/** Writes fields of the branding and increases its revision. It creates the row if there is none. */
export function touchBranding(
  { workspace }: Pick<Context, "workspace">,
  change: Change,
  organizationId: string,
  at: number,
  fields: Partial<BrandingRow> = {},
): void {
  change.add(
    workspace
      .insert(organizationBranding)
      .values({ organizationId, ...fields, revision: 2, updatedAt: at })
      .onConflictDoUpdate({
        target: organizationBranding.organizationId,
        set: { ...fields, revision: sql`${organizationBranding.revision} + 1`, updatedAt: at },
      }),
  );
}

/** Condition: the branding is at this revision. */
const atRevision = (organizationId: string, revision: number): SQL =>
  sql`coalesce((SELECT ${organizationBranding.revision} FROM ${organizationBranding}
    WHERE ${organizationBranding.organizationId} = ${organizationId}), 1) = ${revision}`;

type Fields = Pick<
  BrandingRow,
  "brandName" | "slogan" | "primaryColor" | "secondaryColor" | "accentColor" | "shownOnShareLinks"
>;
type BrandingChange = { [field in keyof Fields]?: Fields[field] | undefined };

/** Changes the given fields of the branding. Only owners and admins may. @throws DomainError 401, 403, 404, 409, 412. */
export async function updateBranding(
  context: Context,
  organizationId: string,
  given: BrandingChange,
  precondition: Precondition,
) {
  requireOrganizationAdmin(context, organizationId);
  const found = await findBranding(context, organizationId);
  const revision = revisionOf(found);
  checkPrecondition(precondition, revision);
  const fields: Partial<Fields> = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const change = beginChange(context, organizationId)
    .guard(organizationExists(organizationId), notFound())
    .guard(atRevision(organizationId, revision), staleRevision());
  touchBranding(context, change, organizationId, context.now, fields);
  change.add(
    auditStatement(context, {
      organizationId,
      action: "branding.updated",
      subjectType: "organization",
      subjectId: organizationId,
      details: fields,
    }),
  );
  await change.commit();
  return presentBranding(await findBranding(context, organizationId));
}

/** The data of an organization that the page of a share link shows. */
interface ShareBrand {
  name: string;
  primaryColor: string | null;
  hasLogo: boolean;
  revision: number;
}

const isShown = (organizationId: string) =>
  and(eq(organizationBranding.organizationId, organizationId), eq(organizationBranding.shownOnShareLinks, true));

/** The brand for the organization's share links; null unless the organization shows it there. The caller checks the link. */
export async function readShareBrand(
  { workspace }: Pick<Context, "workspace">,
  organizationId: string,
): Promise<ShareBrand | null> {
  const [found] = await workspace
    .select({ branding: organizationBranding, organizationName: organizations.name, logo: brandingAssets.smallKey })
    .from(organizationBranding)
    .innerJoin(organizations, eq(organizations.id, organizationBranding.organizationId))
    .leftJoin(brandingAssets, isSlot(organizationId, "logo"))
    .where(isShown(organizationId));
  if (found === undefined) return null;
  const { brandName, primaryColor, revision } = found.branding;
  return { name: brandName ?? found.organizationName, primaryColor, hasLogo: found.logo !== null, revision };
}

/** A picture of the logo for the organization's share links; null unless the organization shows one there. */
export async function openShareLogo(
  { workspace, objects }: Pick<Context, "workspace" | "objects">,
  organizationId: string,
) {
  const [logo] = await workspace
    .select({ key: brandingAssets.smallKey, contentType: brandingAssets.previewType })
    .from(brandingAssets)
    .innerJoin(organizationBranding, isShown(organizationId))
    .where(isSlot(organizationId, "logo"));
  const object = logo === undefined ? null : await objects.read(logo.key);
  if (logo === undefined || object === null) return null;
  return { body: object.body, sizeBytes: object.sizeBytes, contentType: logo.contentType };
}
