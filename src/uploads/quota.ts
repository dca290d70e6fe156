import { eq, type SQL, sql } from "drizzle-orm";
import { organizations } from "../access/tables";
import type { Context } from "../platform/context";
import type { Change } from "../platform/db/change";
import { DomainError } from "../platform/errors";
import { storageUsage } from "./tables";

/** Whose storage bytes are charged to: an organization, or a person's own workspace (`organizationId` null). */
export interface StorageTenant {
  tenantId: string;
  organizationId: string | null;
}

const storageFull = (): DomainError =>
  new DomainError(
    "storage-full",
    "The storage is full, counting uploads that are under way. Delete something or ask for more, then try again.",
  );

/** Bytes the tenant may hold, as it stands at commit. */
const limitOf = ({ settings }: Pick<Context, "settings">, { organizationId }: StorageTenant): SQL =>
  organizationId === null
    ? sql`${settings.PERSONAL_STORAGE_BYTES}`
    : sql`(SELECT ${organizations.documentStorageBytes} FROM ${organizations} WHERE ${organizations.id} = ${organizationId})`;

/**
 * Undoes the change with 507 `storage-full` unless `bytes` more fit beside what is used and reserved
 * when it commits; exact under races, since D1 commits one batch after the other.
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

/** Shares of the storage that are told of when they are passed upward, percent. */
const STORAGE_WARNING_PERCENTS = [100, 95, 80] as const;

/** The highest level that `before` had not reached and `after` has; null when none is passed. */
function levelReached(before: number, after: number, limit: number): (typeof STORAGE_WARNING_PERCENTS)[number] | null {
  const reached = (bytes: number, percent: number) => bytes * 100 >= limit * percent;
  return STORAGE_WARNING_PERCENTS.find((percent) => reached(after, percent) && !reached(before, percent)) ?? null;
}

/** Tells the tenant when `bytes` more, published with this change, take its storage past a level. */
export async function announceStorageLevel(
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
  const percent = levelReached(used, used + bytes, limit);
  if (percent !== null) change.announce({ type: "storage-level", tenantId: tenant.tenantId, percent }, tenant.tenantId);
}
