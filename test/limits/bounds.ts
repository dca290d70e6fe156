import { expect } from "vitest";
import { readSvg } from "../../src/branding/assets/svg";
import { edgeOf } from "../../src/branding/assets/svg-cost";
import * as branding from "../../src/branding/limits";
import { brandingVariables } from "../../src/branding/variables";
import { causesWithin } from "../../src/cameras/health/conditions";
import * as cameras from "../../src/cameras/limits";
import * as exports from "../../src/exports/limits";
import * as hub from "../../src/hub/limits";
import { EarlyPosts } from "../../src/hub/shard/negotiated";
import { InFlightBytes } from "../../src/hub/shard/receive";
import { newId } from "../../src/platform/ids";
import { type JpegVerdict, verifyJpeg } from "../../src/platform/jpeg";
import { CAPTURE_LIMITS } from "../../src/platform/jpeg/limits";
import { atOnce } from "../../src/platform/pace";
import { decodePicture, requireReadable } from "../../src/platform/pictures/decode";
import * as pictures from "../../src/platform/pictures/limits";
import { contentSchema } from "../../src/reports/drafts";
import * as reports from "../../src/reports/limits";
import { readImageValue } from "../../src/reports/rendering/images/resolve";
import { languageOf } from "../../src/reports/rendering/language";
import { renderBody } from "../../src/reports/rendering/markdown";
import { parseTemplate } from "../../src/reports/templating/parse";
import { readFieldPath, readPath } from "../../src/reports/templating/paths";
import { renderTemplate } from "../../src/reports/templating/render";
import * as search from "../../src/search/limits";
import { parseQuery } from "../../src/search/query";
import { call } from "../support/call";
import { jpegFixture, markerAt, splice } from "../support/pictures";

/*
 * To add a limit that one function holds, add one row. `accepts` says whether the function accepts this number.
 * bounds.test.ts does the rest: it accepts the limit, and not one more.
 */
export interface BoundRow {
  /** The name of the constant. */
  limit: string;
  value: number;
  /** Set for a minimum: then one less is refused. */
  isMinimum?: true;
  /** How far beyond the limit a refusal is sure. Default: 1. */
  step?: number;
  accepts: (value: number) => unknown;
}

/** Accepts the limit, and not one more. */
export async function expectBound({ value, isMinimum, step = 1, accepts }: BoundRow): Promise<void> {
  expect([value, await accepts(value)]).toEqual([value, true]);
  const beyond = isMinimum ? value - step : value + step;
  expect([beyond, await accepts(beyond)]).toEqual([beyond, false]);
}

/** Whether a function ends without an error. */
export const runs = (work: () => unknown): boolean => {
  try {
    work();
    return true;
  } catch {
    return false;
  }
};

const letters = (count: number) => "k".repeat(count);

const renders = (text: string, view: Readonly<Record<string, unknown>>): boolean =>
  runs(() => {
    const source = "htmlLayoutTemplate";
    renderTemplate({ source, text, nodes: parseTemplate(source, text), view });
  });

const isDraft = (content: unknown): boolean => contentSchema.safeParse(content).success;
/** JSON of this depth: an empty object is 1. */
const nested = (depth: number): unknown => (depth <= 1 ? {} : { k: nested(depth - 1) });
const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 0]));

const isSvg = (inner: string): boolean =>
  atOnce(readSvg(new TextEncoder().encode(`<svg xmlns="http://www.w3.org/2000/svg">${inner}</svg>`)))?.kind === "svg";

const isAccepted = (verdict: JpegVerdict): boolean => verdict.verdict === "accepted";
const isImage = (bytes: Uint8Array): boolean => isAccepted(atOnce(verifyJpeg(bytes, { minimumEdge: 640 })));
const [SOI, SOF2, DHT, EOI, SOS, DQT] = [0xd8, 0xc2, 0xc4, 0xd9, 0xda, 0xdb];
const RST1 = 0xd1;
const zerosBefore = (name: string, marker: number, count: number) => {
  const bytes = jpegFixture(name);
  return splice(bytes, markerAt(bytes, marker), 0, new Array<number>(count).fill(0));
};

const SOF0 = 0xc0;
const codeOf = (verdict: JpegVerdict): string => (verdict.verdict === "rejected" ? verdict.code : verdict.verdict);
/** A JPEG whose header gives this size. */
const jpegOfSize = (width: number, height: number): Uint8Array => {
  const bytes = jpegFixture("baseline-420");
  return splice(bytes, markerAt(bytes, SOF0) + 5, 4, [height >> 8, height & 255, width >> 8, width & 255]);
};

/** A progressive gray JPEG of eight blocks with this many scans: one for DC and one for each of the 63 AC frequencies. */
const jpegOfScans = (scans: number): Uint8Array => {
  const code = (table: number) => [0xff, DHT, 0, 20, table, 1, ...new Array<number>(15).fill(0), 0];
  const scan = (frequency: number) => [0xff, SOS, 0, 8, 1, 1, 0, frequency, frequency, 0, 0];
  return Uint8Array.from([
    ...[0xff, SOI, 0xff, DQT, 0, 67, 0, ...new Array<number>(64).fill(1)],
    ...[0xff, SOF2, 0, 11, 8, 0, 8, 0, 64, 1, 1, 0x11, 0, ...code(0), ...code(0x10)],
    ...Array.from({ length: scans }, (_, n) => scan(n)).flat(),
    ...[0xff, EOI],
  ]);
};

/** Whether a picture is not refused as too large: it may be damaged. */
const isSmallPicture = (bytes: Uint8Array): Promise<boolean> =>
  decodePicture(bytes, 256).then(
    () => true,
    (thrown: { code?: string }) => thrown.code !== "picture-too-large",
  );

/** The header of a PNG of this size without its data: it is damaged, unless it is too large before. */
const isSmallPng = (width: number, height: number): Promise<boolean> => {
  const bytes = new Uint8Array(33);
  bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]);
  new DataView(bytes.buffer).setUint32(16, width);
  new DataView(bytes.buffer).setUint32(20, height);
  bytes.set([8, 0, 0, 0, 0], 24);
  return isSmallPicture(bytes);
};

const NO_COLOURS = { primaryColor: null, secondaryColor: null, accentColor: null };

const arrival = { id: "c", negotiatedAt: 1, credential: { userId: "u", kind: "pat", credentialId: "t" } };
const early = { ...arrival, endsAt: null, pings: false } as unknown as Parameters<EarlyPosts["hold"]>[0];

export const boundRows: readonly BoundRow[] = [
  {
    limit: "MAX_TERM_LENGTH",
    value: search.MAX_TERM_LENGTH,
    accepts: (n) => parseQuery(`${" ".repeat(n - 1)}harbour`).words.length === 1,
  },
  {
    limit: "MAX_TAG_CHARACTERS",
    value: reports.MAX_TAG_CHARACTERS,
    accepts: (n) => runs(() => parseTemplate("htmlLayoutTemplate", `{{!${letters(n - 3)}}}`)),
  },
  {
    limit: "MAX_RENDERING_STEPS",
    value: reports.MAX_RENDERING_STEPS,
    // The page itself is two steps, and each repetition of the empty section one.
    accepts: (n) => renders("{{#a}}{{/a}}", { a: new Array(n - 2).fill(1) }),
  },
  {
    limit: "MAX_RENDERED_CHARACTERS",
    value: reports.MAX_RENDERED_CHARACTERS,
    accepts: (n) => renders("{{b}}", { b: letters(n) }),
  },
  {
    limit: "MAX_IMAGES",
    value: reports.MAX_IMAGES,
    accepts: (n) => renders('{{#a}}{{image "."}}{{/a}}', { a: new Array(n).fill("a.jpg") }),
  },
  { limit: "MAX_PATH_CHARACTERS", value: reports.MAX_PATH_CHARACTERS, accepts: (n) => readPath(letters(n)) !== null },
  {
    limit: "MAX_PATH_CHARACTERS",
    value: reports.MAX_PATH_CHARACTERS,
    accepts: (n) => readFieldPath(letters(n)) !== null,
  },
  {
    limit: "MAX_BODY_IMAGE_WIDTH",
    value: reports.MAX_BODY_IMAGE_WIDTH,
    accepts: (n) =>
      renderBody(`![a](a.jpg){width=${n}px}`, languageOf("en", "", "UTC").labels).parts.some(
        (part) => typeof part === "object" && "width" in part,
      ),
  },
  {
    limit: "MAX_FRAMES_PER_VALUE",
    value: reports.MAX_FRAMES_PER_VALUE,
    accepts: (count) =>
      readImageValue({
        cameraId: "0190f3a0-0000-7000-8000-000000000000",
        from: "2026-01-01T00:00:00Z",
        to: "2026-01-02T00:00:00Z",
        count,
      }) !== null,
  },
  {
    limit: "DRAFT_LIMITS.maxBytes",
    value: reports.DRAFT_LIMITS.maxBytes,
    accepts: (n) => isDraft({ k: letters(n - 8) }),
  },
  { limit: "DRAFT_LIMITS.maxDepth", value: reports.DRAFT_LIMITS.maxDepth, accepts: (n) => isDraft(nested(n)) },
  { limit: "DRAFT_LIMITS.maxKeys", value: reports.DRAFT_LIMITS.maxKeys, accepts: (n) => isDraft(keys(n)) },
  {
    limit: "DRAFT_LIMITS.maxKeyLength",
    value: reports.DRAFT_LIMITS.maxKeyLength,
    accepts: (n) => isDraft({ [letters(n)]: 0 }),
  },
  {
    limit: "MAX_IN_FLIGHT_BYTES",
    value: hub.MAX_IN_FLIGHT_BYTES,
    accepts: (n) => new InFlightBytes().begin("connection", n),
  },
  {
    limit: "MAX_POST_BYTES",
    value: hub.MAX_POST_BYTES,
    accepts(n) {
      const posts = new EarlyPosts();
      const isHeld = posts.hold(early, new ArrayBuffer(n));
      posts.take(early);
      return isHeld;
    },
  },
  {
    limit: "MAX_SVG_ELEMENTS",
    value: branding.MAX_SVG_ELEMENTS,
    accepts: (n) => isSvg("<g/>".repeat(n - 1)),
  },
  {
    limit: "MAX_SVG_DEPTH",
    value: branding.MAX_SVG_DEPTH,
    accepts: (n) => isSvg("<g>".repeat(n - 1) + "</g>".repeat(n - 1)),
  },
  {
    limit: "MAX_DRAWN_SVG_ELEMENTS",
    value: branding.MAX_DRAWN_SVG_ELEMENTS,
    // A group of 9,999 elements is drawn ten times with its references, then the rest.
    accepts: (n) =>
      isSvg(`<g id="a">${"<g/>".repeat(9_000)}</g>${'<use href="#a"/>'.repeat(10)}${"<g/>".repeat(n - 99_022)}`),
  },
  {
    limit: "MAX_SVG_LAYERS",
    value: branding.MAX_SVG_LAYERS,
    accepts: (n) => isSvg(`<g opacity=".5"/>`.repeat(Math.floor(n / 2)) + '<path fill="url(#a)"/>'.repeat(n % 2)),
  },
  {
    limit: "MAX_SVG_STYLE_WORK",
    value: branding.MAX_SVG_STYLE_WORK,
    // The work is elements times characters: 20,000 × 1,000, and of one more 21 × 952,381.
    accepts(n) {
      const elements = n % 20_000 === 0 ? 20_000 : 21;
      return isSvg(`<style>${letters(n / elements)}</style>${"<g/>".repeat(elements - 2)}`);
    },
  },
  {
    limit: "MAX_SVG_FORM_WORK",
    value: branding.MAX_SVG_FORM_WORK,
    // 20,000 elements are nested 200 deep, or one level deeper.
    accepts(n) {
      const depth = n % 200 === 0 ? 200 : 201;
      const [open, close] = ["<g>".repeat(depth - 2), "</g>".repeat(depth - 2)];
      return isSvg(`${open}${"<g/>".repeat(20_000 - depth + 1)}${close}`);
    },
  },
  {
    limit: "MAX_SVG_DRAWING_MS",
    value: branding.MAX_SVG_DRAWING_MS,
    accepts: (n) => edgeOf({ area: 1e6, length: 0, fixed: (n - 1) * 1e6, layers: 1 }) === branding.MEDIUM_EDGE_PIXELS,
  },
  {
    limit: "MAX_SVG_LAYER_BYTES",
    value: branding.MAX_SVG_LAYER_BYTES,
    accepts: (n) =>
      edgeOf({ area: 0, length: 0, fixed: 0, layers: n / (4 * branding.MEDIUM_EDGE_PIXELS ** 2) }) ===
      branding.MEDIUM_EDGE_PIXELS,
  },
  {
    limit: "MAX_JPEG_BYTES",
    value: pictures.MAX_JPEG_BYTES,
    accepts: (n) => runs(() => requireReadable("image/jpeg", n)),
  },
  {
    limit: "MAX_PNG_BYTES",
    value: pictures.MAX_PNG_BYTES,
    accepts: (n) => runs(() => requireReadable("image/png", n)),
  },
  {
    limit: "MAX_PHOTON_FILE_BYTES",
    value: pictures.MAX_PHOTON_FILE_BYTES,
    accepts: (n) => runs(() => requireReadable("image/webp", n)),
  },
  {
    limit: "MAX_PNG_PIXELS",
    value: pictures.MAX_PNG_PIXELS,
    step: 1_000,
    accepts: (n) => isSmallPng(n / 1_000, 1_000),
  },
  { limit: "MAX_PNG_WIDTH", value: pictures.MAX_PNG_WIDTH, accepts: (n) => isSmallPng(n, 1) },
  {
    limit: "CAPTURE_LIMITS.maxBytesAfterScan",
    value: CAPTURE_LIMITS.maxBytesAfterScan,
    accepts: (n) => isImage(zerosBefore("baseline-420", EOI, n)),
  },
  {
    limit: "CAPTURE_LIMITS.maxBytesBeforeRestart",
    value: CAPTURE_LIMITS.maxBytesBeforeRestart,
    accepts: (n) => isImage(zerosBefore("baseline-restart", RST1, n)),
  },
  {
    limit: "CAPTURE_LIMITS.maxTrailingBytes",
    value: CAPTURE_LIMITS.maxTrailingBytes,
    accepts: (n) => isImage(Uint8Array.from([...jpegFixture("baseline-420"), ...new Uint8Array(n).fill(7)])),
  },
  {
    limit: "CAPTURE_LIMITS.maxPixels",
    value: CAPTURE_LIMITS.maxPixels,
    step: 6_000,
    accepts: (n) => codeOf(atOnce(verifyJpeg(jpegOfSize(6_000, n / 6_000), { minimumEdge: 1 }))) !== "too-many-pixels",
  },
  {
    limit: "JPEG_LIMITS.maxPixels",
    value: pictures.JPEG_LIMITS.maxPixels,
    step: 10_000,
    accepts: (n) => isSmallPicture(jpegOfSize(10_000, n / 10_000)),
  },
  {
    limit: "MAX_INLINE_ASSET_BYTES",
    value: branding.MAX_INLINE_ASSET_BYTES,
    async accepts(sizeBytes) {
      const keys: string[] = [];
      const read = async (key: string) => {
        keys.push(key);
        return null;
      };
      const logo = { sizeBytes, objectKey: "whole", mediumKey: "medium" };
      const context = { objects: { read } } as unknown as Parameters<typeof brandingVariables>[0];
      await brandingVariables(context, { logo, banner: null, ...NO_COLOURS } as unknown as Parameters<
        typeof brandingVariables
      >[1]);
      return keys.includes("whole");
    },
  },
  {
    limit: "MAX_WINDOW_CAUSE_MS",
    value: cameras.MAX_WINDOW_CAUSE_MS,
    accepts(toMs) {
      const detail = { captureWindow: { start: "06:00", end: "18:00" }, timeZone: "UTC" };
      const condition = { cameraId: newId(), kind: "window" as const, startedAt: 0, endedAt: null, detail };
      return causesWithin([condition], 0, toMs).length > 0;
    },
  },
  {
    limit: "MAX_TICKET_LENGTH",
    value: cameras.MAX_TICKET_LENGTH,
    accepts: async (n) =>
      (await call("GET", `/v1/camera-exports/${newId()}/download?ticket=${letters(n)}`)).status !== 400,
  },
  {
    limit: "MAX_EXPORT_TICKET_LENGTH",
    value: exports.MAX_EXPORT_TICKET_LENGTH,
    accepts: async (n) =>
      (await call("GET", `/v1/workspace-exports/${newId()}/download?ticket=${letters(n)}`)).status !== 400,
  },
  {
    limit: "CAPTURE_LIMITS.maxScans",
    value: CAPTURE_LIMITS.maxScans,
    accepts: (n) => codeOf(atOnce(verifyJpeg(jpegOfScans(n), { minimumEdge: 1 }))) !== "too-many-scans",
  },
];
