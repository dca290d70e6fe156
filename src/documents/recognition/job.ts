import { z } from "@hono/zod-openapi";
import { eq, sql } from "drizzle-orm";
import { organizations } from "../../access/tables";
import type { Context } from "../../platform/context";
import { beginChange, type Change } from "../../platform/db/change";
import { DomainError } from "../../platform/errors";
import { complete, continueLater, type JobHandler, type Outcome, type Progress } from "../../platform/jobs/handlers";
import { letOthersRun } from "../../platform/pace";
import { hasPreview } from "../../platform/pictures/drawn";
import { PICTURE_HEADER_BYTES, pictureSize } from "../../platform/pictures/headers";
import { BrowsersBusy, type RecognizedPage } from "../../platform/ports";
import { toUtc } from "../../platform/time";
import { confirmPendingObjects, registerPendingObjects } from "../../uploads";
import { chargeJobs, freeJobs } from "../../workspace";
import type { VersionKey } from "../document";
import {
  loadVersion,
  nextUnread,
  objectSource,
  type Passage,
  PassageBuilder,
  publishText,
  removeUnread,
  type UnreadPages,
  writeSections,
} from "../extraction";
import { framesOf, type OpenFrames, type RefusedFrames } from "../frames";
import {
  MAX_FRAMES,
  MAX_LOST_PAGES,
  MAX_PASSAGES_PER_SCANNED_PAGE,
  MAX_PHOTO_PIXELS,
  PENDING_OBJECT_LIFETIME_MS,
  SCAN_PAGES_PER_SLICE,
} from "../limits";
import { documentNotDeleted, documents, recognizedPages, textSections } from "../tables";
import { type End, endOf } from "./end";
import { countUnread, loadTally, recognitionOf, type Tally } from "./progress";
import { languageOf, legible, meanConfidence, paragraphsOf } from "./text";
import { encodeWords, wordsKey } from "./words";

type Scan = NonNullable<Awaited<ReturnType<typeof loadVersion>>>;

const stateSchema = z.strictObject({
  /** Pages so far on which the browser crashed or did not end in time. */
  lost: z.int(),
});

/**
 * Recognizes the text of a version's pages that are pictures, some pages in each slice. A slice writes its pages together
 * with the job's state, so a repeated slice reads its pages again and nothing twice. If the version is not the latest any
 * more, or the document was deleted, the job ends without an error.
 */
export const recognizeDocument: JobHandler<"recognize-document"> = {
  async run(context, { payload, state, progress }) {
    const scan = await loadVersion(context, payload);
    if (scan === null || scan.textStatus !== "recognizing") return complete();
    const unread = await nextUnread(context, payload, SCAN_PAGES_PER_SLICE);
    if (unread.length === 0) return complete(await finish(context, beginChange(context, scan.tenantId), payload, scan));
    const pause = await reasonToPause(context, scan);
    if (pause !== null) return complete(pauseRecognition(context, payload, scan, pause));
    const frames = await framesOf(scan.contentType, objectSource(context.objects, scan.objectKey, scan.sizeBytes));
    if (!isPdf(scan)) {
      const refused = frames === null ? await refusedPhoto(context, scan) : refusedFrames(frames);
      if (refused !== null)
        return complete(publishEnd(context, beginChange(context, scan.tenantId), payload, scan, refused));
    }
    try {
      const total = progress.total || (await countUnread(context, payload));
      const lost = state === null ? 0 : stateSchema.parse(state).lost;
      return await readSlice(context, payload, {
        scan,
        frames,
        unread,
        lost,
        progress: { done: progress.done, total },
      });
    } catch (thrown) {
      if (!(thrown instanceof BrowsersBusy)) throw thrown;
      return continueLater(state, { delayMs: thrown.retryAfterMs });
    }
  },

  /** Publishes the pages that were read before. */
  async failed(context, { payload }, change, { detail }) {
    const scan = await loadVersion(context, payload);
    if (scan === null || scan.textStatus !== "recognizing") return;
    publishEnd(context, change, payload, scan, { status: "failed", detail: `The pages could not be read. ${detail}` });
  },
};

const isPdf = ({ contentType }: Scan): boolean => !hasPreview(contentType);

const refusedFrames = (frames: OpenFrames | RefusedFrames): End | null => ("status" in frames ? frames : null);

interface Pause {
  status: "recognition-off" | "recognition-limit";
  detail: string;
}

const SWITCHED_OFF: Pause = {
  status: "recognition-off",
  detail: "Pages are pictures. The recognition of text in pictures is switched off for this organization.",
};
const OFF_ON_SERVICE: Pause = {
  status: "recognition-off",
  detail: "Pages are pictures. The recognition of text in pictures is switched off on this service.",
};
const USED_UP: Pause = {
  status: "recognition-limit",
  detail:
    "Pages are pictures, and the organization has used up its jobs of this month. The other pages are read next month.",
};

/** The reason why no page may be read now; null if pages may be read. */
async function reasonToPause(context: Context, { organizationId }: Scan): Promise<Pause | null> {
  if (!context.recognizer.isOn) return OFF_ON_SERVICE;
  if (organizationId === null) return null;
  const [organization] = await context.workspace
    .select({ isOn: organizations.recognizesScans })
    .from(organizations)
    .where(eq(organizations.id, organizationId));
  if (organization?.isOn === false) return SWITCHED_OFF;
  return (await freeJobs(context, organizationId)) <= 0 ? USED_UP : null;
}

/**
 * Publishes the pages that were read so far. A used-up entitlement is tried again at the beginning of the next month.
 */
function pauseRecognition(context: Context, of: VersionKey, scan: Scan, pause: Pause): Change {
  const change = publishEnd(context, beginChange(context, scan.tenantId), of, scan, pause);
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
async function refusedPhoto(context: Context, scan: Scan): Promise<End | null> {
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

interface SliceStart {
  scan: Scan;
  /** The pages of a HEIC or TIFF file. */
  frames: OpenFrames | RefusedFrames | null;
  /** The next pages to read. */
  unread: readonly UnreadPages[];
  lost: number;
  progress: Progress;
}

async function readSlice(
  context: Context,
  of: VersionKey,
  { scan, frames, unread, lost, progress }: SliceStart,
): Promise<Outcome> {
  const free = scan.organizationId === null ? SCAN_PAGES_PER_SLICE : await freeJobs(context, scan.organizationId);
  const wanted = firstPages(unread, Math.min(SCAN_PAGES_PER_SLICE, free));
  const source = objectSource(context.objects, scan.objectKey, scan.sizeBytes);
  const result = await context.recognizer.recognize(
    { ...source, isPdf: isPdf(scan), ...(frames !== null && "frames" in frames && { frames }) },
    wanted,
  );
  if (result.kind === "refused") {
    const detail = REFUSED_DETAILS[result.status];
    const status = (await hasTextBeside(context, of, [])) ? "indexed" : result.status;
    return complete(publishEnd(context, beginChange(context, scan.tenantId), of, scan, { status, detail }));
  }
  const pages = result.pages.map(legible);
  const written = await writeWords(context, of, scan, pages);
  const { rows, runs, rest } = await textOf(of, pages, written, unread);
  const change = beginChange(context, scan.tenantId).guard(stillWanted(of), changed());
  if (written.size > 0) confirmPendingObjects(context, change, [...written.values()], sql`1`);
  change.add(insertPages(rows));
  // One run at a time, because the sections between two runs belong to other pages.
  for (const texts of runs) if (texts.length > 0) change.add(...writeSections(of, texts));
  const charged = rows.filter(({ outcome }) => outcome === "recognized").length;
  if (scan.organizationId !== null && charged > 0) chargeJobs(context, change, scan.organizationId, charged);
  const allLost = lost + rows.filter(({ outcome }) => outcome === "deadline" || outcome === "crashed").length;
  const last = rows.at(-1)?.page ?? 0;
  const isOver = allLost >= MAX_LOST_PAGES;
  change.add(...removeUnread(of, isOver ? Number.MAX_SAFE_INTEGER : last, isOver ? [] : rest));
  const next = { done: progress.done + rows.length, total: progress.total };
  const isLast = isOver || (unread.length < SCAN_PAGES_PER_SLICE && rest.length === 0 && last === unread.at(-1)?.[1]);
  return isLast
    ? complete(await finish(context, change, of, scan, { rows, left: isOver ? next.total - next.done : 0 }), next)
    : continueLater({ lost: allLost } satisfies z.infer<typeof stateSchema>, { change, progress: next });
}

/** The first pages of some runs. */
function firstPages(unread: readonly UnreadPages[], count: number): number[] {
  const pages: number[] = [];
  for (const [first, last] of unread)
    for (let page = first; page <= last && pages.length < count; page++) pages.push(page);
  return pages;
}

const REFUSED_DETAILS = {
  damaged: "The file cannot be read. Open it in the program that made it and save it again.",
  encrypted: "The file is protected with a password.",
  unsupported: "The picture is stored in a form that the service does not read. Save it as a JPEG or PDF.",
};

/** Nothing is written for a version that was replaced, deleted or switched off while its pages were read. */
const stillWanted = ({ documentId, version }: VersionKey) => sql`EXISTS (SELECT 1 FROM ${documents}
  LEFT JOIN ${organizations} ON ${organizations.id} = ${documents.organizationId}
  WHERE ${documents.id} = ${documentId} AND ${documents.latestVersion} = ${version} AND ${documentNotDeleted()}
    AND ${documents.textStatus} = 'recognizing' AND coalesce(${organizations.recognizesScans}, 1))`;

/** The code is not `conflict`, which means a lost lease: the next try finds out what changed. */
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
  const hold = beginChange(context, tenantId);
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

/**
 * The rows of pages and the passages of each run, in order, and what is left of the last run. No passage spans two pages,
 * and a page has no more passages than there is room for.
 */
async function textOf(
  of: VersionKey,
  pages: readonly RecognizedPage[],
  keys: ReadonlyMap<number, string>,
  unread: readonly UnreadPages[],
): Promise<{ rows: PageRow[]; runs: Passage[][]; rest: UnreadPages[] }> {
  const rows: PageRow[] = [];
  const rest: UnreadPages[] = [];
  const runs: Passage[][] = [];
  for (const [first, last, passage] of unread) {
    const texts: Passage[] = [];
    const read = pages.filter(({ page }) => page >= first && page <= last);
    for (const { page, words, outcome } of read) {
      await letOthersRun();
      const maker = new PassageBuilder(passage + texts.length);
      for (const paragraph of paragraphsOf(words)) maker.add(page, paragraph);
      maker.flush();
      const own = maker.take().slice(0, MAX_PASSAGES_PER_SCANNED_PAGE);
      texts.push(...own);
      rows.push({
        ...of,
        page,
        outcome,
        objectKey: keys.get(page) ?? null,
        words: words.length,
        confidence: Math.round(meanConfidence(words)),
        language: languageOf(words),
        passages: own.length,
      });
    }
    const end = read.at(-1)?.page;
    if (end !== undefined && end < last) rest.push([end + 1, last, passage + texts.length]);
    runs.push(texts);
  }
  return { rows, runs, rest };
}

/** Writes the rows of pages; a page that was read before is replaced. */
const insertPages = (rows: readonly PageRow[]) =>
  sql`INSERT OR REPLACE INTO ${recognizedPages} (document_id, version, page, outcome, object_key, words, confidence, language, passages)
    SELECT value ->> 'documentId', value ->> 'version', value ->> 'page', value ->> 'outcome', value ->> 'objectKey', value ->> 'words',
      value ->> 'confidence', value ->> 'language', value ->> 'passages' FROM json_each(${JSON.stringify(rows)})`;

/** The pages of the last slice, which are not written yet, and the number of pages that are not read. */
interface LastSlice {
  rows: readonly PageRow[];
  left: number;
}

/** No page is left to read. */
async function finish(
  context: Context,
  change: Change,
  of: VersionKey,
  scan: Scan,
  { rows, left }: LastSlice = { rows: [], left: 0 },
): Promise<Change> {
  const tally = await loadTally(context, of, rows);
  const hasOwnText = await hasTextBeside(context, of, rows);
  // The first pages of a long TIFF file are read.
  const behind = isPdf(scan) ? 0 : Math.max(0, (scan.pageCount ?? 0) - MAX_FRAMES);
  return publishEnd(context, change, of, scan, endOf(tally, { hasOwnText, left: left + behind }), tally);
}

/** Whether pages that are no pictures have text. */
async function hasTextBeside({ workspace }: Context, of: VersionKey, rows: readonly PageRow[]): Promise<boolean> {
  const { documentId, version } = of;
  const [found] = await workspace
    .select({ id: textSections.id })
    .from(textSections)
    .where(sql`${textSections.documentId} = ${documentId} AND ${textSections.version} = ${version}
      AND ${textSections.page} NOT IN (SELECT value FROM json_each(${JSON.stringify(rows.map(({ page }) => page))}))
      AND NOT EXISTS (SELECT 1 FROM ${recognizedPages} AS page WHERE page.document_id = ${documentId}
        AND page.version = ${version} AND page.page = ${textSections.page})`)
    .limit(1);
  return found !== undefined;
}

function publishEnd(
  context: Context,
  change: Change,
  of: VersionKey,
  scan: Scan,
  { status, detail }: End,
  tally: Tally | null = null,
): Change {
  const recognition = status === "recognized" && tally !== null ? { recognition: recognitionOf(tally) } : {};
  publishText(change, context, of, scan, { status, detail, pageCount: scan.pageCount, ...recognition });
  return change;
}
