import { type AuditEntry, eachItem, type Page } from "../../../../client/src/index.ts";

/** Largest number of entries in one file. A hundred requests read them. */
export const MAX_CSV_ENTRIES = 10_000;
/** After so many entries, the person is told how many are read. */
const TOLD_ENTRIES = 500;

/** A cell that begins with one of these is a formula for a spreadsheet, which an apostrophe makes a text. */
const FORMULA = /^[=+\-@\t\r]/;
const cell = (value: string): string => {
  const plain = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
};

/** The rows as CSV (RFC 4180), in UTF-8 with a byte order mark, so that spreadsheets read the letters. */
export const toCsv = (rows: readonly (readonly string[])[]): string =>
  `\uFEFF${rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("")}`;

/** The columns have the names of the API, for programs that read the file. */
const COLUMNS = [
  "createdAtUtc",
  "action",
  "actorName",
  "actorUserId",
  "actorKind",
  "credentialId",
  "subjectType",
  "subjectId",
  "details",
  "ip",
  "requestId",
];

const rowOf = (entry: AuditEntry, nameOf: (userId: string) => string | undefined): string[] => {
  const { userId, kind, credentialId } = entry.actor;
  return [
    entry.createdAtUtc,
    entry.action,
    (userId && nameOf(userId)) ?? "",
    userId ?? "",
    kind,
    credentialId ?? "",
    entry.subjectType,
    entry.subjectId,
    JSON.stringify(entry.details),
    entry.ip ?? "",
    entry.requestId,
  ];
};

/**
 * Reads all pages and writes them as a table, up to `MAX_CSV_ENTRIES`.
 * @param tell is called with the number of entries that are read
 * @returns the file, its number of entries, and whether there are more
 */
export async function csvOf(
  readPage: (cursor: string | undefined) => Promise<Page<AuditEntry>>,
  nameOf: (userId: string) => string | undefined,
  tell: (count: number) => void,
): Promise<{ text: string; count: number; isCut: boolean }> {
  const rows: string[][] = [];
  let isCut = false;
  for await (const entry of eachItem(readPage)) {
    if (rows.length === MAX_CSV_ENTRIES) {
      isCut = true;
      break;
    }
    rows.push(rowOf(entry, nameOf));
    if (rows.length % TOLD_ENTRIES === 0) tell(rows.length);
  }
  return { text: toCsv([COLUMNS, ...rows]), count: rows.length, isCut };
}
