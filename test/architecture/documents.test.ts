import { expect, test } from "vitest";

const sources = import.meta.glob<string>("../../src/**/*.ts", { query: "?raw", import: "default", eager: true });

/** Files that may read `deleted_at` of a document, each with its reason. Every other file uses a condition of documents/tables.ts. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  "documents/tables.ts": "declares the column and the conditions",
  "documents/library/changes.ts": "deletes, restores and moves what it has read",
  "documents/library/bulk.ts": "repeats the condition of a partial index, for names that are taken",
  "documents/library/documents.ts": "deletes, restores and purges: it must find deleted documents",
  "documents/library/deletion.ts": "removes the rows of deleted documents",
  "documents/folders/slices.ts": "restores what one deletion of a folder has deleted together",
  "documents/uploads/uploads.ts": "repeats the condition of a partial index, which allows no table name",
};

const DOCUMENTS_TABLE = /(?:FROM|JOIN|UPDATE|INTO)\s+(?:documents\b|\$\{documents\})/i;

/** The places of a file that read the deletion of a document directly. */
function rawReads(text: string): string[] {
  const columns = text.match(/\bdocuments\.(?:deletedAt|deleted_at)\b/g) ?? [];
  const templates = text.match(/`[^`]*`/g) ?? [];
  return [...columns, ...templates.filter((sql) => DOCUMENTS_TABLE.test(sql) && /\bdeleted_at\b/.test(sql))];
}

test("only the conditions of documents/tables.ts decide whether a document exists", () => {
  const found = Object.entries(sources)
    .map(([file, text]) => ({ file: file.replace("../../src/", ""), reads: rawReads(text) }))
    .filter(({ file, reads }) => reads.length > 0 && EXCEPTIONS[file] === undefined);
  expect(found).toEqual([]);
});

test("every exception is a file that exists", () => {
  expect(Object.keys(EXCEPTIONS).filter((file) => sources[`../../src/${file}`] === undefined)).toEqual([]);
});

test("a direct read is found in each form", () => {
  expect(rawReads("isNull(documents.deletedAt)")).toHaveLength(1);
  expect(rawReads("sql`SELECT 1 FROM documents d WHERE d.deleted_at IS NULL`")).toHaveLength(1);
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a source file
  expect(rawReads("sql`JOIN ${documents} d ON d.id = e.id WHERE deleted_at IS NULL`")).toHaveLength(1);
  expect(rawReads("sql`SELECT 1 FROM locations WHERE deleted_at IS NULL`")).toEqual([]);
});
