import { and, eq } from "drizzle-orm";
import { READ, requireLevel, requireUser, WRITE } from "../../access";
import type { Context } from "../../platform/context";
import { notFound } from "../../platform/errors";
import { completeUpload, findUpload } from "../../uploads";
import { findLocation, requireLocation } from "../../workspace";
import { deriveAtOnce } from "../derivatives/at-once";
import { type FoundDocument, placeOfDocument, requireDocument } from "../find";
import { documentNotDeleted, documents } from "../tables";
import { DOCUMENT_PURPOSE, derivationOf, documentSubject } from "./purpose";

/**
 * Completes the caller's own upload and answers with the document; repeating it gives the same. The
 * right to write counts as it stands now, where the document is now.
 * @throws DomainError 401, 403, 404, 410, 422, 503.
 */
export async function completeDocumentUpload(
  context: Context,
  locationId: string,
  uploadId: string,
): Promise<FoundDocument> {
  const { userId } = requireUser(context);
  if ((await findLocation(context, locationId)) === null) throw notFound();
  const upload = await findUpload(context, uploadId);
  if (upload === null || upload.purpose !== DOCUMENT_PURPOSE || upload.createdBy !== userId) throw notFound();
  const subject = documentSubject.parse(upload.subject);
  if (subject.locationId !== locationId) throw notFound();
  const [document] = await context.db
    .select()
    .from(documents)
    .where(and(eq(documents.id, subject.documentId), documentNotDeleted()));
  if (document !== undefined) requireLevel(context, placeOfDocument(document), "LocationView", "Documents", WRITE);
  // Where it is gone, the upload itself says how it ended.
  else await requireLocation(context, locationId, "Documents", WRITE);
  await completeUpload(context, upload);
  await deriveAtOnce(context, subject, derivationOf(upload));
  return requireDocument(context, subject.documentId, READ);
}
