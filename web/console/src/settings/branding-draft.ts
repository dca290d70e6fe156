import type { BRANDING } from "#texts/settings.ts";
import { type BrandingAsset, dataOf } from "../../../../client/src/index.ts";
import { useLoaded } from "../../../ui/loading.ts";
import { api } from "../platform/session.ts";

export type Colour = keyof typeof BRANDING.colours;
export type Slot = BrandingAsset["slot"];
/** The values of the form. An empty text means no value. */
export type Draft = Record<Colour | "brandName" | "slogan", string> & { shownOnShareLinks: boolean };

/** A link to a small picture of a slot. It expires after some minutes. */
export function usePicture(
  organizationId: string,
  slot: Slot,
  asset: BrandingAsset | null,
  linkType: "small" | "medium",
) {
  return useLoaded(`${organizationId} ${slot} ${asset?.checksumSha256} ${linkType}`, async () => {
    if (asset === null) return null;
    const link = await dataOf(
      api.GET("/v1/orgs/{organizationId}/branding/assets/{slot}/download", {
        params: { path: { organizationId, slot }, query: { linkType } },
        headers: { accept: "application/json" },
      }),
    );
    return link.url;
  }).data;
}
