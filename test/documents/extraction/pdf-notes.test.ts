import { expect, test } from "vitest";
import { readPdfNotes } from "../../../src/documents/extraction/formats/pdf-notes";
import { pdfOf, stream } from "./hostile-pdf";
import { readDocument, readFixture } from "./read";

const FONT = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>";
/** A PDF of one page, object 3, with these annotations. `more` are the objects from 6 on. */
const pdfWith = (annotations: string, ...more: string[]): Uint8Array =>
  pdfOf(
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R /Resources << /Font << /T 5 0 R >> >> /Annots ${annotations} >>`,
    stream("", "BT /T 12 Tf 10 100 Td (The page itself.) Tj ET"),
    FONT,
    ...more,
  );
const notesIn = async (bytes: Uint8Array) => (await readPdfNotes(bytes)).get(3);
const countIn = async (bytes: Uint8Array) => (await readPdfNotes(bytes)).size;

test.each(["form.pdf", "lock-aes-256.pdf", "lock-aes-128-objects.pdf", "lock-rc4-v4.pdf"])(
  "form values and comments of %s are text of their page",
  async (name) => {
    const { end, passages } = await readFixture(name);
    expect(end.status).toBe("indexed");
    const on = (page: number) =>
      passages
        .filter((passage) => passage.page === page)
        .map(({ text }) => text)
        .join("\n");
    for (const text of ["Ragnhild Keeper", "South berth", "approved: Yes", "Astrid: Ask Grüße-Halle about the ballast"])
      expect(on(1)).toContain(text);
    expect(on(2)).toMatch(/Rust on the \(lower\) hinge\s+bolts replaced/);
    expect(on(1)).not.toContain("Rust");
    expect(on(2)).not.toContain("Ragnhild");
  },
);

test("contains chosen options with their labels, and no hidden, secret, button or repeated text", async () => {
  const widget = (more: string) => `<< /Subtype /Widget ${more} >>`;
  const notes = await notesIn(
    pdfWith(
      `[ ${[
        widget("/FT /Ch /T (berth) /V [(n) (s)] /Opt [[(n) (North)] [(s) (South)]]"),
        widget("/FT /Tx /T (code) /V (secret) /Ff 8192"),
        widget("/FT /Tx /T (gone) /V (hidden) /F 2"),
        widget("/FT /Btn /T (send) /V /Yes /Ff 65536"),
        widget("/FT /Btn /T (open) /AS /Off /V /Yes"),
        widget("/FT /Tx /T (empty) /V ()"),
        widget("/Parent 6 0 R /T (first)"),
        "<< /Subtype /FreeText /Contents <FEFF 0041 004E> >>",
        "<< /Subtype /Caret /Contents (don\\220t \\205 \\240 5) >>",
        "<< /Subtype /Highlight /T (Eva) /Contents (Look (here) \\101) >>",
        "<< /Subtype /Popup /Contents (Look) >>",
        "<< /Subtype /Link /Contents (a link) >>",
        "7 0 R 7 0 R 99 0 R",
      ].join(" ")} ]`,
      "<< /FT /Tx /T (name) /V (Ada) >>",
      "<< /S#75btype /Text /Contents 8 0 R >>",
      "(Once)",
    ),
  );
  expect(notes).toEqual(["berth: North, South", "name first: Ada", "AN", "don’t – € 5", "Eva: Look (here) A", "Once"]);
});

test("is read from randomly damaged files without a crash, like the page text", async () => {
  for (const annotations of [
    "[ (without end",
    "[ 3 0 R 3 0 R",
    "<< /A",
    "99 0 R",
    "[ << /Subtype /Text /Contents <41 >> ]",
    "[".repeat(500),
  ]) {
    const { end, text } = await readDocument(pdfWith(annotations, "<< /Parent 6 0 R >>"), "a.pdf");
    expect(end.status).toMatch(/indexed|damaged/);
    if (end.status === "indexed") expect(text).toContain("The page itself.");
  }
  const loop = pdfWith(
    "[ << /Subtype /Widget /Parent 6 0 R /FT /Tx /V (in a circle) >> ]",
    "<< /Parent 6 0 R /T (a) >>",
  );
  expect((await notesIn(loop))?.[0]).toMatch(/^(a )+a: in a circle$|^a[a ]*: in a circle$/);
});

test("has limits for many annotations, for one text in many annotations, and for many pages with one list", async () => {
  expect(await countIn(pdfWith(`[ ${"6 0 R ".repeat(600_000)}]`, "<< /Subtype /Text /Contents (a) >>"))).toBe(0);
  const long = `<< /V (${"long ".repeat(20_000)}) /FT /Tx >>`;
  const widgets = Array.from({ length: 3_000 }, (_, n) => `<< /Subtype /Widget /Parent 6 0 R /T (${n}) >>`).join(" ");
  expect(((await notesIn(pdfWith(`[ ${widgets} ]`, long))) ?? []).join("").length).toBeLessThanOrEqual(1024 * 1024);
  // Long values without text count too: names, options, nested strings, and shared lists.
  const hostile = [
    pdfWith(`[ ${"<< /Subtype /Widget /Parent 6 0 R >> ".repeat(20_000)} ]`, `<< /T (${"x".repeat(200_000)}) >>`),
    pdfWith(
      `[ ${"<< /Subtype /Widget /Parent 6 0 R >> ".repeat(20_000)} ]`,
      `<< /FT /Ch /V (a) /Opt [ ${"[(a)(a)] ".repeat(20_000)} ] >>`,
    ),
    pdfWith(
      `[ ${Array.from({ length: 20_000 }, (_, n) => `${n + 10} 0 R`).join(" ")} ]`,
      Array.from({ length: 20_000 }, (_, n) => `${n + 10} 0 obj (`).join(" ") + ")".repeat(20_000),
    ),
  ];
  for (const bytes of hostile) expect(await countIn(bytes)).toBe(0);
});
