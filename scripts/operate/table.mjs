/* Tables of text for the operator. */

/** Characters of a cell. */
const MAX_WIDTH = 60;

/** A value in one line of a terminal: names of other people can have control characters. */
export function cellOf(value) {
  if (value === null || value === undefined) return "-";
  const text = String(value)
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, " ")
    .trim();
  const characters = [...text];
  return characters.length > MAX_WIDTH ? `${characters.slice(0, MAX_WIDTH - 1).join("")}…` : text;
}

/**
 * A table with aligned columns. Numbers are at the right.
 * @param {string[]} heads
 * @param {unknown[][]} rows
 * @returns {string}
 */
export function table(heads, rows) {
  const cells = [heads, ...rows.map((row) => row.map(cellOf))];
  const widths = heads.map((_, column) => Math.max(...cells.map((row) => [...row[column]].length)));
  const isNumber = heads.map((_, column) => rows.length > 0 && rows.every((row) => typeof row[column] === "number"));
  const line = (row) =>
    row
      .map((cell, column) => {
        const space = " ".repeat(widths[column] - [...cell].length);
        return isNumber[column] ? space + cell : cell + space;
      })
      .join("  ")
      .trimEnd();
  return [line(cells[0]), widths.map((width) => "-".repeat(width)).join("  "), ...cells.slice(1).map(line)].join("\n");
}

/** A duration in the two largest units, such as `2 h 5 min`. @param {number | null} ms milliseconds */
export function durationOf(ms) {
  if (ms === null) return "-";
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const units = [
    [86_400, "d"],
    [3_600, "h"],
    [60, "min"],
    [1, "s"],
  ];
  const at = units.findIndex(([unit]) => seconds >= unit);
  if (at === -1) return "0 s";
  const [unit, name] = units[at];
  const [next, nextName] = units[at + 1] ?? [1, ""];
  const rest = Math.floor((seconds % unit) / next);
  const first = `${Math.floor(seconds / unit)} ${name}`;
  return nextName === "" || rest === 0 ? first : `${first} ${rest} ${nextName}`;
}

/** @param {number} bytes */
export const sizeOf = (bytes) =>
  bytes >= 1e9 ? `${(bytes / 1e9).toFixed(2)} GB` : bytes >= 1e6 ? `${(bytes / 1e6).toFixed(1)} MB` : `${bytes} bytes`;

/** @param {number | null} ms milliseconds since the epoch */
export const timeOf = (ms) => (ms === null || ms === undefined ? "-" : new Date(ms).toISOString());
