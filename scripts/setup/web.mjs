import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { writePdfjs } from "./pdfjs.mjs";
import { CACHE, main, SCHEMA } from "./project.mjs";
import { unlessDone } from "./stamp.mjs";

/** Everything that the bundles and the static files are made from. */
const INPUTS = ["web", "client/package.json", "client/src", "src", "package-lock.json", "scripts/setup"];

/**
 * Makes the static files of wrangler.toml and the pdf.js of the Worker, unless they are there and were made from the same source.
 * @param {(line: string) => void} [say]
 */
export async function buildWeb(say = () => {}) {
  writePdfjs();
  await unlessDone({ stamp: join(CACHE, "web.json"), inputs: INPUTS, except: [SCHEMA] }, async () => {
    say("Building the pages …");
    // The bundler takes longer to load than everything else here.
    const { writeWeb } = await import("./write-web.mjs");
    return writeWeb();
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) main(() => buildWeb());
