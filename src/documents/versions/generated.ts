import { and, eq, isNotNull, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { sha256Hex } from "../../platform/crypto/hash";
import { beginChange, type Change } from "../../platform/db/change";
import { DomainError } from "../../platform/errors";
import { newId } from "../../platform/ids";
import { HOUR } from "../../platform/time";
import { announceLevel, holdObjects, keepHeld, requireRoom } from "../../uploads";
import { storedObjects } from "../../uploads/tables";
import { type LocationRow, locationUnchanged } from "../../workspace";
import type { DocumentRow } from "../find";
import { objectKey } from "../names";
import { documentNotDeleted, documents } from "../tables";
import { publishVersion } from "./publish";

/** How long written bytes may wait for the change that refers to them. */
const HELD_FOR = HOUR;

/** A file that the service itself made for a location. */
export interface GeneratedFile {
  /** The document that gets a new version; null begins one at `path` and `fileName`. */
  document: DocumentRow | null;
  path: string;
  fileName: string;
  contentType: string;
  bytes: Uint8Array<ArrayBuffer>;
  createdBy: string;
}

const changed = (): DomainError =>
  new DomainError("unavailable", "The document was changed in the meantime.", { retryAfter: 2 });

/** Enters the key's bytes in the ledger, if there is room for them. @throws DomainError storage-full. */
async function hold(context: Context, location: LocationRow, key: string, chargedBytes: number): Promise<void> {
  const { tenantId } = location;
  const change = beginChange(context);
  // What an earlier try left there is overwritten, and not counted twice.
  change.add(
    context.db.delete(storedObjects).where(and(eq(storedObjects.key, key), isNotNull(storedObjects.purgeAfter))),
  );
  requireRoom(context, change, location, chargedBytes);
  holdObjects(context, change, [{ key, tenantId, chargedBytes }], HELD_FOR);
  await change.commit();
}

/**
 * Writes a file's bytes and adds what makes them a version of a document to `change`: counted, announced
 * and indexed like an upload. Unless the change commits, nothing of it is seen and the bytes are purged.
 * Who may do so is for the caller to ask.
 * @throws DomainError storage-full; (at commit) unavailable when the document or location changed meanwhile.
 */
export async function addGeneratedVersion(
  context: Context,
  change: Change,
  location: LocationRow,
  file: GeneratedFile,
): Promise<{ documentId: string; version: number }> {
  const { db, now, objects } = context;
  const { tenantId, organizationId } = location;
  const { document, path, fileName, bytes, contentType, createdBy } = file;
  const sizeBytes = bytes.length;
  const [documentId, version] = document === null ? [newId(), 1] : [document.id, document.nextVersion];
  const name = document ?? { path, fileName };
  const key = objectKey({ tenantId, documentId }, name, version);
  const checksumSha256 = await sha256Hex(bytes);
  await announceLevel(context, change, location, sizeBytes);
  await hold(context, location, key, sizeBytes);
  await objects.write(key, bytes, { contentType, sizeBytes, checksumSha256 });
  change.guard(locationUnchanged(location), changed());
  if (document === null)
    change
      .add(
        db
          .insert(documents)
          .values({
            id: documentId,
            tenantId,
            organizationId,
            clusterId: location.clusterId,
            locationId: location.id,
            path,
            fileName,
            nextVersion: 2,
            createdBy,
            createdAt: now,
            updatedAt: now,
          })
          .onConflictDoNothing(),
      )
      .guardChanged(changed());
  else
    change
      .add(
        db
          .update(documents)
          .set({ nextVersion: version + 1 })
          .where(
            and(
              eq(documents.id, documentId),
              eq(documents.nextVersion, version),
              eq(documents.locationId, location.id),
              documentNotDeleted(),
            ),
          ),
      )
      .guardChanged(changed());
  keepHeld(context, change, [key], sql`1`);
  publishVersion(context, change, {
    documentId,
    tenantId,
    version,
    fileName: name.fileName,
    objectKey: key,
    contentType,
    sizeBytes,
    checksumSha256,
    createdBy,
    at: now,
    derivationId: null,
    isNewest: true,
  });
  return { documentId, version };
}
