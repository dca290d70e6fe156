import type { CDPSession } from "@cloudflare/puppeteer";
import * as Y from "yjs";
import { drawAsset } from "../../src/branding/assets/draw";
import { decodePicture } from "../../src/platform/pictures/decode";
import * as pictures from "../../src/platform/pictures/limits";
import * as reports from "../../src/reports/limits";
import { hunksOf, newBudget } from "../../src/reports/merging/sequences";
import { fontRules } from "../../src/reports/printing/page/fonts";
import { printPage } from "../../src/reports/printing/page/page";
import { supplyImages, type WantedImage } from "../../src/reports/rendering/images/supply";
import { SHARED_MAP } from "../../src/reports/room/bootstrap";
import { SharedDraft } from "../../src/reports/room/document";
import { Shape } from "../../src/reports/room/shape";
import { UpdateLog } from "../../src/reports/room/update-log";
import { systemContext } from "../support/jobs";
import type { BoundRow } from "./bounds";

/** Whether an edit of a shared draft is kept. */
function isKept(edit: (draft: Y.Map<unknown>) => void): boolean {
  const doc = new Y.Doc();
  const shape = new Shape(doc);
  const before = shape.clocks();
  return doc.transact((transaction) => {
    edit(doc.getMap(SHARED_MAP));
    return shape.keep(transaction, before).size === 0;
  });
}

/** Puts maps into each other, so that the draft has this depth. */
function nest(draft: Y.Map<unknown>, depth: number): void {
  let at = draft;
  for (let n = 1; n < depth; n++) {
    const inner = new Y.Map<unknown>();
    at.set("k", inner);
    at = inner;
  }
}
const plain = (depth: number): unknown => (depth <= 1 ? {} : { k: plain(depth - 1) });

/** The storage of a room whose log has this many rows and bytes. */
function storageOf({ rows = 0, bytes = 0 } = {}) {
  const written: unknown[] = [];
  const exec = (sql: string, ...values: unknown[]) => {
    if (sql.startsWith("INSERT")) written.push(values);
    return Object.assign([], { one: () => ({ rows, bytes, end: 0 }), toArray: () => [] });
  };
  return { sql: { exec } as unknown as SqlStorage, written };
}

/** Sequences with this many changes. No unit occurs once, so only the comparison of units finds the units that they share. */
function isCompared(changes: number, budget = newBudget()): boolean {
  const [few, more] = [Math.floor(changes / 4), Math.ceil(changes / 4)];
  const rest = changes - 2 * few - more;
  const sequence = (unit: number, before: number, after: number) => [
    ...new Array<number>(before).fill(unit),
    ...[1, 1],
    ...new Array<number>(after).fill(unit),
  ];
  return hunksOf(sequence(2, few, few), sequence(3, more, rest), budget).length > 1;
}

/** The answer of a browser about a page without warnings, page numbers and missing fonts. */
export const PLAIN_PAGE = JSON.stringify(["[]", JSON.stringify({ links: 0, warnings: [] }), "[]", "[]"]);

/** A browser that prints a PDF of this size. */
const printing = (bytes: number) => {
  const send = async (method: string) => {
    if (method === "Page.printToPDF") return { stream: "s" };
    if (method === "IO.read") return { data: "k".repeat(bytes), eof: true, base64Encoded: false };
    return { result: { value: PLAIN_PAGE, objectId: "o" } };
  };
  return { send } as unknown as CDPSession;
};

const scaled = (sizeBytes: number, more: object = {}): WantedImage => ({
  image: { found: true, documentId: "d", version: 1, objectKey: "k", contentType: "image/jpeg", sizeBytes, ...more },
  edge: 1_000,
  uses: 1,
});

/** Supplies one picture whose file has these bytes. @returns how a page shows it. */
async function supplied(bytes: Uint8Array, want: WantedImage, mode: "make" | "kept" = "make"): Promise<string> {
  const objects = {
    ...systemContext().objects,
    read: async () => ({ body: new Blob([Uint8Array.from(bytes)]).stream() }),
  };
  const given = await supplyImages({ ...systemContext(), objects } as never, "tenant", [want], mode);
  const [image] = given.values();
  if (image === undefined) return "none";
  return "missing" in image ? image.missing : image.unscaledTo === undefined ? "scaled" : "whole";
}

/** The header of a WebP of this size, in a file of this many bytes. Its data is damaged. */
function webp(width: number, height: number, bytes = 40): Uint8Array {
  const file = new Uint8Array(bytes);
  file.set(new TextEncoder().encode("RIFF\0\0\0\0WEBPVP8L\x0a\0\0\0/"));
  const view = new DataView(file.buffer);
  view.setUint32(4, bytes - 8, true);
  view.setUint32(21, (width - 1) | ((height - 1) << 14), true);
  return file;
}
const asWebp = (file: Uint8Array) => supplied(file, scaled(file.length, { contentType: "image/webp" }));

/** Whether the reason for a refusal is the damaged data, and not the size. */
const isSmall = async (work: Promise<unknown>): Promise<boolean> => {
  const thrown: unknown = await work.catch((error: unknown) => error);
  return /damaged/.test(String((thrown as { detail?: string }).detail ?? thrown));
};

export const reportBoundRows: readonly BoundRow[] = [
  {
    limit: "DRAFT_LIMITS.maxDepth",
    value: reports.DRAFT_LIMITS.maxDepth,
    accepts: (n) => isKept((draft) => nest(draft, n)),
  },
  {
    limit: "DRAFT_LIMITS.maxDepth",
    value: reports.DRAFT_LIMITS.maxDepth,
    accepts: (n) => isKept((draft) => draft.set("k", plain(n - 1))),
  },
  {
    limit: "DRAFT_LIMITS.maxKeyLength",
    value: reports.DRAFT_LIMITS.maxKeyLength,
    accepts: (n) => isKept((draft) => draft.set("k".repeat(n), 1)),
  },
  {
    limit: "MAX_UPDATE_CHUNK_BYTES",
    value: reports.MAX_UPDATE_CHUNK_BYTES,
    accepts(n) {
      const { sql, written } = storageOf();
      new UpdateLog(sql).append(new Uint8Array(n), true);
      return written.length === 1;
    },
  },
  {
    limit: "MAX_UPDATE_ROWS",
    value: reports.MAX_UPDATE_ROWS,
    accepts(rows) {
      let isCompacted = false;
      const { sql } = storageOf({ rows });
      new UpdateLog(sql, () => {
        isCompacted = true;
      }).settle(0);
      return !isCompacted;
    },
  },
  {
    limit: "MAX_ROOM_HISTORY_BYTES",
    // A user may send as much as is left for the others.
    value: reports.MAX_ROOM_HISTORY_BYTES,
    accepts(n) {
      const kv = { get: () => undefined, put: () => {} };
      const storage = { sql: storageOf({ bytes: n % 2 }).sql, kv } as unknown as DurableObjectStorage;
      const draft = new SharedDraft(
        storage,
        async () => [],
        () => {},
      );
      return draft.hasRoomFor(Math.floor(n / 2), "u");
    },
  },
  {
    limit: "MAX_EDITS_IN_STRETCH",
    value: reports.MAX_EDITS_IN_STRETCH,
    accepts: (n) => isCompared(n),
  },
  {
    limit: "MAX_PDF_BYTES",
    value: reports.MAX_PDF_BYTES,
    accepts: (n) =>
      printPage(printing(n), { html: [], title: "", language: "en", madeAt: 0 }, 1).then(
        () => true,
        () => false,
      ),
  },
  {
    limit: "MAX_FONT_BYTES",
    value: reports.MAX_FONT_BYTES,
    async accepts(bytes) {
      const face = { font: "noto-sans", file: "a", bytes, ranges: [[65, 66]] };
      const assets = { fetch: async () => Response.json([face]) };
      return (await Array.fromAsync(fontRules(assets as never, new Set([65]), "en"))).length === 1;
    },
  },
  {
    limit: "MAX_IMAGE_BYTES",
    value: reports.MAX_IMAGE_BYTES,
    accepts: async (n) =>
      (await supplied(new Uint8Array(n), scaled(n, { frame: { thumbnailKey: "t", capturedAt: 0 } }), "kept")) ===
      "scaled",
  },
  {
    limit: "MAX_PHOTON_PIXELS",
    value: pictures.MAX_PHOTON_PIXELS,
    step: 1_000,
    // A browser scales a larger picture while it prints.
    accepts: async (n) => (await asWebp(webp(1_000, n / 1_000))) !== "whole",
  },
  {
    limit: "MAX_PHOTON_PIXELS",
    value: pictures.MAX_PHOTON_PIXELS,
    step: 1_000,
    accepts: (n) => isSmall(decodePicture(webp(1_000, n / 1_000), 64)),
  },
  {
    limit: "MAX_PHOTON_PIXELS",
    value: pictures.MAX_PHOTON_PIXELS,
    step: 1_000,
    accepts: (n) => isSmall(drawAsset(webp(1_000, n / 1_000))),
  },
  {
    limit: "MAX_PHOTON_FILE_BYTES",
    value: pictures.MAX_PHOTON_FILE_BYTES,
    accepts: async (n) => (await asWebp(webp(100, 100, n))) !== "whole",
  },
  {
    limit: "MAX_WEBP_PIXELS",
    value: pictures.MAX_WEBP_PIXELS,
    step: 10_000,
    accepts: async (n) => (await asWebp(webp(10_000, n / 10_000))) === "whole",
  },
];
