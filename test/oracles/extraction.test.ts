import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zlibSync } from "fflate";
import { describe, expect, test } from "vitest";
import { bytesSource } from "../../src/documents/extraction/extracted";
import { readSlice } from "../../src/documents/extraction/job";
import { pdfOf, stream } from "../documents/extraction/hostile-pdf";
import { pdfOfPages } from "../support/long-pdf";
import { pdftotext, sorted, wordsByPage } from "./pdf-text";

test.each(["report.pdf", "owner-locked.pdf"])(
  "finds on each page of %s the words that pdftotext finds",
  async (name) => {
    const bytes = Uint8Array.from(readFileSync(`test/fixtures/documents/${name}`));
    const expected = pdftotext(bytes);
    expect(expected).toHaveLength(3);
    expect(sorted(await wordsByPage(bytes))).toEqual(sorted(expected));
  },
);

test("finds on each of 120 pages the words that pdftotext finds, in the same order", async () => {
  const bytes = await pdfOfPages(120);
  expect(await wordsByPage(bytes)).toEqual(pdftotext(bytes));
});

describe("a PDF that qpdf has locked only against changes", () => {
  const LOCKS = [
    ["40-bit RC4", ["40", "--"], ["--allow-weak-crypto"]],
    ["128-bit RC4", ["128", "--use-aes=n", "--"], ["--allow-weak-crypto"]],
    ["128-bit AES", ["128", "--use-aes=y", "--"], ["--allow-weak-crypto"]],
    [
      "128-bit AES, its metadata in the open",
      ["128", "--use-aes=y", "--cleartext-metadata", "--"],
      ["--allow-weak-crypto"],
    ],
    ["256-bit AES of revision 5", ["256", "--force-R5", "--"], ["--allow-weak-crypto"]],
    ["256-bit AES", ["256", "--"], []],
    ["256-bit AES with object streams", ["256", "--"], ["--object-streams=generate"]],
    [
      "128-bit RC4 with object streams",
      ["128", "--use-aes=n", "--"],
      ["--allow-weak-crypto", "--object-streams=generate"],
    ],
  ] as const;

  /** The file after its encryption by qpdf, with a password for its owner and none for its readers. */
  function locked(bytes: Uint8Array, lock: readonly string[], more: readonly string[]): Uint8Array {
    const folder = mkdtempSync(join(tmpdir(), "locked-"));
    try {
      const [from, to] = [join(folder, "from.pdf"), join(folder, "to.pdf")];
      writeFileSync(from, bytes);
      execFileSync("qpdf", [...more, "--encrypt", "", "owner", ...lock, from, to]);
      return Uint8Array.from(readFileSync(to));
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  test.each(LOCKS)("is read: %s", async (_, lock, more) => {
    const open = Uint8Array.from(readFileSync("test/fixtures/documents/report.pdf"));
    expect(await wordsByPage(locked(open, lock, more))).toEqual(await wordsByPage(open));
  });

  test.each(LOCKS)("is too large when it unpacks to far more: %s", async (_, lock, more) => {
    const content = zlibSync(new Uint8Array(18 * 1024 * 1024).fill(0x20), { level: 9 });
    const bomb = pdfOf(
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R >>",
      stream("/Filter /FlateDecode", Array.from(content, (byte) => String.fromCharCode(byte)).join("")),
    );
    const bytes = locked(bomb, [...lock], [...more, "--stream-data=preserve"]);
    expect(bytes.length).toBeLessThan(64 * 1024);
    const input = { source: bytesSource(bytes), fileName: "a.pdf", contentType: "application/pdf" };
    expect(await readSlice(input, null, async () => {})).toMatchObject({ kind: "end", status: "too-large" });
  });
});
