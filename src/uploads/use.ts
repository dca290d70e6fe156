import { eq, sql } from "drizzle-orm";
import type { Context } from "../platform/context";
import { locationStorage, storageUsage } from "./tables";

/** Bytes that a tenant stores, by kind. */
interface StorageByKind {
  usedBytes: number;
  reservedBytes: number;
  /** Part of `usedBytes`: bytes at locations. The rest belongs to the whole tenant. */
  locatedBytes: number;
  /** Part of `locatedBytes`: all versions of documents. */
  documentBytes: number;
  /** Part of `documentBytes`: versions that are not the newest. */
  olderVersionBytes: number;
  /** Deleted documents, and everything at deleted locations. It is not counted as used. */
  trashBytes: number;
}

/** Reads the stored bytes of a tenant. Reads one row of each of its locations. */
export async function readStorageByKind(
  { workspace }: Pick<Context, "workspace">,
  tenantId: string,
): Promise<StorageByKind> {
  const { counted, usedBytes, imageBytes, documentBytes, olderBytes, trashBytes } = locationStorage;
  const sum = (of: ReturnType<typeof sql>) => sql<number>`coalesce(sum(${of}), 0)`;
  const [[whole], [located]] = await workspace.batch([
    workspace.select().from(storageUsage).where(eq(storageUsage.tenantId, tenantId)),
    workspace
      .select({
        locatedBytes: sum(sql`${counted} * (${usedBytes} + ${imageBytes})`),
        documentBytes: sum(sql`${counted} * ${documentBytes}`),
        olderVersionBytes: sum(sql`${counted} * ${olderBytes}`),
        trashBytes: sum(sql`${trashBytes} + (1 - ${counted}) * (${usedBytes} + ${imageBytes})`),
      })
      .from(locationStorage)
      .where(eq(locationStorage.tenantId, tenantId)),
  ]);
  const nothing = { locatedBytes: 0, documentBytes: 0, olderVersionBytes: 0, trashBytes: 0 };
  return {
    ...(located ?? nothing),
    usedBytes: whole?.usedBytes ?? 0,
    reservedBytes: whole?.reservedBytes ?? 0,
  };
}
