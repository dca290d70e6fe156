import { eq, type SQL, sql } from "drizzle-orm";
import { organizations } from "../access/tables";
import type { Context } from "../platform/context";
import type { Change } from "../platform/db/change";
import { DomainError } from "../platform/errors";
import { storageUsage } from "./tables";

/** The tenant whose storage is charged: an organization, or a personal workspace (`organizationId` is null). */
export interface StorageTenant {
  tenantId: string;
  organizationId: string | null;
}

const storageFull = (): DomainError =>
  new DomainError(
    "storage-full",
    "The storage is full, including the bytes that open uploads reserve. Delete documents or ask the operator for more, then try again.",
  );

/** The tenant's storage limit at commit, bytes. */
const limitOf = ({ settings }: Pick<Context, "settings">, { organizationId }: StorageTenant): SQL =>
  organizationId === null
    ? sql`${settings.PERSONAL_STORAGE_BYTES}`
    : sql`(SELECT ${organizations.documentStorageBytes} FROM ${organizations} WHERE ${organizations.id} = ${organizationId})`;

/**
 * Adds a guard to `change`: at commit, the used and reserved bytes plus `bytes` must not exceed the tenant's limit.
 * Concurrent changes cannot exceed it together, because D1 commits one batch after the other.
 * @throws DomainError storage-full, at commit.
 */
export function requireFreeStorage(
  context: Pick<Context, "settings">,
  change: Change,
  tenant: StorageTenant,
  bytes: number,
) {
  const held = sql`coalesce((SELECT ${storageUsage.usedBytes} + ${storageUsage.reservedBytes} FROM ${storageUsage}
    WHERE ${storageUsage.tenantId} = ${tenant.tenantId}), 0)`;
  change.guard(sql`${held} + ${bytes} <= ${limitOf(context, tenant)}`, storageFull());
}

/** Shares of the storage limit, in percent, at which the tenant gets a notification. */
const STORAGE_WARNING_PERCENTS = [100, 95, 80] as const;

/** The highest level that `after` has reached and `before` has not, in percent. Null if there is none. All in bytes. */
function levelReached(before: number, after: number, limit: number): (typeof STORAGE_WARNING_PERCENTS)[number] | null {
  const reached = (bytes: number, percent: number) => bytes * 100 >= limit * percent;
  return STORAGE_WARNING_PERCENTS.find((percent) => reached(after, percent) && !reached(before, percent)) ?? null;
}

/** The statements that read the bytes a tenant uses and the limit of its organization, for `announceLevel`. */
export const selectStorage = ({ workspace }: Pick<Context, "workspace">, { tenantId, organizationId }: StorageTenant) =>
  [
    workspace
      .select({ usedBytes: storageUsage.usedBytes })
      .from(storageUsage)
      .where(eq(storageUsage.tenantId, tenantId)),
    workspace
      .select({ limit: organizations.documentStorageBytes })
      .from(organizations)
      .where(eq(organizations.id, organizationId ?? "")),
  ] as const;

/** Adds a notification to `change` if `bytes` more than `used` take a tenant's storage to a warning level. All in bytes. */
export function announceLevel(
  change: Change,
  tenantId: string,
  { used, limit }: { used: number; limit: number },
  bytes: number,
): void {
  const percent = levelReached(used, used + bytes, limit);
  if (percent !== null) change.announce({ type: "storage-level", tenantId, percent }, tenantId);
}

/** Adds a notification to `change` if its additional `bytes` bring the tenant's storage to a warning level. */
export async function announceStorageLevel(
  context: Context,
  change: Change,
  tenant: StorageTenant,
  bytes: number,
): Promise<void> {
  const [[usage], [organization]] = await context.workspace.batch([...selectStorage(context, tenant)]);
  const limit = tenant.organizationId === null ? context.settings.PERSONAL_STORAGE_BYTES : organization?.limit;
  if (limit !== undefined) announceLevel(change, tenant.tenantId, { used: usage?.usedBytes ?? 0, limit }, bytes);
}
