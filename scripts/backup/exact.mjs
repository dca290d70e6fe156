import { askAll } from "./database.mjs";
import { named, quoted, readRow } from "./sql.mjs";

/*
 * An export writes a line break in a text as \n, exactly like a backslash and an n. A text with both would be restored
 * with a line break for each. Such texts are read once more and stored beside the export.
 */

/** The text as it is after an export and an import. */
function exported(text) {
  const withReturns = text.includes("\r") ? text.replaceAll("\\r", "\r") : text;
  return text.includes("\n") ? withReturns.replaceAll("\\n", "\n") : withReturns;
}

const inDoubt = (column) =>
  `(instr(${column}, char(10)) > 0 AND instr(${column}, '\\n') > 0) OR (instr(${column}, char(13)) > 0 AND instr(${column}, '\\r') > 0)`;

const keyOf = (values) => JSON.stringify(values);

/** The current values of texts that are ambiguous in the export. */
async function textsInDoubt(target, tables) {
  const list = tables.map(quoted).join(",");
  const [columns] = await askAll(
    target,
    `SELECT m.name AS "table", p.name AS name, p.type AS type, p.pk AS pk
     FROM sqlite_master m JOIN pragma_table_info(m.name) p WHERE m.type = 'table' AND m.name IN (${list})`,
  );
  const questions = [...Map.groupBy(columns, ({ table }) => table)].flatMap(([table, all]) => {
    const keys = all.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
    const texts = all.filter(({ pk, type }) => pk === 0 && type === "TEXT");
    return texts.map(({ name }) => ({ table, keys: keys.map((key) => key.name), column: name }));
  });
  const answers = await askAll(
    target,
    questions
      .map(({ table, keys, column }) => {
        const key = keys.map(named).join(", ");
        return `SELECT json_array(${key}) AS key, ${named(column)} AS text FROM ${named(table)} WHERE ${inDoubt(named(column))}`;
      })
      .join(";\n"),
  );
  return questions.flatMap((question, i) => answers[i].map(({ key, text }) => ({ ...question, key, text })));
}

/** The values of a row's key as JSON. */
const keyIn = ({ columns, values }, keys) =>
  keys.map((key) => {
    const value = values[columns.indexOf(key)];
    return "text" in value ? value.text : Number(value.sql);
  });

/**
 * Texts that differ in the export, with their exact values. A text that has changed since is left out.
 * @returns {Promise<{ table: string, key: Record<string, string | number>, column: string, text: string }[]>}
 */
export async function exactTexts(target, tables, dump) {
  const found = await textsInDoubt(target, tables);
  const doubtful = new Set(found.map(({ table }) => table));
  const byRow = Map.groupBy(found, ({ table, key }) => keyOf([table, ...JSON.parse(key)]));
  const keysOf = new Map(found.map(({ table, keys }) => [table, keys]));
  const exact = [];
  for (const line of dump.split("\n")) {
    const [, table = ""] = /^INSERT INTO "(\w+)"/.exec(line) ?? [];
    if (!doubtful.has(table)) continue;
    const row = readRow(line);
    const keys = keysOf.get(table);
    const own = keyIn(row, keys);
    for (const { column, text } of byRow.get(keyOf([table, ...own])) ?? []) {
      const was = row.values[row.columns.indexOf(column)];
      if (was.text === text || was.text !== exported(text)) continue;
      exact.push({ table, key: Object.fromEntries(keys.map((name, i) => [name, own[i]])), column, text });
    }
  }
  return exact;
}
