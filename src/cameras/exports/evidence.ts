import { createHash } from "node:crypto";
import type { ExportRow, PageSize } from "./layout";
import { EVIDENCE_TAIL, evidenceHead, evidenceLines } from "./manifest";
import type { ReadPage } from "./parts";

/**
 * SHA-256 of evidence.json, in lower-case hex. A digest cannot be kept from one slice of a job to the next, as
 * a CRC can, so it is taken of all pages at the end, one at a time: 66 MB for the largest export.
 */
export async function digestEvidence(row: ExportRow, pages: readonly PageSize[], readPage: ReadPage): Promise<string> {
  const hash = createHash("sha256").update(evidenceHead(row));
  for (const { page } of pages) hash.update(evidenceLines(await readPage(page), page));
  return hash.update(EVIDENCE_TAIL).digest("hex");
}
