/*
 * The worker that recognizes pages: the build puts it behind the script of tesseract.js-core, which is no module and
 * defines `TesseractCore`. One engine reads all pages of a slice.
 */
let core;
let api;

/** Gradients in radians: less than 0.3 degrees does no harm, and more than 10 degrees is no skew. */
const [MIN_SKEW, MAX_SKEW] = [0.005, 0.18];
/** Page segmentation as the command-line tool does it: it finds columns. The library's own default is one block. */
const SEGMENTATION = "3";

async function start({ wasm, models }) {
  core = await globalThis.TesseractCore({ wasmBinary: wasm, TesseractProgress() {}, print() {}, printErr() {} });
  for (const [name, bytes] of Object.entries(models)) core.FS.writeFile(`${name}.traineddata`, new Uint8Array(bytes));
  api = new core.TessBaseAPI();
  // 1: the LSTM engine only.
  if (api.Init(null, Object.keys(models).join("+"), 1) !== 0) throw new Error("language data and engine do not fit");
  api.SetVariable("tessedit_pageseg_mode", SEGMENTATION);
}

/** Gives the picture to the engine as a grey PGM, turned by an angle about its middle. */
function show(dpi, angle) {
  if (api.SetImageFile(1, angle) === 1) throw new Error("the engine does not take the picture");
  api.SetSourceResolution(dpi);
}

function recognize({ grey, width, height, dpi }) {
  const head = new TextEncoder().encode(`P5 ${width} ${height} 255\n`);
  const file = new Uint8Array(head.length + grey.length);
  file.set(head);
  file.set(grey, head.length);
  core.FS.writeFile("/input", file);
  show(dpi, 0);
  api.FindLines();
  const found = Math.abs(api.GetGradient());
  const angle = found > MIN_SKEW && found < MAX_SKEW ? api.GetGradient() : 0;
  if (angle !== 0) show(dpi, angle);
  if (api.Recognize(null) !== 0) throw new Error("not recognized");
  const words = wordsOf(api.GetTSVText(0), { width, height, angle });
  api.Clear();
  core.FS.unlink("/input");
  return words;
}

/** The words of the engine's table, with boxes where they are in the picture before it was straightened. */
function wordsOf(table, { width, height, angle }) {
  const [sin, cos] = [Math.sin(angle), Math.cos(angle)];
  const words = [];
  for (const row of table.split("\n")) {
    const [level, , block, paragraph, line, , x, y, w, h, confidence, text] = row.split("\t");
    if (level !== "5" || !text.trim()) continue;
    const dx = Number(x) + w / 2 - width / 2;
    const dy = Number(y) + h / 2 - height / 2;
    const [cx, cy] = [width / 2 + dx * cos + dy * sin, height / 2 - dx * sin + dy * cos];
    const box = [cx - w / 2, cy - h / 2, Number(w), Number(h)].map(Math.round);
    words.push({ text: text.trim(), box, confidence: Math.round(confidence), line: `${block}.${paragraph}.${line}` });
  }
  return words;
}

globalThis.onmessage = async ({ data: { id, first, page } }) => {
  try {
    postMessage({ id, result: first ? await start(first) : recognize(page) });
  } catch (thrown) {
    postMessage({ id, error: String(thrown?.message ?? thrown) });
  }
};
