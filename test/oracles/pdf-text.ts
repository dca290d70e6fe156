import { execFileSync } from "node:child_process";
import { bytesSource } from "../../src/documents/extraction/extracted";
import { readSlice } from "../../src/documents/extraction/job";

/** The words of each page in our extraction, without hyphens at the ends of lines. */
export async function wordsByPage(bytes: Uint8Array): Promise<string[][]> {
  const pages: string[][] = [];
  const input = { source: bytesSource(bytes), fileName: "a.pdf", contentType: "application/pdf" };
  for (let state = null; ; ) {
    const end = await readSlice(input, state, async (batch) => {
      for (const { page, text } of batch) {
        const index = (page ?? 0) - 1;
        pages[index] = [...(pages[index] ?? []), ...wordsOf(text)];
      }
    });
    if (end.kind === "end") return pages;
    state = end.state;
  }
}

/** The words of a text. Letters that fonts draw as one are letters. */
export const wordsOf = (text: string): string[] => text.normalize("NFKC").match(/[\p{L}\p{N}]+/gu) ?? [];

/** The words that poppler's pdftotext finds on each page. */
export const pdftotext = (bytes: Uint8Array): string[][] =>
  execFileSync("pdftotext", ["-enc", "UTF-8", "-", "-"], { input: bytes, maxBuffer: 64 * 1024 * 1024 })
    .toString()
    .split("\f")
    .slice(0, -1)
    .map(wordsOf);

/** Words in any order, because two programs read columns and boxes in different orders. */
export const sorted = (pages: string[][]): string[][] => pages.map((words) => [...words].sort());
