import { and, eq } from "drizzle-orm";
import { organizations } from "../access/tables";
import type { Context } from "../platform/context";
import { isSlot } from "./record";
import { brandingAssets, organizationBranding } from "./tables";

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
export async function readShareBrand({ db }: Pick<Context, "db">, organizationId: string): Promise<ShareBrand | null> {
  const [found] = await db
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
export async function openShareLogo({ db, objects }: Pick<Context, "db" | "objects">, organizationId: string) {
  const [logo] = await db
    .select({ key: brandingAssets.smallKey, contentType: brandingAssets.previewType })
    .from(brandingAssets)
    .innerJoin(organizationBranding, isShown(organizationId))
    .where(isSlot(organizationId, "logo"));
  const object = logo === undefined ? null : await objects.read(logo.key);
  if (logo === undefined || object === null) return null;
  return { body: object.body, sizeBytes: object.sizeBytes, contentType: logo.contentType };
}
