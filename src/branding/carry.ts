import { carried, ownedBy } from "../platform/db/carry/declare";
import { brandingAssets, organizationBranding } from "./tables";

export const brandingTables = [
  carried(organizationBranding, ownedBy("organization_id")),
  carried(brandingAssets, ownedBy("organization_id")),
];
