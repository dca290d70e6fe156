import { objectSource } from "../../src/documents/extraction/extracted";
import { openRecognizer } from "../../src/documents/recognition/recognizer";
import { legible, meanConfidence } from "../../src/documents/recognition/text";
import type { ObjectStore } from "../../src/platform/objects/store";

export { BrowserPool } from "../../src/platform/browsers/pool";

/** Reads ranges of objects from the file server of the benchmark, like the object store from its bucket. */
const objects = (files: string): Pick<ObjectStore, "read"> => ({
  async read(key, range) {
    if (range === undefined || "suffix" in range) throw new Error("read by offset");
    const headers = { range: `bytes=${range.offset}-${range.offset + range.length - 1}` };
    const response = await fetch(`${files}/${key}`, { headers });
    if (response.body === null) return null;
    return { key, sizeBytes: range.length, etag: "", body: response.body };
  },
});

export default {
  async fetch(request, env) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/readyz") return new Response("ready");
    const given = (name: string) => searchParams.get(name) ?? "";
    const source = objectSource(objects(given("files")), given("name"), Number(given("size")));
    const pageNumbers = Array.from({ length: Number(given("count")) }, (_, at) => Number(given("from")) + at);
    const result = await openRecognizer(env, 1).recognize({ ...source, isPdf: true }, pageNumbers);
    if (result.kind === "refused") return Response.json(result, { status: 422 });
    const pages = result.pages.map((page) => ({
      page: page.page,
      outcome: page.outcome,
      words: legible(page).words.map(({ text }) => text),
      confidence: meanConfidence(page.words),
    }));
    return Response.json(pages);
  },
} satisfies ExportedHandler<Cloudflare.Env>;
