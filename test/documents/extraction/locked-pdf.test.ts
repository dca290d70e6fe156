import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { decryptPdf } from "../../../src/documents/extraction/formats/pdf-decrypt";
import { latin1 } from "../../../src/platform/latin1";
import { pdfOf, stream } from "./hostile-pdf";
import { fixture, readDocument, readFixture } from "./read";

/*
 * form.pdf, encrypted by qpdf 11 with every method. All files open without a password. If a name has no "hex" in it,
 * the strings of the encryption dictionary are raw bytes in parentheses, as Acrobat writes them. One file was signed
 * after that.
 */
const LOCKED = Object.keys(env.TEST_DOCUMENTS).filter((name) => name.startsWith("lock-"));

test.each(LOCKED)("%s opens without a password, so its text is found", async (file) => {
  const { end, text } = await readFixture(file);
  expect(end).toMatchObject({ status: "indexed", pageCount: 2 });
  expect(text).toContain("The third caisson has settled by four centimetres.");
  expect(text).toContain("Its lantern turns once every nine seconds.");
});

test.each(LOCKED.filter((name) => !name.includes("objects") && !/linear|v4/.test(name)))(
  "the strings of %s equal the strings of the file before",
  async (file) => {
    const bytes = fixture(file);
    await decryptPdf(bytes);
    expect(latin1(bytes)).toMatch(/\/T (?:\(Astrid\)|<417374726964>)/);
  },
);

test("a PDF with only encrypted attachments is read", async () => {
  const lock = `<< /Filter /Standard /V 5 /R 6 /Length 256 /P -4 /O (${"o".repeat(48)}) /U (${"u".repeat(48)})
    /OE (${"o".repeat(32)}) /UE (${"u".repeat(32)}) /Perms (0123456789abcdef) /StmF /Identity /StrF /Identity /EFF /StdCF
    /CF << /StdCF << /CFM /AESV3 /AuthEvent /EFOpen /Length 32 >> >> >>`;
  const page =
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R /Resources << /Font << /T 5 0 R >> >> >>";
  const bytes = pdfOf(
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    page,
    stream("", "BT /T 12 Tf 10 100 Td (The cover is open.) Tj ET"),
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    lock,
  );
  const locked = latin1(bytes).replace("/Root 1 0 R", "/Root 1 0 R /Encrypt 6 0 R");
  const { end, text } = await readDocument(
    Uint8Array.from(locked, (char) => char.charCodeAt(0)),
    "a.pdf",
  );
  expect(end.status).toBe("indexed");
  expect(text).toBe("The cover is open.");
});
