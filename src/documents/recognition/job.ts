import { eq, sql } from "drizzle-orm";
import { organizations } from "../../access/tables";
import type { Context } from "../../platform/context";
import { beginChange, type Change } from "../../platform/db/change";
import { DomainError } from "../../platform/errors";
import { complete, continueLater, type JobHandler, type Outcome } from "../../platform/jobs/handlers";
import { PICTURE_HEADER_BYTES, PICTURE_TYPES, pictureSize } from "../../platform/pictures/headers";
import { BrowsersBusy, type RecognizedPage } from "../../platform/ports";
import { toUtc } from "../../platform/time";
import { confirmPendingObjects, registerPendingObjects } from "../../uploads";
import { chargeJobs, freeJobs } from "../../workspace";
import type { VersionKey } from "../document";
import { loadVersion, objectSource, type Passage, PassageBuilder, publishText, writeSections } from "../extraction";
import {
  MAX_PASSAGES,
  MAX_PHOTO_PIXELS,
  MAX_SCAN_PAGES,
  PENDING_OBJECT_LIFETIME_MS,
  SCAN_PAGES_PER_SLICE,
} from "../limits";
import { documentNotDeleted, documents, recognizedPages, type TextStatus } from "../tables";
import { loadTally, recognitionOf, type Tally, tallied } from "./progress";
import { languageOf, legible, meanConfidence, paragraphsOf } from "./text";
import { encodeWords, wordsKey } from "./words";

type Scan = NonNullable<Awaited<ReturnType<typeof loadVersion>>>;

/**
 * Recognizes the text of a version whose pages are pictures, some pages in each slice. A slice writes its pages together
 * with the job's state, so a repeated slice reads its pages again and nothing twice. If the version is not the latest any
 * more, or the document was deleted, the job ends without an error.
 */
export const recognizeDocument: JobHandler<"recognize-document"> = {
  async run(context, { payload }) {
    const scan = await loadVersion(context, payload);
    if (scan === null || scan.textStatus !== "recognizing") return complete();
    const before = await loadTally(context, payload);
    const pause = await reasonToPause(context, scan);
    if (pause !== null) return complete(pauseRecognition(context, payload, scan, before, pause));
    if (!isPdf(scan)) {
      const refused = await refusedPhoto(context, scan);
      if (refused !== null) return complete(ended(context, payload, scan, { tally: before, ...refused }));
    }
    try {
      return await readSlice(context, payload, scan, before);
    } catch (thrown) {
      if (!(thrown instanceof BrowsersBusy)) throw thrown;
      return continueLater(null, { delayMs: thrown.retryAfterMs });
    }
  },

  /** Publishes the pages that were read before. */
  async failed(context, { payload }, change, { detail }) {
    const scan = await loadVersion(context, payload);
    if (scan === null || scan.textStatus !== "recognizing") return;
    const tally = await loadTally(context, payload);
    const end = { status: "failed" as const, detail: `The pages could not be read. ${detail}` };
    publishText(change, context, payload, scan, { ...end, pageCount: scan.pageCount, passages: tally.passages });
  },
};

const isPdf = ({ contentType }: Scan): boolean => !PICTURE_TYPES.includes(contentType);

interface Pause {
  status: "recognition-off" | "recognition-limit";
  detail: string;
}

const SWITCHED_OFF: Pause = {
  status: "recognition-off",
  detail: "The pages are pictures. The recognition of text in pictures is switched off for this organization.",
};
const OFF_ON_SERVICE: Pause = {
  status: "recognition-off",
  detail: "The pages are pictures. The recognition of text in pictures is switched off on this service.",
};
const USED_UP: Pause = {
  status: "recognition-limit",
  detail:
    "The pages are pictures, and the organization has used up its jobs of this month. The other pages are read next month.",
};

/** The reason why no page may be read now; null if pages may be read. */
async function reasonToPause(context: Context, { organizationId }: Scan): Promise<Pause | null> {
  if (!context.recognizer.isOn) return OFF_ON_SERVICE;
  if (organizationId === null) return null;
  const [organization] = await context.db
    .select({ isOn: organizations.recognizesScans })
    .from(organizations)
    .where(eq(organizations.id, organizationId));
  if (organization?.isOn === false) return SWITCHED_OFF;
  return (await freeJobs(context, organizationId)) <= 0 ? USED_UP : null;
}

/** Publishes the pages that were read so far. A used-up entitlement is tried again at the begin of the next month. */
function pauseRecognition(context: Context, of: VersionKey, scan: Scan, tally: Tally, pause: Pause): Change {
  const change = ended(context, of, scan, { tally, ...pause });
  const { organizationId } = scan;
  if (pause.status === "recognition-limit" && organizationId !== null) {
    const { now } = context;
    const [year, month] = [new Date(now).getUTCFullYear(), new Date(now).getUTCMonth()];
    const begin = Date.UTC(year, month + 1, 1);
    const dedupeKey = `resume-recognition:${organizationId}:${toUtc(begin).slice(0, 7)}`;
    change.job("resume-recognition", { organizationId }, { tenantId: organizationId, delayMs: begin - now, dedupeKey });
  }
  return change;
}

/** The status of a photo that is too large or damaged by its header; null for others. Nothing is decoded before. */
async function refusedPhoto(context: Context, scan: Scan): Promise<{ status: TextStatus; detail: string } | null> {
  const source = objectSource(context.objects, scan.objectKey, scan.sizeBytes);
  const size = pictureSize(await source.read(0, PICTURE_HEADER_BYTES));
  // Metadata of a photo can be longer: its size then follows the metadata.
  const found = size ?? pictureSize(await source.read(0, MAX_PHOTO_HEADER_BYTES));
  if (found === null) return { status: "damaged", detail: "The header of the picture cannot be read." };
  if (found.width * found.height <= MAX_PHOTO_PIXELS) return null;
  const most = MAX_PHOTO_PIXELS / 1_000_000;
  return {
    status: "too-large",
    detail: `The picture has ${found.width} × ${found.height} pixels. Text is recognized in pictures of up to ${most} megapixels.`,
  };
}

const MAX_PHOTO_HEADER_BYTES = 1024 * 1024;

async function readSlice(context: Context, of: VersionKey, scan: Scan, before: Tally): Promise<Outcome> {
  const free = scan.organizationId === null ? SCAN_PAGES_PER_SLICE : await freeJobs(context, scan.organizationId);
  const known = Math.min(scan.pageCount ?? MAX_SCAN_PAGES, MAX_SCAN_PAGES);
  const count = Math.min(SCAN_PAGES_PER_SLICE, free, known - before.pages);
  if (count <= 0) return complete(finish(context, beginChange(context), of, scan, before));
  const source = objectSource(context.objects, scan.objectKey, scan.sizeBytes);
  const document = { ...source, isPdf: isPdf(scan) };
  const result = await context.recognizer.recognize(document, { from: before.pages + 1, count });
  if (result.kind === "refused") {
    const detail = result.status === "encrypted" ? "The file is protected with a password." : DAMAGED_DETAIL;
    return complete(ended(context, of, scan, { tally: before, status: result.status, detail }));
  }
  const pages = result.pages.map(legible);
  const written = await writeWords(context, of, scan, pages);
  const { rows, texts } = textOf(of, pages, written, before.passages);
  const tally = tallied(before, rows);
  const total = Math.min(result.pageCount, MAX_SCAN_PAGES);
  const isLast = tally.pages >= total || tally.passages >= MAX_PASSAGES;
  const change = beginChange(context).guard(stillWanted(of), changed());
  if (written.size > 0) confirmPendingObjects(context, change, [...written.values()], sql`1`);
  change.add(insertPages(rows));
  if (texts.length > 0) change.add(...writeSections(of, texts));
  if (scan.organizationId !== null) chargeJobs(context, change, scan.organizationId, rows.length);
  if (isLast) finish(context, change, of, { ...scan, pageCount: result.pageCount }, tally);
  const progress = { done: tally.pages, total };
  return isLast ? complete(change, progress) : continueLater(null, { change, progress });
}

const DAMAGED_DETAIL = "The file cannot be read. Open it in the program that made it and save it again.";

/** Nothing is written for a version that was replaced, deleted or switched off while its pages were read. */
const stillWanted = ({ documentId, version }: VersionKey) => sql`EXISTS (SELECT 1 FROM ${documents}
  LEFT JOIN ${organizations} ON ${organizations.id} = ${documents.organizationId}
  WHERE ${documents.id} = ${documentId} AND ${documents.latestVersion} = ${version} AND ${documentNotDeleted()}
    AND ${documents.textStatus} = 'recognizing' AND coalesce(${organizations.recognizesScans}, 1))`;

/** Not `conflict`, which means a lost lease: the next try finds out what changed. */
const changed = () => new DomainError("unavailable", "The document or its organization was changed in the meantime.");

/** Writes the words of the pages with their boxes, one object each, before the change that refers to them. */
async function writeWords(
  context: Context,
  of: VersionKey,
  { tenantId }: Scan,
  pages: readonly RecognizedPage[],
): Promise<Map<number, string>> {
  const legiblePages = pages.filter(({ words }) => words.length > 0);
  const keys = new Map(legiblePages.map(({ page }) => [page, wordsKey(tenantId, of, page)]));
  if (keys.size === 0) return keys;
  const hold = beginChange(context);
  const held = [...keys.values()].map((key) => ({ key, tenantId, chargedBytes: 0 }));
  registerPendingObjects(context, hold, held, PENDING_OBJECT_LIFETIME_MS);
  await hold.commit();
  for (const page of legiblePages) {
    const bytes = encodeWords(page);
    const key = keys.get(page.page) ?? "";
    await context.objects.write(key, bytes, { contentType: "application/json", sizeBytes: bytes.length });
  }
  return keys;
}

type PageRow = typeof recognizedPages.$inferSelect;

/** The rows and passages of pages, in order. No passage spans two pages. */
function textOf(
  of: VersionKey,
  pages: readonly RecognizedPage[],
  keys: ReadonlyMap<number, string>,
  firstPassage: number,
): { rows: PageRow[]; texts: Passage[] } {
  const maker = new PassageBuilder(firstPassage);
  const texts: Passage[] = [];
  const rows = pages.map(({ page, words }) => {
    for (const paragraph of paragraphsOf(words)) maker.add(page, paragraph);
    maker.flush();
    const own = maker.take();
    texts.push(...own);
    return {
      ...of,
      page,
      objectKey: keys.get(page) ?? null,
      words: words.length,
      confidence: Math.round(meanConfidence(words)),
      language: languageOf(words),
      passages: own.length,
    };
  });
  return { rows, texts };
}

/** Writes the rows of pages; a page that was read before is replaced. */
const insertPages = (rows: readonly PageRow[]) =>
  sql`INSERT OR REPLACE INTO ${recognizedPages} (document_id, version, page, object_key, words, confidence, language, passages)
    SELECT value ->> 'documentId', value ->> 'version', value ->> 'page', value ->> 'objectKey', value ->> 'words',
      value ->> 'confidence', value ->> 'language', value ->> 'passages' FROM json_each(${JSON.stringify(rows)})`;

const ILLEGIBLE_DETAIL =
  "No text could be read in the pictures: they have none, or it is too faint, too small or written by hand.";

interface End {
  tally: Tally;
  status: TextStatus;
  detail: string | null;
}

/** All pages were read. */
function finish(context: Context, change: Change, of: VersionKey, scan: Scan, tally: Tally): Change {
  const pages = scan.pageCount ?? tally.pages;
  const partly = tally.legible < pages ? `Text was recognized on ${tally.legible} of ${pages} pages.` : null;
  return tally.words === 0
    ? publishEnd(context, change, of, scan, { tally, status: "illegible", detail: ILLEGIBLE_DETAIL })
    : publishEnd(context, change, of, scan, { tally, status: "recognized", detail: partly });
}

function publishEnd(
  context: Context,
  change: Change,
  of: VersionKey,
  scan: Scan,
  { tally, status, detail }: End,
): Change {
  const recognition = status === "recognized" ? { recognition: recognitionOf(tally) } : {};
  const { pageCount } = scan;
  publishText(change, context, of, scan, { status, detail, pageCount, passages: tally.passages, ...recognition });
  return change;
}

/** A change that only publishes what was read before, with a status. */
const ended = (context: Context, of: VersionKey, scan: Scan, end: End): Change =>
  publishEnd(context, beginChange(context), of, scan, end);
