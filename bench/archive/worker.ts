import { type Member, type MemberTuple, membersOf } from "../../src/cameras/exports/manifest";
import { partsOf } from "../../src/cameras/exports/zip";
import type { ObjectStore } from "../../src/platform/objects/store";
import { sendParts } from "../../src/platform/zip/send";
import { prepared } from "../../test/support/zips";
import { type Packed, sendStreamed } from "./streamed";

/*
 * A Worker that only makes an export, in a separate runtime: the service's layout and sending, with images that come by
 * HTTP like from a bucket. The usual way is measured beside it.
 */

const PAGE = 1_000;

const imagesOf = (count: number, sizeBytes: number): MemberTuple[] =>
  Array.from({ length: count }, (_, n) => [
    `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`,
    `operation-${n}`,
    Date.parse("2026-01-01T00:00:00Z") + n * 60_000,
    Date.parse("2026-01-01T00:00:02Z") + n * 60_000,
    sizeBytes,
    0,
    "0".repeat(64),
    "synchronized",
    1920,
    1080,
  ]);

const bucket = (source: string): Pick<ObjectStore, "read"> => ({
  async read(key, range) {
    const asked = range !== undefined && "offset" in range ? range : null;
    const headers: Record<string, string> =
      asked === null ? {} : { range: `bytes=${asked.offset}-${asked.offset + asked.length - 1}` };
    const { body, headers: answer } = await fetch(source, { headers });
    const sizeBytes = Number(answer.get("x-size"));
    return body === null ? null : { key, sizeBytes, etag: "", body };
  },
});

/** Manifests in the form of the database. They are made once and read page by page. */
const manifests = new Map<string, Promise<{ zip: Awaited<ReturnType<typeof prepared>>; pages: string[] }>>();

async function manifest(count: number, sizeBytes: number) {
  const images = imagesOf(count, sizeBytes);
  const pages = Array.from({ length: Math.ceil(count / PAGE) }, (_, n) =>
    JSON.stringify(images.slice(n * PAGE, (n + 1) * PAGE)),
  );
  return { zip: await prepared(images, PAGE), pages };
}

interface Asked {
  /** The source of the images, their number and the size of each. */
  source: string;
  count: number;
  sizeBytes: number;
  /** The share of the export that is sent. */
  share: number;
}

async function ours({ source, count, sizeBytes, share }: Asked, to: WritableStream<Uint8Array>): Promise<void> {
  const key = `${count} ${sizeBytes}`;
  const made = manifests.get(key) ?? manifest(count, sizeBytes);
  manifests.set(key, made);
  const { zip, pages } = await made;
  const readPage = async (page: number): Promise<Member[]> => membersOf(JSON.parse(pages[page] ?? "[]"));
  const range = { offset: 0, length: Math.floor(share * zip.sizeBytes) };
  const objects = bucket(source) as ObjectStore;
  await sendParts({ objects }, partsOf(zip.row, zip.segments, range, readPage), to);
}

async function* fetched({ source, count, share }: Asked): AsyncIterable<Packed> {
  for (let n = 0; n < share * count; n++) yield { name: `${n}.jpg`, body: (await fetch(source)).body };
}

export default {
  async fetch(request, _env, execution) {
    const { pathname, searchParams } = new URL(request.url);
    const number = (name: string) => Number(searchParams.get(name));
    const asked = {
      source: searchParams.get("source") ?? "",
      count: number("count"),
      sizeBytes: number("size"),
      share: number("share"),
    };
    if (asked.count === 0) return new Response("ready");
    const { readable, writable } = new IdentityTransformStream();
    const sending = pathname === "/ours" ? ours(asked, writable) : sendStreamed(fetched(asked), writable);
    execution.waitUntil(sending.catch(() => {}));
    return new Response(readable);
  },
} satisfies ExportedHandler;
