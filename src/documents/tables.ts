import { type SQL, sql } from "drizzle-orm";
import { customType, integer, primaryKey, text } from "drizzle-orm/sqlite-core";
import { workspaceTable } from "../platform/db/sides";
import { PAGE_OUTCOMES } from "../platform/ports";

export const TEXT_STATUSES = [
  "pending",
  "indexed",
  "empty",
  "encrypted",
  "damaged",
  "unsupported",
  "unknown-charset",
  "too-large",
  "failed",
  "recognizing",
  "recognized",
  "illegible",
  "recognition-off",
  "recognition-limit",
] as const;
export type TextStatus = (typeof TEXT_STATUSES)[number];

export const CONTAINED_FILES_STATUSES = ["running", "done", "stopped"] as const;

/** How far the files inside a version have become documents. */
export interface ContainedFiles {
  status: (typeof CONTAINED_FILES_STATUSES)[number];
  /** The folder of the documents, and its location. */
  path: string;
  locationId: string;
  /** Files in all, null until they were counted, and files so far. */
  total: number | null;
  done: number;
  /** Files whose bytes could not be read. */
  unread: number;
  /** A sentence for the person who asked, or null. */
  reason: string | null;
  createdBy: string;
}

export const DERIVATIVE_STATUSES = ["none", "pending", "ready", "failed"] as const;

/** What sort of file a document is. */
export const DOCUMENT_KINDS = [
  "pdf",
  "text",
  "spreadsheet",
  "presentation",
  "mail",
  "picture",
  "film",
  "sound",
  "archive",
  "other",
] as const;
export type DocumentKind = (typeof DOCUMENT_KINDS)[number];

export const documents = workspaceTable("documents", {
  id: text().primaryKey(),
  tenantId: text("tenant_id").notNull(),
  organizationId: text("organization_id"),
  clusterId: text("cluster_id").notNull(),
  locationId: text("location_id").notNull(),
  path: text().notNull(),
  fileName: text("file_name").notNull(),
  latestVersion: integer("latest_version").notNull().default(0),
  nextVersion: integer("next_version").notNull().default(1),
  textVersion: integer("text_version").notNull().default(0),
  textStatus: text("text_status", { enum: TEXT_STATUSES }).notNull().default("pending"),
  textDetail: text("text_detail"),
  pageCount: integer("page_count"),
  recognizedLanguage: text("recognized_language"),
  recognizedConfidence: integer("recognized_confidence"),
  revision: integer().notNull().default(1),
  createdBy: text("created_by"),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
  deletedAt: integer("deleted_at"),
  /** The file name in natural order (`sortNameOf`); "" until the job `sort-documents` has filled an older row. */
  sortName: text("sort_name").notNull().default(""),
  /** Of the latest version, as is the size in bytes. */
  kind: text({ enum: DOCUMENT_KINDS }).notNull().default("other"),
  sizeBytes: integer("size_bytes").notNull().default(0),
  /** `createdBy` without a null, so that a page can begin after it. */
  addedBy: text("added_by").generatedAlwaysAs(sql`ifnull(created_by, '')`),
});

/*
 * The conditions for the existence of a document. Use only these. They are beside the table because every feature joins
 * it. `row` is the alias of the documents table in the statement.
 */

/** The document is not deleted. It may still wait for its first version, and its location may be deleted. */
export const documentNotDeleted = (row = "documents"): SQL => sql.raw(`${row}.deleted_at IS NULL`);

/**
 * The document is not deleted and has a complete version. Its location may be deleted: the index keeps the document
 * for a restoration.
 */
export const documentPublished = (row = "documents"): SQL =>
  sql.raw(`(${row}.deleted_at IS NULL AND ${row}.latest_version > 0)`);

/**
 * Visible to people who have access: published, and in a location that is not deleted. `location` is joined already.
 */
export const joinedDocumentExists = (row = "documents", location = "locations"): SQL =>
  sql`(${documentPublished(row)} AND ${sql.raw(location)}.deleted_at IS NULL)`;

/** The same in a statement that does not join the location; it costs one lookup by key. */
export const documentExists = (row = "documents"): SQL =>
  sql`(${documentPublished(row)} AND EXISTS (SELECT 1 FROM locations AS home
    WHERE home.id = ${sql.raw(row)}.location_id AND home.deleted_at IS NULL))`;

export const documentVersions = workspaceTable(
  "document_versions",
  {
    documentId: text("document_id").notNull(),
    version: integer().notNull(),
    objectKey: text("object_key").notNull(),
    fileName: text("file_name").notNull(),
    contentType: text("content_type").notNull(),
    sizeBytes: integer("size_bytes").notNull(),
    checksumSha256: text("checksum_sha256").notNull(),
    derivativeStatus: text("derivative_status", { enum: DERIVATIVE_STATUSES }).notNull().default("none"),
    derivativeDetail: text("derivative_detail"),
    smallKey: text("small_key"),
    mediumKey: text("medium_key"),
    width: integer(),
    height: integer(),
    createdBy: text("created_by"),
    createdAt: integer("created_at").notNull(),
    /** The pages of a HEIC or TIFF file whose pictures were drawn: from 1 to this number. */
    pagePictures: integer("page_pictures").notNull().default(0),
    /** How far the files inside the version have become documents; null if nobody asked for it. */
    containedFiles: text("contained_files", { mode: "json" }).$type<ContainedFiles>(),
  },
  (t) => [primaryKey({ columns: [t.documentId, t.version] })],
);

/** Consecutive passages of one page. `chunkIndex` is the index of the first one. */
export const textSections = workspaceTable("text_sections", {
  id: integer().primaryKey(),
  documentId: text("document_id").notNull(),
  version: integer().notNull(),
  page: integer(),
  chunkIndex: integer("chunk_index").notNull(),
  texts: text({ mode: "json" }).$type<string[]>().notNull(),
  /** Counts the changes of the section. */
  revision: integer().notNull().default(0),
});

/** The index of the passage after a section. */
export const endOfSection = sql<number>`${textSections.chunkIndex} + json_array_length(${textSections.texts})`;

/**
 * Consecutive pages that wait for recognition. `passage` is the index of their first passage. Passages of an earlier recognition, which
 * they replace, are below `replacedBefore`.
 */
export const unreadPages = workspaceTable(
  "unread_pages",
  {
    documentId: text("document_id").notNull(),
    version: integer().notNull(),
    firstPage: integer("first_page").notNull(),
    lastPage: integer("last_page").notNull(),
    passage: integer().notNull(),
    replacedBefore: integer("replaced_before").notNull().default(0),
  },
  (t) => [primaryKey({ columns: [t.documentId, t.version, t.firstPage] })],
);

export const recognizedPages = workspaceTable(
  "recognized_pages",
  {
    documentId: text("document_id").notNull(),
    version: integer().notNull(),
    page: integer().notNull(),
    outcome: text({ enum: PAGE_OUTCOMES }).notNull(),
    objectKey: text("object_key"),
    words: integer().notNull(),
    confidence: integer().notNull(),
    language: text(),
    passages: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.documentId, t.version, t.page] })],
);

/** The colours of tags. Each has a form for both themes of the console. */
export const TAG_COLORS = [
  "grey",
  "red",
  "orange",
  "yellow",
  "green",
  "teal",
  "blue",
  "purple",
  "pink",
  "brown",
] as const;

export const tags = workspaceTable("tags", {
  id: text().primaryKey(),
  tenantId: text("tenant_id").notNull(),
  organizationId: text("organization_id"),
  name: text().notNull(),
  /** The name as a search has it (`tagWord`). It is unique in the workspace. */
  word: text().notNull(),
  color: text({ enum: TAG_COLORS }).notNull(),
  revision: integer().notNull().default(1),
  createdBy: text("created_by"),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
});

export const documentTags = workspaceTable(
  "document_tags",
  {
    documentId: text("document_id").notNull(),
    tagId: text("tag_id").notNull(),
  },
  (t) => [primaryKey({ columns: [t.documentId, t.tagId] })],
);

/** A folder that people made. A folder also exists while the path of a document has it. */
export const folders = workspaceTable("folders", {
  id: text().primaryKey(),
  tenantId: text("tenant_id").notNull(),
  locationId: text("location_id").notNull(),
  path: text().notNull(),
  createdBy: text("created_by"),
  createdAt: integer("created_at").notNull(),
  /** The time of the change that deleted it with its documents. */
  deletedAt: integer("deleted_at"),
});

export const FOLDER_CHANGE_TYPES = ["move", "delete", "restore"] as const;
export const FOLDER_CHANGE_STATUSES = ["running", "done", "stopped"] as const;

/** The place that a folder moves to. `locationId` is null if it stays in its location. */
export interface FolderPlace {
  locationId: string | null;
  path: string;
}

/** No path begins with a slash. So `/<id of a location>/<path>` is a place in another location. */
const folderPlace = customType<{ data: FolderPlace; driverData: string }>({
  dataType: () => "text",
  toDriver: ({ locationId, path }) => (locationId === null ? path : `/${locationId}/${path}`),
  fromDriver: (place) => {
    if (!place.startsWith("/")) return { locationId: null, path: place };
    const end = place.indexOf("/", 1);
    return { locationId: place.slice(1, end), path: place.slice(end + 1) };
  },
});

/** Moves, deletions and restorations of folders with everything below them. */
export const folderChanges = workspaceTable("folder_changes", {
  id: text().primaryKey(),
  tenantId: text("tenant_id").notNull(),
  locationId: text("location_id").notNull(),
  type: text({ enum: FOLDER_CHANGE_TYPES }).notNull(),
  path: text().notNull(),
  /** Of a move. */
  newPlace: folderPlace("new_path"),
  status: text({ enum: FOLDER_CHANGE_STATUSES }).notNull(),
  /** Documents at the beginning, changed so far, and refused so far with the reason of the first. */
  total: integer().notNull(),
  done: integer().notNull(),
  refused: integer().notNull(),
  reason: text(),
  /** The deletion time of everything that a deletion deletes and a restoration restores. */
  deletedAt: integer("deleted_at"),
  createdBy: text("created_by"),
  createdAt: integer("created_at").notNull(),
  finishedAt: integer("finished_at"),
});

/** The address of a location to which people send documents by mail. */
export const mailAddresses = workspaceTable("mail_addresses", {
  locationId: text("location_id").primaryKey(),
  tenantId: text("tenant_id").notNull(),
  organizationId: text("organization_id"),
  localPart: text("local_part").notNull(),
  isEnabled: integer("is_enabled", { mode: "boolean" }).notNull(),
  path: text().notNull(),
  /** Addresses and domains. Empty: people who may add documents at the location. */
  senders: text({ mode: "json" }).$type<string[]>().notNull(),
  kinds: text({ mode: "json" }).$type<DocumentKind[]>(),
  maxBytes: integer("max_bytes"),
  /** The person with whose rights the documents are added. */
  actsFor: text("acts_for").notNull(),
  revision: integer().notNull().default(1),
  createdBy: text("created_by").notNull(),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
});

export const ARRIVAL_STATUSES = ["waiting", "filed", "refused"] as const;

/** Why a mail was refused. `unreadable` of a filed one: its attachments could not be read, so it was filed as a whole. */
export const ARRIVAL_REASONS = [
  "sender-unverified",
  "sender-not-allowed",
  "person-left",
  "too-large",
  "unreadable",
  "kind-not-allowed",
  "too-many-attachments",
  "storage-full",
  "location-deleted",
] as const;
export type ArrivalReason = (typeof ARRIVAL_REASONS)[number];

/** Mails that came to the address of a location. */
export const mailArrivals = workspaceTable("mail_arrivals", {
  id: text().primaryKey(),
  tenantId: text("tenant_id").notNull(),
  locationId: text("location_id").notNull(),
  digest: text().notNull(),
  sender: text().notNull(),
  subject: text().notNull(),
  sizeBytes: integer("size_bytes").notNull(),
  status: text({ enum: ARRIVAL_STATUSES }).notNull(),
  reason: text({ enum: ARRIVAL_REASONS }),
  /** What the reason names: the attachment that was refused, or the limit. */
  named: text(),
  documents: integer().notNull().default(0),
  /** The document of the mail itself. */
  documentId: text("document_id"),
  /** The object with the mail until it is filed or refused. */
  rawKey: text("raw_key"),
  path: text().notNull(),
  kinds: text({ mode: "json" }).$type<DocumentKind[]>(),
  actsFor: text("acts_for").notNull(),
  /** The address that gets an answer if the mail is refused. Null: nobody. */
  answerTo: text("answer_to"),
  messageId: text("message_id"),
  createdAt: integer("created_at").notNull(),
  finishedAt: integer("finished_at"),
});
