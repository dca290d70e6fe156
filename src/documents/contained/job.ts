import { and, eq } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { beginChange, type Change } from "../../platform/db/change";
import { DomainError } from "../../platform/errors";
import { complete, continueLater, type JobHandler, type Outcome } from "../../platform/jobs/handlers";
import { alone } from "../../platform/pace";
import { findLocation, type LocationRow } from "../../workspace";
import { attachmentsOf, type Content, contentOf, freeNames, mayAdd } from "../arrivals";
import type { DocumentRow, VersionKey, VersionRow } from "../document";
import { type AttachedFile, detectFormat, filesOfMsg, filesOfPdf, objectSource, Unreadable } from "../extraction";
import { FILED_DOCUMENTS_PER_SLICE, MAX_ARRIVAL_BYTES, MAX_ATTACHMENTS } from "../limits";
import { type ContainedFiles, documents, documentVersions } from "../tables";
import { addGeneratedVersion, setContainedFiles } from "../versions/versions";
import { isStill } from "./contained";

/** A file inside a document. It is null if its bytes are stored in a way that is not read. */
type Inside = () => Promise<Content | null>;

const inside =
  ({ fileName, mediaType, read }: AttachedFile): Inside =>
  async () => {
    const content = await read();
    const filename = fileName === "" ? null : fileName;
    return content && contentOf({ filename, mimeType: mediaType, content });
  };

/**
 * Lists the files inside a version of a document, at most `most`, in the order of the file: the attachments of a mail (EML, MSG) or
 * a PDF. Other documents have none. A file inside these files is not listed.
 * @throws Unreadable if the document is larger than MAX_ARRIVAL_BYTES, damaged or encrypted.
 */
async function filesInside(
  { objects }: Context,
  { objectKey, fileName, contentType, sizeBytes }: VersionRow,
  most: number,
): Promise<Inside[]> {
  const source = objectSource(objects, objectKey, sizeBytes);
  const format = await formatOf({ source, fileName, contentType });
  if (format === null) return [];
  if (sizeBytes > MAX_ARRIVAL_BYTES)
    throw new Unreadable("too-large", "Files are taken out of documents of up to 16 MiB.");
  if (format === "msg") return (await filesOfMsg(source, most)).map(inside);
  const bytes = Uint8Array.from(await source.read(0, sizeBytes));
  if (format === "pdf") return (await filesOfPdf(bytes, most)).map(inside);
  const attachments = await attachmentsOf(bytes);
  if (attachments === null) throw new Unreadable("damaged", "The mail has more parts than the service reads.");
  return attachments.slice(0, most).map((content) => async () => content);
}

/** The format of a document that can have files inside; null for another one. */
async function formatOf(input: Parameters<typeof detectFormat>[0]): Promise<"pdf" | "eml" | "msg" | null> {
  try {
    const format = await detectFormat(input);
    return format === "pdf" || format === "eml" || format === "msg" ? format : null;
  } catch (thrown) {
    if (thrown instanceof Unreadable) return null;
    throw thrown;
  }
}

/** Why files are not taken out, or not all of them. */
const REASONS = {
  none: "There are no files inside.",
  more: `Only the first ${MAX_ATTACHMENTS} files were taken out.`,
  unread: "Some files are stored in a way that the service does not read. They were left out.",
  documentDeleted: "The document was deleted.",
  locationDeleted: "The location was deleted.",
  accessEnded: "The person who asked for this may not add documents here any more.",
  full: "The storage is full. Delete documents or ask for more, and try again.",
  failed: "The service could not go on. Try again.",
} as const;

interface Found {
  document: DocumentRow;
  version: VersionRow;
  state: ContainedFiles;
}

async function find({ workspace }: Context, { documentId, version }: VersionKey): Promise<Found | null> {
  const [found] = await workspace
    .select({ document: documents, version: documentVersions })
    .from(documentVersions)
    .innerJoin(documents, eq(documents.id, documentVersions.documentId))
    .where(and(eq(documentVersions.documentId, documentId), eq(documentVersions.version, version)));
  const state = found?.version.containedFiles ?? null;
  return found === undefined || state?.status !== "running" ? null : { ...found, state };
}

const overtaken = () => new DomainError("unavailable", "Another job takes the files out.");

/** Adds a state of the version to a change, unless another job has written one, and tells the live views of its location. */
function write(context: Context, change: Change, found: Found, state: ContainedFiles): Change {
  const { document, version } = found;
  const { id: documentId, tenantId, locationId } = document;
  change
    .add(setContainedFiles(context, { documentId, version: version.version }, state, isStill(found.state)))
    .guardChanged(overtaken());
  const event = { type: "state-updated", subject: "document", subjectId: documentId } as const;
  return change.announce({ ...event, locationId, action: "updated", revision: null }, tenantId);
}

const stop = (context: Context, found: Found, reason: string): Outcome => {
  const change = beginChange(context, found.document.tenantId);
  return complete(write(context, change, found, { ...found.state, status: "stopped", reason }));
};

const isFull = (thrown: unknown): boolean => thrown instanceof DomainError && thrown.code === "storage-full";

async function slice(context: Context, found: Found, location: LocationRow): Promise<Outcome> {
  const { document, version, state } = found;
  const files = await filesInside(context, version, MAX_ATTACHMENTS + 1);
  const total = Math.min(files.length, MAX_ATTACHMENTS);
  const contents = [];
  let held = 0;
  for (const file of files.slice(state.done, Math.min(total, state.done + FILED_DOCUMENTS_PER_SLICE))) {
    const content = await file();
    contents.push(content);
    held += content?.bytes.length ?? 0;
    // A few bytes of a PDF can unpack to a large file: a slice holds no more than two of the largest.
    if (held >= MAX_ARRIVAL_BYTES) break;
  }
  // The other of two jobs was faster: it goes on.
  const now = await find(context, { documentId: document.id, version: version.version });
  if (JSON.stringify(now?.state) !== JSON.stringify(state)) return complete();
  const readable = contents.filter((content) => content !== null);
  const names = await freeNames(
    context,
    { locationId: location.id, path: state.path },
    readable.map(({ fileName }) => fileName),
  );
  const change = beginChange(context, document.tenantId);
  for (const [n, { contentType, bytes }] of readable.entries())
    await addGeneratedVersion(context, change, location, {
      ...{ document: null, path: state.path, fileName: names[n] ?? "", contentType, bytes },
      createdBy: state.createdBy,
    });
  const done = state.done + contents.length;
  const unread = state.unread + contents.length - readable.length;
  const progress = { done, total };
  if (done < total) {
    write(context, change, found, { ...state, locationId: location.id, total, done, unread });
    return continueLater(null, { change, progress });
  }
  const reason = total === 0 ? REASONS.none : files.length > total ? REASONS.more : unread > 0 ? REASONS.unread : null;
  write(context, change, found, { ...state, status: "done", locationId: location.id, total, done, unread, reason });
  return complete(change, progress);
}

/**
 * Makes documents of the files inside a document, in slices. A slice commits its documents with the number of files that are done, so
 * a worker that is killed repeats nothing. Each slice checks the access of the person again.
 */
export const takeOutFilesJob: JobHandler<"take-out-files"> = {
  async run(context, { payload }) {
    const found = await find(context, payload);
    if (found === null) return complete();
    // It can come back from the trash.
    if (found.document.deletedAt !== null) return stop(context, found, REASONS.documentDeleted);
    const location = await findLocation(context, found.document.locationId);
    if (location === null) return stop(context, found, REASONS.locationDeleted);
    if (!(await mayAdd(context, location, found.state.createdBy))) return stop(context, found, REASONS.accessEnded);
    try {
      return await alone(() => slice(context, found, location));
    } catch (thrown) {
      if (thrown instanceof Unreadable) return stop(context, found, thrown.detail);
      if (isFull(thrown)) return stop(context, found, REASONS.full);
      throw thrown;
    }
  },
  async failed(context, { payload }, change) {
    const found = await find(context, payload);
    if (found !== null) write(context, change, found, { ...found.state, status: "stopped", reason: REASONS.failed });
  },
};
