import { getDocumentProxy, getResolvedPDFJS } from "unpdf";
import { z } from "zod";
import type { PrintWarning } from "../../../src/platform/ports";

/** The warnings about the layout. `standard.test.ts` tests those about PDF/A and PDF/UA. */
export const ofLayout = (warnings: readonly PrintWarning[]): PrintWarning[] =>
  warnings.filter(({ code }) => code !== "not-accessible" && code !== "not-archivable");

const info = z.object({ Title: z.string(), Language: z.string().nullish(), CreationDate: z.string().optional() });

/** Width of the margins at the left and right of the paper that must have no words, points. */
const MARGIN = 20;

/** The tags of a PDF, which screen readers follow. */
interface Tag {
  id?: string;
  role?: string;
  alt?: string;
  children?: Tag[];
}
const figuresIn = (tag: Tag): (string | null)[] => [
  ...(tag.role === "Figure" ? [tag.alt ?? null] : []),
  ...(tag.children ?? []).flatMap(figuresIn),
];

type Matrix = [number, number, number, number, number, number];
const times = ([a, b, c, d, e, f]: Matrix, [g, h, i, j, k, l]: Matrix): Matrix => [
  a * g + c * h,
  b * g + d * h,
  a * i + c * j,
  b * i + d * j,
  a * k + c * l + e,
  b * k + d * l + f,
];

/** Sizes at which a page draws its pictures, points. */
async function drawn({ fnArray, argsArray }: { fnArray: number[]; argsArray: unknown[] }) {
  const { OPS } = await getResolvedPDFJS();
  const sizes: { width: number; height: number }[] = [];
  const stack: Matrix[] = [];
  let matrix: Matrix = [1, 0, 0, 1, 0, 0];
  for (const [n, fn] of fnArray.entries()) {
    if (fn === OPS.save) stack.push(matrix);
    else if (fn === OPS.restore) matrix = stack.pop() ?? matrix;
    else if (fn === OPS.transform) matrix = times(matrix, argsArray[n] as Matrix);
    else if (fn === OPS.paintImageXObject) {
      const [a, b, c, d] = matrix;
      sizes.push({ width: Math.round(Math.hypot(a, b)), height: Math.round(Math.hypot(c, d)) });
    }
  }
  return sizes;
}

/** The data that pdf.js reads from a PDF: its pages with their sizes (points) and words, and its metadata. */
export async function readPdf(bytes: Uint8Array) {
  const pdf = await getDocumentProxy(bytes.slice());
  const { info: raw } = await pdf.getMetadata();
  const pages: {
    width: number;
    height: number;
    text: string;
    links: string[];
    outside: string[];
    /** Its texts with their left and right ends, points from the left of the paper. */
    texts: { text: string; left: number; right: number }[];
    figures: (string | null)[];
    pictures: Awaited<ReturnType<typeof drawn>>;
  }[] = [];
  for (let number = 1; number <= pdf.numPages; number++) {
    const page = await pdf.getPage(number);
    const { width, height } = page.getViewport({ scale: 1 });
    const { items } = await page.getTextContent();
    const notes: { url?: string }[] = await page.getAnnotations();
    const tags: Tag | null = await page.getStructTree();
    pages.push({
      width: Math.round(width),
      height: Math.round(height),
      text: items.map((item) => ("str" in item ? item.str : "")).join(" "),
      texts: items.flatMap((item) => {
        if (!("str" in item) || item.str.trim() === "") return [];
        const left = Number(item.transform[4]);
        return [{ text: item.str, left: Math.round(left), right: Math.round(left + item.width) }];
      }),
      outside: items.flatMap((item) => {
        if (!("str" in item) || item.str.trim() === "") return [];
        const left = Number(item.transform[4]);
        return left < MARGIN || left + item.width > width - MARGIN ? [item.str] : [];
      }),
      links: notes.flatMap(({ url }) => (url === undefined ? [] : [url])),
      pictures: await drawn(await page.getOperatorList()),
      /** The alternative texts of its figures. */
      figures: tags === null ? [] : figuresIn(tags),
    });
  }
  const titles = (nodes: { title: string; items: unknown[] }[]): unknown[] =>
    nodes.map(({ title, items }) => (items.length === 0 ? title : [title, ...titles(items as typeof nodes)]));
  const read = {
    ...info.parse(raw),
    pages,
    outline: titles((await pdf.getOutline()) ?? []),
    tagged: (await pdf.getMarkInfo())?.Marked === true,
  };
  await pdf.cleanup();
  return read;
}
