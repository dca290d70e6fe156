import { and, eq } from "drizzle-orm";
import { holds, requireLevel, requireUser, WRITE } from "../../access";
import type { Context } from "../../platform/context";
import { forbidden, notFound } from "../../platform/errors";
import { findLocation, type LocationRow, locationPath } from "../../workspace";
import { placeOfDocument, selectDocuments } from "../find";
import { documents } from "../tables";

/** Where a file may be uploaded to. */
export interface UploadTarget {
  location: LocationRow;
  /** The only document that it may be a version of; null where documents may be added too. */
  documentId: string | null;
}

/**
 * Whoever may write a location's documents adds documents to it, and versions to all; whoever may write one document
 * there adds versions to that. @throws DomainError 401, 403, 404.
 */
export async function requireUploadTarget(
  context: Context,
  locationId: string,
  { path, fileName }: { path: string; fileName: string },
): Promise<UploadTarget> {
  const caller = requireUser(context);
  const location = await findLocation(context, locationId);
  if (location === null || !holds(caller, "Documents", locationPath(location), WRITE)) {
    // Also asked where there is no location: that there is one takes no longer to hide.
    const named = [eq(documents.locationId, locationId), eq(documents.path, path), eq(documents.fileName, fileName)];
    const [found] = await selectDocuments(context.db, and(...named));
    const place = found && placeOfDocument(found.document);
    if (location && place && holds(caller, "Documents", place, WRITE))
      return { location, documentId: found.document.id };
    if (place && holds(caller, "Documents", place)) throw forbidden();
  }
  if (location === null) throw notFound();
  requireLevel(context, locationPath(location), "LocationView", "Documents", WRITE);
  return { location, documentId: null };
}
