import { getDocumentProxy } from "unpdf";
import { z } from "zod";

const info = z.object({ Title: z.string(), Language: z.string().nullish(), CreationDate: z.string().optional() });

/** What no words may stand in, at the left and right of the paper, points. */
const MARGIN = 20;

/** What pdf.js reads of a PDF: its pages with their sizes (points) and words, and what it says of itself. */
export async function readPdf(bytes: Uint8Array) {
  const pdf = await getDocumentProxy(bytes.slice());
  const { info: raw } = await pdf.getMetadata();
  const pages: { width: number; height: number; text: string; links: string[]; outside: string[] }[] = [];
  for (let number = 1; number <= pdf.numPages; number++) {
    const page = await pdf.getPage(number);
    const { width, height } = page.getViewport({ scale: 1 });
    const { items } = await page.getTextContent();
    const notes: { url?: string }[] = await page.getAnnotations();
    pages.push({
      width: Math.round(width),
      height: Math.round(height),
      text: items.map((item) => ("str" in item ? item.str : "")).join(" "),
      outside: items.flatMap((item) => {
        if (!("str" in item) || item.str.trim() === "") return [];
        const left = Number(item.transform[4]);
        return left < MARGIN || left + item.width > width - MARGIN ? [item.str] : [];
      }),
      links: notes.flatMap(({ url }) => (url === undefined ? [] : [url])),
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
