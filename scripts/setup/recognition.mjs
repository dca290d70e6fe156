import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { ROOT } from "./project.mjs";

/** Bytes of one piece of a file. As base64 it stays below 1 MiB, the largest message to a browser. */
const PIECE_BYTES = 512 * 1024;

const PAGE = '<!doctype html><meta charset="utf-8"><title>-</title><script type="module" src="/page.js"></script>';

const read = (...path) => readFileSync(join(ROOT, ...path));
const packaged = (...path) => read("node_modules", ...path);
const tesseract = (extension) => packaged("tesseract.js-core", `tesseract-core-simd-lstm.${extension}`);
/** The languages of src/platform/languages/recognition.ts, by the names of their packages. */
const MODELS = ["deu", "eng", "fra", "ita", "nld", "pol", "por", "spa"];
/** The data of a language: quantized, as accurate as the full data and a quarter of its size. */
const language = (name) => packaged("@tesseract.js-data", name, "4.0.0_best_int", `${name}.traineddata.gz`);
const zipped = (bytes) => gzipSync(bytes, { level: 9 });

/** A script of the page with everything that it imports. */
async function bundled(name) {
  const { outputFiles } = await build({
    entryPoints: [join(ROOT, "web/recognition", name)],
    bundle: true,
    format: "esm",
    target: "es2022",
    legalComments: "none",
    write: false,
  });
  return Buffer.from(outputFiles[0].contents);
}

/** Files that the page gets in pieces and unzips. */
const zippedFiles = async () => ({
  engine: zipped(Buffer.concat([tesseract("js"), Buffer.from("\n"), read("web/recognition/engine.js")])),
  core: zipped(tesseract("wasm")),
  ...Object.fromEntries(MODELS.map((name) => [name, language(name)])),
  "pdf.worker": zipped(packaged("pdfjs-dist/build/pdf.worker.min.mjs")),
  decoder: zipped(await bundled("decoder.ts")),
  magick: zipped(packaged("@imagemagick/magick-wasm/dist/x86/magick.wasm")),
});

/** Files that pdf.js fetches when a document needs them: character maps, fonts, colour profiles and decoders. */
const PDF_FOLDERS = {
  cmaps: /\.bcmap$/,
  standard_fonts: /\.(?:pfb|ttf)$/,
  iccs: /\.icc$/,
  wasm: /^(?!quickjs).*\.wasm$/,
};

const pdfFiles = () =>
  Object.entries(PDF_FOLDERS).flatMap(([folder, pattern]) =>
    readdirSync(join(ROOT, "node_modules/pdfjs-dist", folder))
      .filter((file) => pattern.test(file))
      .map((file) => [`${folder}/${file}`, packaged("pdfjs-dist", folder, file)]),
  );

/** The static files of text recognition by their paths. `pieces.json` has the number of pieces of each zipped file. */
export async function recognitionFiles() {
  const pieces = {};
  const files = {
    "page.html": Buffer.from(PAGE),
    "page.js": await bundled("page.ts"),
    "pdf.mjs": packaged("pdfjs-dist/build/pdf.min.mjs"),
    ...Object.fromEntries(pdfFiles()),
  };
  for (const [name, bytes] of Object.entries(await zippedFiles())) {
    pieces[name] = Math.ceil(bytes.length / PIECE_BYTES);
    for (let piece = 0; piece < pieces[name]; piece++)
      files[`${name}/${piece}`] = bytes.subarray(piece * PIECE_BYTES, (piece + 1) * PIECE_BYTES);
  }
  for (const [path, bytes] of Object.entries(files))
    if (bytes.length > PIECE_BYTES) throw new Error(`${path} has more than ${PIECE_BYTES} bytes`);
  return { ...files, "pieces.json": Buffer.from(JSON.stringify(pieces)) };
}
