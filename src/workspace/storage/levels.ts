import { eq } from "drizzle-orm";
import { organizations } from "../../access/tables";
import type { Context } from "../../platform/context";
import type { Change } from "../../platform/db/change";
import { storageUsage } from "../tables";
import type { StorageTenant } from "./quota";

/** Shares of the storage that are told of when they are passed upward, percent. */
const LEVELS = [100, 95, 80] as const;

/** The highest level that `before` had not reached and `after` has; null when none is passed. */
export function levelPassed(before: number, after: number, limit: number): (typeof LEVELS)[number] | null {
  const reached = (bytes: number, percent: number) => bytes * 100 >= limit * percent;
  return LEVELS.find((percent) => reached(after, percent) && !reached(before, percent)) ?? null;
}

/** Tells the tenant when `bytes` more, published with this change, take its storage past a level. */
export async function announceLevel(
  context: Context,
  change: Change,
  tenant: StorageTenant,
  bytes: number,
): Promise<void> {
  const { db, settings } = context;
  const [usage] = await db.select().from(storageUsage).where(eq(storageUsage.tenantId, tenant.tenantId));
  const [organization] =
    tenant.organizationId === null
      ? []
      : await db
          .select({ limit: organizations.documentStorageBytes })
          .from(organizations)
          .where(eq(organizations.id, tenant.organizationId));
  const limit = tenant.organizationId === null ? settings.PERSONAL_STORAGE_BYTES : organization?.limit;
  if (limit === undefined) return;
  const used = usage?.usedBytes ?? 0;
  const percent = levelPassed(used, used + bytes, limit);
  if (percent !== null) change.announce({ type: "storage-level", tenantId: tenant.tenantId, percent }, tenant.tenantId);
}
