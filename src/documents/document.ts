import { z } from "@hono/zod-openapi";
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { Context as HonoContext } from "hono";
import { type Level, levelsAt, READ, type ResourcePath, requireLevel, requireUser, type UserCaller } from "../access";
import { people } from "../access/tables";
import type { AppEnv, Context } from "../platform/context";
import type { Change } from "../platform/db/change";
import type { WorkspaceDatabase } from "../platform/db/database";
import { DomainError, notFound } from "../platform/errors";
import { nameProblem } from "../platform/http/fields";
import { setRevision } from "../platform/http/revision";
import { idSchema } from "../platform/ids";
import { sayTo } from "../platform/languages/reader";
import { toUtc, utcSchema } from "../platform/time";
import { levelsSchema, levelsTag, type ShareableKind } from "../workspace";
import { locations } from "../workspace/tables";
import { MAX_FULL_NAME_BYTES, MAX_SEGMENT_LENGTH } from "./limits";
import {
  DERIVATIVE_STATUSES,
  DOCUMENT_KINDS,
  documentExists,
  documents,
  documentTags,
  documentVersions,
  joinedDocumentExists,
  TAG_COLORS,
  TEXT_STATUSES,
  tags,
} from "./tables";

export type DocumentRow = typeof documents.$inferSelect;
export type VersionRow = typeof documentVersions.$inferSelect;

/** Names one version of a document. */
export interface VersionKey {
  documentId: string;
  version: number;
}

/** A document with its latest version. */
export interface FoundDocument {
  document: DocumentRow;
  version: VersionRow;
  versionCount: number;
  tags: readonly DocumentTag[];
  /** Who added it, by name. Null if the service added it, or the account was deleted. */
  createdByName: string | null;
}

/** A tag as its documents show it. */
interface DocumentTag extends z.infer<typeof documentTagSchema> {
  revision: number;
}

export const documentPath = (
  row: Pick<DocumentRow, "id" | "tenantId" | "organizationId" | "clusterId" | "locationId">,
): ResourcePath => ({
  tenantId: row.tenantId,
  organizationId: row.organizationId,
  clusterId: row.clusterId,
  locationId: row.locationId,
  documentId: row.id,
});

const versionCount = sql<number>`(SELECT count(*) FROM ${documentVersions} AS counted
  WHERE counted.document_id = ${documents.id})`;

const tagsOfDocument = sql<DocumentTag[]>`(SELECT json_group_array(
    json_object('id', tagged.id, 'name', tagged.name, 'color', tagged.color, 'revision', tagged.revision) ORDER BY tagged.word)
  FROM ${documentTags} AS of_tag JOIN ${tags} AS tagged ON tagged.id = of_tag.tag_id
  WHERE of_tag.document_id = ${documents.id})`.mapWith((list: string) => JSON.parse(list) as DocumentTag[]);

const createdByName = sql<string | null>`(SELECT author.display_name FROM ${people} AS author
  WHERE author.id = ${documents.createdBy} AND author.deleted_at IS NULL)`;

/**
 * Selects documents that exist: with a complete version, not deleted, in a location that is not deleted. `where` limits
 * them to documents that the caller may see.
 */
export const selectDocuments = (workspace: WorkspaceDatabase, where: SQL | undefined) =>
  workspace
    .select({ document: documents, version: documentVersions, versionCount, tags: tagsOfDocument, createdByName })
    .from(documents)
    .innerJoin(locations, eq(locations.id, documents.locationId))
    .innerJoin(
      documentVersions,
      and(eq(documentVersions.documentId, documents.id), eq(documentVersions.version, documents.latestVersion)),
    )
    .where(and(joinedDocumentExists(), where));

/** Reads a document that the caller may use at this level. @throws DomainError 401, 403, 404 (also for a hidden one). */
export async function requireDocument(context: Context, documentId: string, level: Level): Promise<FoundDocument> {
  requireUser(context);
  const [found] = await selectDocuments(context.workspace, eq(documents.id, documentId));
  if (found === undefined) throw notFound();
  requireLevel(context, documentPath(found.document), "Documents", "Documents", level);
  return found;
}

const encoder = new TextEncoder();
const bytesOf = (text: string): number => encoder.encode(text).byteLength;

/** The problem of a path segment, as the end of a sentence, or null. */
function segmentProblem(segment: string): string | null {
  if (segment === "") return "may not have an empty segment, and may not begin or end with a slash";
  if (segment === "." || segment === "..") return "may not have the segments . and ..";
  // A character outside of the basic plane is two units of a string, and one for people.
  if ([...segment].length > MAX_SEGMENT_LENGTH)
    return `may have at most ${MAX_SEGMENT_LENGTH} characters in each segment`;
  return nameProblem(segment);
}

/** Whether a segment looks like a version in an object key: `v00000001`. */
const isVersionSegment = (segment: string): boolean => /^v\d{8}$/.test(segment);

const normalised = z
  .string()
  .max(MAX_FULL_NAME_BYTES)
  .overwrite((text) => text.normalize("NFC"));

/** Folder of a document within its location: segments with slashes between them. "" is the root. */
export const pathSchema = normalised
  .superRefine((path, context) => {
    if (path === "") return;
    const segments = path.split("/");
    const problem = segments.map(segmentProblem).find((found) => found !== null);
    if (problem) context.addIssue({ code: "custom", message: problem });
    if (segments.some(isVersionSegment))
      context.addIssue({ code: "custom", message: "may not have a segment of v and eight digits: it means a version" });
  })
  .openapi({
    example: "plans/2026",
    description: "The service compares paths exactly, after Unicode normalization to NFC.",
  });

/** Name of a file within its folder. */
export const fileNameSchema = normalised
  .superRefine((name, context) => {
    const problem = name.includes("/") ? "may not have a slash" : segmentProblem(name);
    if (problem !== null) context.addIssue({ code: "custom", message: problem });
  })
  .openapi({ example: "ground floor.pdf" });

/** Path and file name as one string. */
export const fullName = ({ path, fileName }: { path: string; fileName: string }): string =>
  path === "" ? fileName : `${path}/${fileName}`;

const isTooLong = (name: { path: string; fileName: string }): boolean => bytesOf(fullName(name)) > MAX_FULL_NAME_BYTES;

/** Key of one version's bytes. Each document has its own prefix, so a move can never collide. */
export function objectKey(
  owner: { tenantId: string; documentId: string },
  { path, fileName }: { path: string; fileName: string },
  version: number,
): string {
  const folder = path === "" ? "" : `${path}/`;
  return `${owner.tenantId}/${owner.documentId}/documents/${folder}v${String(version).padStart(8, "0")}/${fileName}`;
}

/** Refuses a path and a file name that are too long together. @throws DomainError validation-failed. */
export function requireShortName(name: { path: string; fileName: string }): void {
  if (isTooLong(name))
    throw new DomainError(
      "validation-failed",
      `Path and file name together must have at most ${MAX_FULL_NAME_BYTES} bytes. Shorten one of them.`,
      { errors: [{ path: "path", message: "too long together with fileName" }] },
    );
}

export const checksumSchema = z
  .string()
  .regex(/^[0-9a-f]{64}$/, "must be 64 lower-case hex characters")
  .openapi({
    description: "SHA-256 of the bytes.",
    example: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  });

const documentTagSchema = z
  .object({ id: idSchema, name: z.string(), color: z.enum(TAG_COLORS) })
  .openapi("DocumentTag");

export const documentSchema = z
  .object({
    id: idSchema,
    locationId: idSchema,
    clusterId: idSchema,
    organizationId: idSchema.nullable(),
    path: z.string(),
    fileName: z.string(),
    contentType: z.string(),
    kind: z.enum(DOCUMENT_KINDS).openapi({ description: "What sort of file the latest version is." }),
    tags: z.array(documentTagSchema),
    sizeBytes: z.int(),
    checksumSha256: checksumSchema,
    version: z.int(),
    versionCount: z.int(),
    textStatus: z.enum(TEXT_STATUSES),
    textDetail: z.string().nullable(),
    pageCount: z.int().nullable(),
    recognition: z
      .object({
        language: z.string().nullable().openapi({ description: "The main language, BCP 47. Null if unknown." }),
        confidence: z.int().openapi({ description: "The mean confidence of the words, 0 to 100." }),
      })
      .nullable()
      .openapi({ description: "How the text of scanned pages was recognized. Null for other documents." }),
    derivativeStatus: z.enum(DERIVATIVE_STATUSES).openapi({
      description:
        "State of the small and medium derivatives: of a picture, or of the first page of a PDF. `none`: there are none.",
    }),
    derivativeDetail: z.string().nullable().openapi({ description: "The reason why the derivatives failed." }),
    width: z
      .int()
      .nullable()
      .openapi({ description: "Width in pixels, after the rotation that the file's EXIF data asks for." }),
    height: z.int().nullable(),
    pagePictures: z.int().openapi({
      description: "The pages of a HEIC or TIFF file that have a picture (`linkType=page`): from 1 to this number.",
    }),
    capabilities: levelsSchema,
    revision: z.int(),
    createdBy: idSchema.nullable(),
    createdByName: z.string().nullable().openapi({ description: "The name of the person who added the document." }),
    createdAtUtc: utcSchema,
    updatedAtUtc: utcSchema,
  })
  .openapi("Document");

/**
 * A document in the form of the API: its own fields, the fields of its latest version, and the caller's capabilities.
 */
export const presentDocument = (
  context: Context,
  { document, version, versionCount, tags, createdByName }: FoundDocument,
): z.infer<typeof documentSchema> => ({
  id: document.id,
  locationId: document.locationId,
  clusterId: document.clusterId,
  organizationId: document.organizationId,
  path: document.path,
  fileName: document.fileName,
  contentType: version.contentType,
  kind: document.kind,
  tags: tags.map(({ id, name, color }) => ({ id, name, color })),
  sizeBytes: version.sizeBytes,
  checksumSha256: version.checksumSha256,
  version: version.version,
  versionCount,
  textStatus: document.textStatus,
  textDetail: sayTo(context, document.textDetail),
  pageCount: document.pageCount,
  recognition:
    document.textStatus === "recognized"
      ? { language: document.recognizedLanguage, confidence: document.recognizedConfidence ?? 0 }
      : null,
  derivativeStatus: version.derivativeStatus,
  derivativeDetail: sayTo(context, version.derivativeDetail),
  width: version.width,
  height: version.height,
  pagePictures: version.pagePictures,
  capabilities: levelsAt(requireUser(context).facts, documentPath(document)),
  revision: document.revision,
  createdBy: document.createdBy,
  createdByName,
  createdAtUtc: toUtc(document.createdAt),
  updatedAtUtc: toUtc(document.updatedAt),
});

/**
 * The fields of a document that change between two revisions: by jobs, and by the caller's access. They are part of the
 * ETag, so a reader sees the change. They are not part of the revision, so they do not make a writer's revision stale.
 */
const progressOf = (caller: UserCaller, { document, version, tags }: FoundDocument): string =>
  [
    document.textStatus,
    document.textVersion,
    document.pageCount ?? "none",
    version.derivativeStatus,
    version.pagePictures,
    ...tags.map(({ id, revision }) => `${id.slice(-6)}-${revision}`),
    levelsTag(levelsAt(caller.facts, documentPath(document))),
  ].join("-");

/** Answers with a document and its ETag. */
export function answerDocument(c: HonoContext<AppEnv>, found: FoundDocument) {
  const caller = requireUser(c.get("context"));
  setRevision(c, found.document.revision, progressOf(caller, found));
  return c.json(presentDocument(c.get("context"), found), 200);
}

/** Queues the indexing of a document's own fields, in the change that writes them. */
export function queueDocumentIndex(change: Change, { id, tenantId }: { id: string; tenantId: string }): void {
  change.job("index-asset", { type: "document", id }, { tenantId, dedupeKey: `index-asset:${id}` });
}

/** Queues the recognition of a version's pages, unless it is queued already. Of two jobs that run at once, one ends. */
export function queueRecognition(change: Change, { documentId, version }: VersionKey, tenantId: string): void {
  const dedupeKey = `recognize-document:${documentId}:${version}`;
  change.job("recognize-document", { documentId, version }, { tenantId, dedupeKey });
}

/** Condition: all of these documents exist. */
export const documentsExist = (ids: readonly string[]): SQL => sql`NOT EXISTS (
  SELECT 1 FROM json_each(${JSON.stringify(ids)}) AS named
  WHERE NOT EXISTS (SELECT 1 FROM ${documents} WHERE ${documents.id} = named.value AND ${documentExists()}))`;

/** Documents, as people share them. */
export const SHAREABLE_DOCUMENTS: ShareableKind = {
  target: "document",
  path: "/v1/documents/{documentId}",
  capability: "Documents",
  requirePath: async (context, id) => documentPath((await requireDocument(context, id, READ)).document),
  exists: (id) => sql`EXISTS (SELECT 1 FROM ${documents} WHERE ${documents.id} = ${id} AND ${documentExists()})`,
  async describe({ workspace }, id) {
    const { fileName, locationId } = documents;
    const [row] = await workspace.select({ name: fileName, locationId }).from(documents).where(eq(documents.id, id));
    return row ?? null;
  },
};
