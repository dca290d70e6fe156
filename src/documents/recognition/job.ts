import { z } from "@hono/zod-openapi";
import { eq, type SQL, sql } from "drizzle-orm";
import { organizations } from "../../access/tables";
import type { Context } from "../../platform/context";
import { beginChange, type Change } from "../../platform/db/change";
import { DomainError } from "../../platform/errors";
import { complete, continueLater, type JobHandler, type Outcome, type Progress } from "../../platform/jobs/handlers";
import { DEFAULT_RECOGNITION_LANGUAGES, type RecognitionLanguage } from "../../platform/languages/recognition";
import { letOthersRun } from "../../platform/pace";
import { hasPreview } from "../../platform/pictures/drawn";
import { BrowsersBusy, type RecognizedPage } from "../../platform/ports";
import { toUtc } from "../../platform/time";
import { confirmPendingObjects } from "../../uploads";
import { chargeJobs, freeJobs } from "../../workspace";
import type { VersionKey } from "../document";
import {
  isNextUnread,
  loadVersion,
  moveToBegin,
  nextUnread,
  objectSource,
  type Passage,
  PassageBuilder,
  publishText,
  removeUnread,
  type WaitingPages,
  writeSections,
} from "../extraction";
import { framesOf, type OpenFrames, type RefusedFrames } from "../frames";
import { MAX_FRAMES, MAX_LOST_PAGES, MAX_PASSAGES_PER_SCANNED_PAGE, SCAN_PAGES_PER_SLICE } from "../limits";
import { documentNotDeleted, documents, recognizedPages, textSections } from "../tables";
import { type End, endOf, refusedPhoto } from "./end";
import {
  countUnread,
  insertPages,
  loadTally,
  type PageRow,
  recognitionOf,
  removeEarlier,
  type Tally,
} from "./progress";
import { languageOf, legible, meanConfidence, paragraphsOf } from "./text";
import { writeWords } from "./words";

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
    const { pause, languages } = await settingsOf(context, scan);
    if (pause !== null) return complete(pauseRecognition(context, payload, scan, pause));
    const frames = await framesOf(scan.contentType, objectSource(context.objects, scan.objectKey, scan.sizeBytes));
    if (!isPdf(scan)) {
      const refused =
        frames === null
          ? await refusedPhoto(objectSource(context.objects, scan.objectKey, scan.sizeBytes))
          : refusedFrames(frames);
      if (refused !== null)
        return complete(publishEnd(context, beginChange(context, scan.tenantId), payload, scan, refused));
    }
    try {
      const total = progress.total || (await countUnread(context, payload));
      const lost = state === null ? 0 : stateSchema.parse(state).lost;
      return await readSlice(context, payload, {
        scan,
        frames,
        languages,
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

/** The reason why no page may be read now (null if pages may be read), and the languages in which pages are read. */
async function settingsOf(
  context: Context,
  { organizationId }: Scan,
): Promise<{ pause: Pause | null; languages: readonly RecognitionLanguage[] }> {
  const usual = { pause: null, languages: DEFAULT_RECOGNITION_LANGUAGES };
  if (!context.recognizer.isOn) return { ...usual, pause: OFF_ON_SERVICE };
  if (organizationId === null) return usual;
  const [organization] = await context.workspace
    .select({ isOn: organizations.recognizesScans, languages: organizations.recognitionLanguages })
    .from(organizations)
    .where(eq(organizations.id, organizationId));
  if (organization?.isOn === false) return { ...usual, pause: SWITCHED_OFF };
  const pause = (await freeJobs(context, organizationId)) <= 0 ? USED_UP : null;
  return { pause, languages: organization?.languages ?? DEFAULT_RECOGNITION_LANGUAGES };
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

interface SliceStart {
  scan: Scan;
  /** The pages of a HEIC or TIFF file. */
  frames: OpenFrames | RefusedFrames | null;
  languages: readonly RecognitionLanguage[];
  /** The next pages to read. */
  unread: readonly WaitingPages[];
  lost: number;
  progress: Progress;
}

async function readSlice(
  context: Context,
  of: VersionKey,
  { scan, frames, languages, unread, lost, progress }: SliceStart,
): Promise<Outcome> {
  const free = scan.organizationId === null ? SCAN_PAGES_PER_SLICE : await freeJobs(context, scan.organizationId);
  const wanted = firstPages(unread, Math.min(SCAN_PAGES_PER_SLICE, free));
  const source = objectSource(context.objects, scan.objectKey, scan.sizeBytes);
  const result = await context.recognizer.recognize(
    { ...source, isPdf: isPdf(scan), languages, ...(frames !== null && "frames" in frames && { frames }) },
    wanted,
  );
  if (result.kind === "refused") {
    const detail = REFUSED_DETAILS[result.status];
    const status = (await hasTextBeside(context, of, [])) ? "indexed" : result.status;
    return complete(publishEnd(context, beginChange(context, scan.tenantId), of, scan, { status, detail }));
  }
  const [next] = await nextUnread(context, of, 1);
  // Another job has read these pages, or will read them again: it was queued with the pages.
  if (String(next) !== String(unread[0])) return complete();
  const pages = result.pages.map(legible);
  const written = await writeWords(context, of, scan.tenantId, pages);
  const { rows, runs, rest } = await textOf(of, pages, written, unread, languages);
  const change = beginChange(context, scan.tenantId).guard(stillWanted(of, unread, languages), changed());
  const replacedBefore = unread[0]?.[3] ?? 0;
  await removeEarlier(context, change, of, rows, replacedBefore);
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
  const after = { done: progress.done + rows.length, total: progress.total };
  const isLast = isOver || (unread.length < SCAN_PAGES_PER_SLICE && rest.length === 0 && last === unread.at(-1)?.[1]);
  if (isLast && replacedBefore > 0) change.add(...moveToBegin(of));
  return isLast
    ? complete(await finish(context, change, of, scan, { rows, left: isOver ? after.total - after.done : 0 }), after)
    : continueLater({ lost: allLost } satisfies z.infer<typeof stateSchema>, { change, progress: after });
}

/** The first pages of some runs. */
function firstPages(unread: readonly WaitingPages[], count: number): number[] {
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

/**
 * Nothing is written for a version that was replaced or deleted while its pages were read, nor for an organization that has
 * switched recognition off or chosen other languages, nor if its pages are to be read from the first one again.
 */
const stillWanted = (
  of: VersionKey,
  [next]: readonly WaitingPages[],
  languages: readonly RecognitionLanguage[],
): SQL => sql`EXISTS (SELECT 1 FROM ${documents}
  LEFT JOIN ${organizations} ON ${organizations.id} = ${documents.organizationId}
  WHERE ${documents.id} = ${of.documentId} AND ${documents.latestVersion} = ${of.version} AND ${documentNotDeleted()}
    AND ${documents.textStatus} = 'recognizing' AND coalesce(${organizations.recognizesScans}, 1)
    AND coalesce(${organizations.recognitionLanguages}, ${JSON.stringify(DEFAULT_RECOGNITION_LANGUAGES)}) = ${JSON.stringify(languages)})
  ${next === undefined ? sql`` : sql`AND ${isNextUnread(of, next)}`}`;

/** The code is not `conflict`, which means a lost lease: the next try finds out what changed. */
const changed = () => new DomainError("unavailable", "The document or its organization was changed in the meantime.");

/**
 * The rows of pages and the passages of each run, in order, and what is left of the last run. No passage spans two pages,
 * and a page has no more passages than there is room for.
 */
async function textOf(
  of: VersionKey,
  pages: readonly RecognizedPage[],
  keys: ReadonlyMap<number, string>,
  unread: readonly WaitingPages[],
  languages: readonly RecognitionLanguage[],
): Promise<{ rows: PageRow[]; runs: Passage[][]; rest: WaitingPages[] }> {
  const rows: PageRow[] = [];
  const rest: WaitingPages[] = [];
  const runs: Passage[][] = [];
  for (const [first, last, passage, replacedBefore] of unread) {
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
        language: languageOf(words, languages),
        passages: own.length,
      });
    }
    const end = read.at(-1)?.page;
    if (end !== undefined && end < last) rest.push([end + 1, last, passage + texts.length, replacedBefore]);
    runs.push(texts);
  }
  return { rows, runs, rest };
}

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
