import { z } from "@hono/zod-openapi";
import type { OrganizationRow } from "../organizations/present";

/** What a platform admin sets of an organization. */
export const entitlementFields = {
  cameras: z.boolean(),
  externalShares: z.boolean(),
  documentStorageBytes: z.int().min(0),
  jobsPerMonth: z.int().min(0),
  maxRetentionDays: z.int().min(1).max(36_500),
};

export const entitlementsSchema = z
  .object({
    ...entitlementFields,
    usage: z.object({
      usedBytes: z.int(),
      reservedBytes: z.int().openapi({ description: "Of uploads that are under way." }),
      jobsThisMonth: z.int().openapi({ description: "In this calendar month, UTC." }),
    }),
    revision: z.int().openapi({ description: "The organization's." }),
  })
  .openapi("Entitlements");

export interface Usage {
  usedBytes: number;
  reservedBytes: number;
  jobsThisMonth: number;
}

export const entitlementsOf = (row: OrganizationRow) => ({
  cameras: row.cameras,
  externalShares: row.externalShares,
  documentStorageBytes: row.documentStorageBytes,
  jobsPerMonth: row.jobsPerMonth,
  maxRetentionDays: row.maxRetentionDays,
});

export const presentEntitlements = (row: OrganizationRow, usage: Usage): z.infer<typeof entitlementsSchema> => ({
  ...entitlementsOf(row),
  usage,
  revision: row.revision,
});

/** What changes of the answer between two revisions: part of the ETag, so that a reader sees it. */
export const useOf = ({ usage }: { usage: Usage }): string =>
  [usage.usedBytes, usage.reservedBytes, usage.jobsThisMonth].join("-");
