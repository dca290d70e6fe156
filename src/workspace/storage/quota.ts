import { type SQL, sql } from "drizzle-orm";
import { organizations } from "../../access/tables";
import type { Context } from "../../platform/context";
import type { Change } from "../../platform/db/change";
import { DomainError } from "../../platform/errors";
import { storageUsage } from "../tables";

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
export function requireRoom(context: Pick<Context, "settings">, change: Change, tenant: StorageTenant, bytes: number) {
  const held = sql`coalesce((SELECT ${storageUsage.usedBytes} + ${storageUsage.reservedBytes} FROM ${storageUsage}
    WHERE ${storageUsage.tenantId} = ${tenant.tenantId}), 0)`;
  change.guard(sql`${held} + ${bytes} <= ${limitOf(context, tenant)}`, storageFull());
}
