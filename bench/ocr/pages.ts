import { PDFDocument } from "pdf-lib";
import type { Page } from "puppeteer-core";
import { z } from "zod";

/** Parts of sentences. Their combinations give pages whose words are known. */
const PARTS = {
  en: [
    "The harbour surveyor|Our northern contractor|A careful inspector|The night watch|Every crane driver|The dredging company|One of the pilots|The quality manager".split(
      "|",
    ),
    "inspected|measured|photographed|replaced|repaired|reported|documented|approved".split("|"),
    "the upper ledge of the caisson|a damaged rubber fender|seven mooring bollards|the corroded ladder|both navigation lights|the concrete of the quay wall|a drainage channel|the foundation of the warehouse".split(
      "|",
    ),
    "before the spring tide|during heavy rainfall|with a calibrated gauge|at the request of the authority|without any delay|near the eastern breakwater|in the first week of October|because the drawings were incomplete".split(
      "|",
    ),
  ],
  de: [
    "Der zuständige Bauleiter|Unsere beauftragte Prüfstelle|Ein erfahrener Sachverständiger|Die Nachtschicht|Jeder Kranführer|Das Baggerunternehmen|Einer der Lotsen|Die Qualitätsbeauftragte".split(
      "|",
    ),
    "überprüfte|vermaß|fotografierte|ersetzte|reparierte|meldete|dokumentierte|genehmigte".split("|"),
    "die Ankerköpfe der Spundwand|einen beschädigten Gummifender|sieben gusseiserne Poller|die verrostete Steigleiter|beide Leuchtfeuer|den Beton der Kaimauer|eine verstopfte Entwässerungsrinne|das Fundament des Lagergebäudes".split(
      "|",
    ),
    "vor der nächsten Springflut|während eines starken Regens|mit einem geeichten Messgerät|auf Wunsch der Behörde|ohne jede Verzögerung|in der Nähe der östlichen Mole|in der ersten Oktoberwoche|weil die Zeichnungen unvollständig waren".split(
      "|",
    ),
  ],
};
export type Language = keyof typeof PARTS;

/** Sentences of a page: the same in every run. */
function sentences(language: Language, count: number): string[] {
  const of = (part: number, n: number) => PARTS[language][part]?.[n % 8] ?? "";
  return Array.from({ length: count }, (_, n) => {
    const [a, b, c, d] = [of(0, n), of(1, n * 3 + 1), of(2, n * 5 + 2), of(3, n * 7 + Math.floor(n / 8))];
    return `${a} ${b} ${c} ${d}.`;
  });
}

export const KINDS = ["clean, 300 dpi", "clean, 200 dpi", "skewed, 2 degrees", "noisy", "table"] as const;
export type Kind = (typeof KINDS)[number];

const [WIDTH, HEIGHT] = [794, 1123];

/** A page of A4 as a JPEG of a scanner, and its words. */
export async function scanned(page: Page, language: Language, kind: Kind) {
  const isTable = kind === "table";
  const lines = sentences(language, isTable ? 12 : 27);
  const rows = lines.map(
    (line, n) =>
      `<tr><td>${n + 101}<td>${line.split(" ").slice(0, 4).join(" ")}<td>${line.split(" ").slice(4).join(" ")}`,
  );
  const body = isTable
    ? `<table border="1" style="border-collapse:collapse;width:100%">${rows.join("")}</table>`
    : lines.map((line, n) => (n % 4 === 0 ? `<p>${line}` : line)).join(" ");
  const turn = kind.startsWith("skewed") ? "transform:rotate(2deg)" : "";
  const dpi = kind === "clean, 200 dpi" ? 200 : 300;
  await page.setViewport({ width: WIDTH, height: HEIGHT, deviceScaleFactor: dpi / 96 });
  await page.setContent(
    `<!doctype html><meta charset="utf-8"><style>body{margin:75px;font:15px/1.5 "Liberation Serif",serif;background:#fff}td{padding:4px 8px}</style><div style="${turn}">${body}</div>`,
  );
  const text = z.string().parse(await page.evaluate("document.body.innerText"));
  const words = wordsOf(text);
  const png = await page.screenshot({ encoding: "base64" });
  const jpeg = z.string().parse(await page.evaluate(`(${JPEG})(${JSON.stringify(png)}, ${kind === "noisy"})`));
  return { words, jpeg: Uint8Array.from(Buffer.from(jpeg, "base64")) };
}

/** In the page: makes a JPEG of a PNG (base64), with specks and grain if asked. */
const JPEG = `async (png, isNoisy) => {
  const picture = await createImageBitmap(await (await fetch("data:image/png;base64," + png)).blob());
  const canvas = new OffscreenCanvas(picture.width, picture.height);
  const brush = canvas.getContext("2d");
  brush.drawImage(picture, 0, 0);
  if (isNoisy) {
    const image = brush.getImageData(0, 0, canvas.width, canvas.height);
    let seed = 20261123;
    const random = () => {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      return seed / 2 ** 32;
    };
    for (let at = 0; at < image.data.length; at += 4) {
      const speck = random() < 0.01 ? (random() < 0.5 ? 0 : 255) : null;
      const grain = (random() - 0.5) * 50;
      for (let channel = 0; channel < 3; channel++)
        image.data[at + channel] = speck ?? image.data[at + channel] * 0.85 + 20 + grain;
    }
    brush.putImageData(image, 0, 0);
  }
  const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: "image/jpeg", quality: 0.9 })).arrayBuffer());
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}`;

/** Words of a text: letters and digits, in lower case. */
const wordsOf = (text: string): string[] => (text.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => word.toLowerCase());

/** A PDF of A4 pages that are pictures. */
export async function pdfOfScans(pictures: readonly Uint8Array[]): Promise<Uint8Array> {
  const pdf = await PDFDocument.create();
  for (const bytes of pictures) {
    const picture = await pdf.embedJpg(bytes);
    pdf.addPage([595.3, 841.9]).drawImage(picture, { x: 0, y: 0, width: 595.3, height: 841.9 });
  }
  return pdf.save();
}

/** The share of the words that were found, each as often as it is there. */
export function found(words: readonly string[], recognized: readonly string[]): number {
  const left = new Map<string, number>();
  for (const word of recognized
    .join(" ")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [])
    left.set(word, (left.get(word) ?? 0) + 1);
  let hits = 0;
  for (const word of words) {
    const count = left.get(word) ?? 0;
    if (count > 0) hits++;
    left.set(word, count - 1);
  }
  return hits / words.length;
}
