import mammoth from "mammoth";
import { extractText, getDocumentProxy } from "unpdf";
import { read, utils } from "xlsx";
import { objectSource } from "../../src/documents/extraction/extracted";
import { readSlice, type SliceState, sliceState } from "../../src/documents/extraction/job";
import type { ObjectStore } from "../../src/platform/objects/store";

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

async function ours(files: string, name: string, size: number, state: SliceState | null) {
  let [passages, characters] = [0, 0];
  const input = { source: objectSource(objects(files), name, size), fileName: name, contentType: "" };
  const end = await readSlice(input, state, async (batch) => {
    passages += batch.length;
    characters += JSON.stringify(batch).length;
  });
  return { end, passages, characters };
}

/** The usual libraries, each for the whole file. */
const others: Readonly<Record<string, (bytes: ArrayBuffer) => Promise<number>>> = {
  unpdf: async (bytes) => (await extractText(await getDocumentProxy(new Uint8Array(bytes)))).text.join("\n").length,
  mammoth: async (arrayBuffer) => (await mammoth.extractRawText({ arrayBuffer })).value.length,
  xlsx: async (bytes) => {
    const { Sheets } = read(bytes, { cellDates: true });
    return Object.values(Sheets).reduce((sum, sheet) => sum + utils.sheet_to_csv(sheet).length, 0);
  },
};

export default {
  async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams: query } = new URL(request.url);
    const [files, name] = [query.get("files") ?? "", query.get("name") ?? ""];
    if (pathname === "/ours") {
      const state = query.get("state");
      const before = state === null ? null : sliceState.parse(JSON.parse(state));
      return Response.json(await ours(files, name, Number(query.get("size")), before));
    }
    const other = others[pathname.slice(1)];
    if (other === undefined) return new Response("loaded");
    return Response.json(await other(await (await fetch(`${files}/${name}`)).arrayBuffer()));
  },
};
