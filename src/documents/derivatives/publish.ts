import { and, eq, type SQL, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { beginChange, type Change } from "../../platform/db/change";
import { confirmPendingObjects, registerPendingObjects } from "../../uploads";
import type { VersionKey } from "../document";
import { PENDING_OBJECT_LIFETIME_MS } from "../limits";
import { documentNotDeleted, documents, documentVersions } from "../tables";
import { DERIVATIVE_TYPE, derivativeKeys } from "./files";

/** Condition: the version of a document. */
export const isVersion = ({ documentId, version }: VersionKey): SQL | undefined =>
  and(eq(documentVersions.documentId, documentId), eq(documentVersions.version, version));

/** Both derivatives of a version, and the size of its picture, pixels. The size of a PDF is null. */
export interface Derivatives {
  small: Uint8Array;
  medium: Uint8Array;
  width: number | null;
  height: number | null;
}

/** Writes both derivatives. @returns the change that publishes them. */
export async function publish(
  context: Context,
  of: VersionKey,
  tenantId: string,
  { small, medium, width, height }: Derivatives,
): Promise<Change> {
  const keys = derivativeKeys(tenantId, of);
  const held = [keys.small, keys.medium].map((key) => ({ key, tenantId, chargedBytes: 0 }));
  const hold = beginChange(context, tenantId);
  registerPendingObjects(context, hold, held, PENDING_OBJECT_LIFETIME_MS);
  await hold.commit();
  for (const [key, bytes] of [
    [keys.small, small],
    [keys.medium, medium],
  ] as const)
    await context.objects.write(key, bytes, { contentType: DERIVATIVE_TYPE, sizeBytes: bytes.length });
  const exists = sql`EXISTS (SELECT 1 FROM ${documents} JOIN ${documentVersions}
      ON ${documentVersions.documentId} = ${documents.id} WHERE ${documentNotDeleted()} AND ${isVersion(of)})`;
  const change = beginChange(context, tenantId);
  confirmPendingObjects(context, change, [keys.small, keys.medium], exists);
  change.add(
    context.workspace
      .update(documentVersions)
      .set({ derivativeStatus: "ready", smallKey: keys.small, mediumKey: keys.medium, width, height })
      .where(and(isVersion(of), exists)),
  );
  return change;
}
