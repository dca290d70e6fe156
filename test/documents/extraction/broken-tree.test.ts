import { describe, expect, test } from "vitest";
import { latin1 } from "../../../src/platform/latin1";
import { pagedPdf } from "../../support/paged-pdf";
import { pdfOf, stream } from "./hostile-pdf";
import { readDocument } from "./read";

/** The numbers of the pages that are found, by their unique word. */
async function lanternsOf(bytes: Uint8Array): Promise<{ status: string; found: string[] }> {
  const { end, passages } = await readDocument(bytes, "broken.pdf");
  const found = passages.flatMap(({ page, text }) =>
    (text.match(/lantern\d+/g) ?? []).map((word) => `${page}:${word}`),
  );
  return { status: end.status, found };
}

/** A file with a text replaced by another of the same length, so that no offset changes. */
function changed(bytes: Uint8Array, from: string, to: string): Uint8Array {
  const text = latin1(bytes);
  expect([text.includes(from), to.length]).toEqual([true, from.length]);
  return Uint8Array.from(text.replace(from, to), (char) => char.charCodeAt(0));
}

describe("pages after a broken node of the page tree are found, each with its number", () => {
  test.each([
    ["is not there", "8 0 obj", "8 0 xbj"],
    ["is no dictionary", "8 0 obj\n<<", "8 0 obj\n[["],
    ["is named and never was", "8 0 R", "0 9 R"],
  ])("where it %s", async (_, from, to) => {
    const { status, found } = await lanternsOf(changed(pagedPdf(5), from, to));
    expect(found).toEqual(["1:lantern1", "2:lantern2", "4:lantern4", "5:lantern5"]);
    expect(status).toBe("indexed");
  });

  test("if it is the first node", async () => {
    const { found } = await lanternsOf(changed(pagedPdf(3), "4 0 obj", "4 0 xbj"));
    expect(found).toEqual(["2:lantern2", "3:lantern3"]);
  });

  test("if there are several broken nodes, in more pages than one slice reads", async () => {
    const once = changed(pagedPdf(120), "\n8 0 obj", "\n8 0 xbj");
    const { found } = await lanternsOf(changed(once, "\n164 0 obj", "\n164 0 xbj"));
    expect(found.length).toBe(118);
    expect(found.slice(-2)).toEqual(["119:lantern119", "120:lantern120"]);
  });

  test("if the broken node has pages itself", async () => {
    const page = (parent: number, content: number) =>
      `<< /Type /Page /Parent ${parent} 0 R /MediaBox [0 0 99 99] /Contents ${content} 0 R /Resources << /Font << /T 3 0 R >> >> >>`;
    const words = (n: number) => stream("", `BT /T 12 Tf 10 50 Td (lantern${n}) Tj ET`);
    const { found } = await lanternsOf(
      pdfOf(
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [4 0 R 99 0 R 5 0 R] /Count 4 >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        page(2, 7),
        "<< /Type /Pages /Parent 2 0 R /Kids [6 0 R] /Count 1 >>",
        page(5, 8),
        words(1),
        words(4),
      ),
    );
    expect(found).toEqual(["1:lantern1", "3:lantern4"]);
  });
});
