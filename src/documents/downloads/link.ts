import { and, eq } from "drizzle-orm";
import { READ, readerOf } from "../../access";
import type { Context } from "../../platform/context";
import { DomainError, notFound } from "../../platform/errors";
import type { DownloadChecks } from "../../platform/objects/endpoint";
import { type DownloadLink, presentDownload } from "../../platform/objects/store";
import { SECOND } from "../../platform/time";
import { DERIVATIVE_TYPE, pageKey } from "../derivatives/derivatives";
import { requireDocument, type VersionRow } from "../document";
import { LINK_LIFETIME_MS } from "../limits";
import { documentVersions } from "../tables";

export const LINK_TYPES = ["file", "small", "medium", "page"] as const;
type LinkType = (typeof LINK_TYPES)[number];

/** What a link leads to. `page` counts only with the type `page`. */
interface Wanted {
  linkType: LinkType;
  page: number;
}

/** Key of a picture's derivative. @throws DomainError not-an-image, or unavailable while a job makes it. */
function derivativeKey(tenantId: string, version: VersionRow, { linkType, page }: Wanted): string {
  const drawn = page <= version.pagePictures ? pageKey(tenantId, version, page) : null;
  const key = linkType === "small" ? version.smallKey : linkType === "medium" ? version.mediumKey : drawn;
  if (key !== null) return key;
  if (version.derivativeStatus === "pending")
    throw new DomainError("unavailable", "The service is preparing the picture. Try again in a few seconds.", {
      retryAfter: 2,
    });
  const why = version.derivativeDetail ?? "There is no preview of this file.";
  throw new DomainError("not-an-image", `${why} Use linkType=file to get the file itself.`);
}

/** File name of a derivative: the name of the file with another extension. */
const derivativeName = (fileName: string, { linkType, page }: Wanted): string =>
  `${fileName.replace(/\.[^.]{1,5}$/, "")}-${linkType}${linkType === "page" ? `-${page}` : ""}.jpg`;

/**
 * Signs an expiring address of a version's bytes (default: the latest version) or of a picture's derivative.
 * @throws DomainError 401, 404, 422 not-an-image, 503 while a job makes the derivative.
 */
export async function downloadLink(
  context: Context,
  documentId: string,
  { linkType, version, page }: Wanted & { version?: number | undefined },
): Promise<DownloadLink> {
  const { workspace, objects } = context;
  const found = await requireDocument(context, documentId, READ);
  let row: VersionRow | undefined = found.version;
  if (version !== undefined && version !== row.version)
    [row] = await workspace
      .select()
      .from(documentVersions)
      .where(and(eq(documentVersions.documentId, documentId), eq(documentVersions.version, version)));
  if (row === undefined) throw notFound();
  const isFile = linkType === "file";
  const key = isFile ? row.objectKey : derivativeKey(found.document.tenantId, row, { linkType, page });
  const { fileName } = row.version === found.version.version ? found.document : row;
  const as = {
    fileName: isFile ? fileName : derivativeName(fileName, { linkType, page }),
    contentType: isFile ? row.contentType : DERIVATIVE_TYPE,
    disposition: isFile ? ("attachment" as const) : ("inline" as const),
  };
  const sizeBytes = isFile ? row.sizeBytes : (await objects.head(key))?.sizeBytes;
  if (sizeBytes === undefined) throw notFound();
  const access = { reader: readerOf(context), kind: "document" as const, ids: [documentId] };
  const signed = await objects.signDownload(key, as, LINK_LIFETIME_MS / SECOND, access);
  return presentDownload(signed, sizeBytes);
}

/** The access check of addresses of documents. @throws DomainError 404 */
export const documentDownloads: Pick<DownloadChecks["check"], "document"> = {
  document: (context, [documentId = ""]) => requireDocument(context, documentId, READ),
};
