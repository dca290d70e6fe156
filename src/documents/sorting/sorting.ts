import { and, eq, sql } from "drizzle-orm";
import { beginChange } from "../../platform/db/change";
import { isHere } from "../../platform/db/residence";
import { complete, continueLater, type RecurringHandler } from "../../platform/jobs/handlers";
import { SORTED_DOCUMENTS_PER_SLICE } from "../limits";
import { type DocumentKind, documents, documentVersions } from "../tables";
import { sortNameOf } from "./names";

export { sortNameOf };

const KIND_OF_TYPE: Readonly<Record<string, DocumentKind>> = {
  "application/pdf": "pdf",
  "application/rtf": "text",
  "text/rtf": "text",
  "application/json": "text",
  "application/xml": "text",
  "application/epub+zip": "text",
  "application/msword": "text",
  "application/vnd.oasis.opendocument.text": "text",
  "application/vnd.oasis.opendocument.text-template": "text",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "text",
  "text/csv": "spreadsheet",
  "application/vnd.ms-excel": "spreadsheet",
  "application/vnd.oasis.opendocument.spreadsheet": "spreadsheet",
  "application/vnd.oasis.opendocument.spreadsheet-template": "spreadsheet",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "spreadsheet",
  "application/vnd.ms-powerpoint": "presentation",
  "application/vnd.oasis.opendocument.presentation": "presentation",
  "application/vnd.oasis.opendocument.presentation-template": "presentation",
  "application/vnd.openxmlformats-officedocument.presentationml.presentation": "presentation",
  "message/rfc822": "mail",
  "application/vnd.ms-outlook": "mail",
  "application/zip": "archive",
  "application/gzip": "archive",
  "application/x-tar": "archive",
  "application/x-7z-compressed": "archive",
};

const KIND_OF_FAMILY: Readonly<Record<string, DocumentKind>> = {
  image: "picture",
  video: "film",
  audio: "sound",
  text: "text",
};

const ENDINGS: Readonly<Partial<Record<DocumentKind, readonly string[]>>> = {
  pdf: ["pdf"],
  text: ["txt", "md", "doc", "dot", "docx", "odt", "ott", "rtf", "epub", "htm", "html", "json", "xml", "log"],
  spreadsheet: ["csv", "xls", "xlt", "xlsx", "ods", "ots"],
  presentation: ["ppt", "pps", "pot", "pptx", "odp", "otp"],
  mail: ["eml", "msg"],
  picture: ["jpg", "jpeg", "png", "webp", "gif", "tif", "tiff", "heic", "svg"],
  film: ["mp4", "mov", "mkv", "webm", "avi"],
  sound: ["mp3", "wav", "m4a", "ogg", "flac"],
  archive: ["zip", "7z", "rar", "gz", "tar"],
};
const KIND_OF_ENDING = new Map(
  Object.entries(ENDINGS).flatMap(([kind, endings]) => endings.map((ending) => [ending, kind as DocumentKind])),
);

/** What sort of file it is, by its media type, and by the ending of its name where the type says nothing. */
export function kindOf(contentType: string, fileName: string): DocumentKind {
  const type = contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const ending = /\.([^.]+)$/.exec(fileName)?.[1]?.toLowerCase() ?? "";
  return KIND_OF_TYPE[type] ?? KIND_OF_FAMILY[type.split("/", 1)[0] ?? ""] ?? KIND_OF_ENDING.get(ending) ?? "other";
}

/** In the text of the statement, not as a parameter: the index of such documents is for this condition only. */
const unsorted = sql.raw("documents.sort_name = ''");

/** Fills the columns that lists are sorted by, for documents of the time before these columns. */
export const sortDocuments: RecurringHandler<"sort-documents"> = {
  hasWork: () => sql`EXISTS (SELECT 1 FROM ${documents} WHERE ${unsorted} AND ${isHere(documents.tenantId)})`,
  async run(context) {
    const { workspace } = context;
    const rows = await workspace
      .select({
        id: documents.id,
        tenantId: documents.tenantId,
        fileName: documents.fileName,
        contentType: documentVersions.contentType,
        sizeBytes: documentVersions.sizeBytes,
      })
      .from(documents)
      .leftJoin(
        documentVersions,
        and(eq(documentVersions.documentId, documents.id), eq(documentVersions.version, documents.latestVersion)),
      )
      .where(and(unsorted, isHere(documents.tenantId)))
      .limit(SORTED_DOCUMENTS_PER_SLICE);
    if (rows.length === 0) return complete();
    const filled = rows.map(({ id, fileName, contentType, sizeBytes }) => [
      id,
      fileName,
      sortNameOf(fileName),
      kindOf(contentType ?? "", fileName),
      sizeBytes ?? 0,
    ]);
    const change = beginChange(
      context,
      rows.map(({ tenantId }) => tenantId),
    ).add(sql`UPDATE documents SET sort_name = j.value ->> 2, kind = j.value ->> 3, size_bytes = j.value ->> 4
      FROM json_each(${JSON.stringify(filled)}) j WHERE documents.id = j.value ->> 0 AND documents.file_name = j.value ->> 1
        AND ${unsorted}`);
    return rows.length < SORTED_DOCUMENTS_PER_SLICE ? complete(change) : continueLater(null, { change });
  },
};
