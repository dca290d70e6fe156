/** Statements up to this length are imported unchanged, bytes. D1 allows 100 KB. */
const MAX_STATEMENT_BYTES = 90_000;
/** Longest piece of a text that one statement adds, characters: at most three bytes each, and quotes. */
const PIECE_CHARACTERS = 15_000;
/** In a row that is too long, longer texts than this are added by separate statements, characters. */
const LONG_CHARACTERS = 1_500;

const bytesOf = (text) => Buffer.byteLength(text, "utf8");

/** Quotes a text or a name for SQL. */
export const quoted = (text) => `'${text.replaceAll("'", "''")}'`;
export const named = (name) => `"${name.replaceAll('"', '""')}"`;

/** Reads a quoted text or name that begins at `at`. */
function readQuoted(sql, at) {
  const quote = sql[at];
  let end = at + 1;
  for (; ; end++) {
    end = sql.indexOf(quote, end);
    if (end < 0) throw new Error("The export has a text without an end.");
    if (sql[end + 1] !== quote) break;
    end += 1;
  }
  return { value: sql.slice(at + 1, end).replaceAll(quote + quote, quote), end: end + 1 };
}

/**
 * Reads a value of an exported row: a text, which the export writes without line breaks, or anything else as SQL.
 * @returns {{ text: string, end: number } | { sql: string, end: number }}
 */
function readValue(sql, at) {
  if (sql[at] === "'") {
    const { value, end } = readQuoted(sql, at);
    return { text: value, end };
  }
  if (sql.startsWith("replace(", at)) {
    const inner = readValue(sql, at + "replace(".length);
    const [call, written, code] = /^,'(\\[nr])',char\((10|13)\)\)/.exec(sql.slice(inner.end, inner.end + 20)) ?? [];
    if (call === undefined) throw new Error("The export has a value of an unknown form.");
    return { text: inner.text.replaceAll(written, String.fromCharCode(Number(code))), end: inner.end + call.length };
  }
  const [found] = /^(?:X'[0-9a-f]*'|[-+.\w]+)/i.exec(sql.slice(at)) ?? [];
  if (found === undefined) throw new Error("The export has a value of an unknown form.");
  return { sql: found, end: at + found.length };
}

/**
 * Reads one exported row.
 * @returns {{ table: string, columns: string[], values: ({ text: string } | { sql: string })[] } | null} null for other
 * statements
 */
export function readRow(statement) {
  const start = "INSERT INTO ";
  if (!statement.startsWith(start)) return null;
  const table = readQuoted(statement, start.length);
  const columns = [];
  let at = statement.indexOf("(", table.end) + 1;
  for (; ; at++) {
    const column = readQuoted(statement, at);
    columns.push(column.value);
    at = column.end;
    if (statement[at] !== ",") break;
  }
  at = statement.indexOf("(", at) + 1;
  const values = [];
  for (; ; at++) {
    const value = readValue(statement, at);
    values.push(value);
    at = value.end;
    if (statement[at] !== ",") break;
  }
  if (values.length !== columns.length) throw new Error(`The export has a row of ${table.value} that cannot be read.`);
  return { table: table.value, columns, values };
}

const literal = (value) => ("text" in value ? quoted(value.text) : value.sql);

/** Pieces of a text. No piece splits a character. */
function* piecesOf(text) {
  for (let at = 0; at < text.length; ) {
    let end = Math.min(at + PIECE_CHARACTERS, text.length);
    if (/[\ud800-\udbff]/.test(text[end - 1]) && end < text.length) end -= 1;
    yield text.slice(at, end);
    at = end;
  }
}

/**
 * The statements that give a text of a row its value, piece by piece.
 * @param {string} where SQL condition that selects the row
 */
export function* writeText(table, column, where, text) {
  const [row, field] = [named(table), named(column)];
  yield `UPDATE ${row} SET ${field} = '' WHERE ${where};`;
  for (const piece of piecesOf(text)) yield `UPDATE ${row} SET ${field} = ${field} || ${quoted(piece)} WHERE ${where};`;
}

/**
 * The statements for a row that is too long for one statement: its long texts are empty at first and then added piece
 * by piece.
 */
function* writeInPieces({ table, columns, values }, keys) {
  const isLong = (value, i) => "text" in value && value.text.length > LONG_CHARACTERS && !keys.includes(columns[i]);
  const short = values.map((value, i) => (isLong(value, i) ? "''" : literal(value)));
  const where = keys.map((key) => `${named(key)} = ${literal(values[columns.indexOf(key)])}`).join(" AND ");
  yield `INSERT INTO ${named(table)} (${columns.map(named).join(",")}) VALUES(${short.join(",")});`;
  for (const [i, value] of values.entries())
    if (isLong(value, i)) yield* writeText(table, columns[i], where, value.text);
}

/**
 * Converts an export to statements that D1 accepts.
 * @param {string} dump output of `d1 export --no-schema`: one statement in each line
 * @param {Record<string, string[]>} keys the columns of each table's primary key
 */
export function* importable(dump, keys) {
  for (const line of dump.split("\n")) {
    if (line === "") continue;
    if (bytesOf(line) <= MAX_STATEMENT_BYTES) {
      yield line;
      continue;
    }
    const row = readRow(line);
    if (row === null) throw new Error("The export has a statement that is too long for D1.");
    yield* writeInPieces(row, keys[row.table]);
  }
}
