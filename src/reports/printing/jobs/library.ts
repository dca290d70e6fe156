import { and, eq, isNull, sql } from "drizzle-orm";
import type { DocumentRow } from "../../../documents";
import { documents } from "../../../documents/tables";
import type { Context } from "../../../platform/context";
import type { ReportRow } from "../../drafts/find";

/** Folder of the library that reports are printed into. */
const FOLDER = "reports";
/** Longest part of a title in a file's name, characters. */
const LONGEST_SLUG = 80;

/** A title as a file's name: its letters and digits, the rest as single hyphens. */
export function slugOf(title: string): string {
  const words = title
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-");
  const slug = [...words]
    .slice(0, LONGEST_SLUG)
    .join("")
    .replace(/^-+|-+$/g, "");
  return (slug === "" ? "report" : slug).normalize("NFC");
}

/** Where a report's next PDF goes: the document of its last one, or a name that is free. */
export interface PdfPlace {
  document: DocumentRow | null;
  path: string;
  fileName: string;
}

/**
 * Finds the one document that a report's PDFs are versions of, wherever it was moved within its location. A
 * name that another document has gets the report's id behind it: nothing of others is written over.
 */
export async function pdfPlace(
  { db }: Context,
  report: Pick<ReportRow, "id" | "title" | "locationId" | "pdfDocumentId">,
): Promise<PdfPlace> {
  const path = FOLDER;
  const inLocation = and(eq(documents.locationId, report.locationId), isNull(documents.deletedAt));
  if (report.pdfDocumentId !== null) {
    const [document] = await db
      .select()
      .from(documents)
      .where(and(eq(documents.id, report.pdfDocumentId), inLocation));
    if (document !== undefined) return { document, path: document.path, fileName: document.fileName };
  }
  const plain = `${slugOf(report.title)}.pdf`;
  const [taken] = await db
    .select({ id: documents.id })
    .from(documents)
    .where(and(sql`${documents.path} = ${path}`, eq(documents.fileName, plain), inLocation));
  const fileName = taken === undefined ? plain : `${slugOf(report.title)}-${report.id.slice(-12)}.pdf`;
  return { document: null, path, fileName };
}
