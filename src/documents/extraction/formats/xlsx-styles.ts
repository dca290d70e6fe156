import { tooLarge } from "../ending";
import { attribute, readXml } from "../xml";
import type { Archive } from "../zip/archive";

/** What a number of a cell is, by its number format. */
export type NumberKind = "number" | "percent" | "date" | "time" | "datetime" | "duration";

/** Cell formats and custom number formats of a workbook; Excel's own limit is 65,490. */
const MOST_FORMATS = 70_000;

/** The formats that every program knows by number (ECMA-376 part 1, 18.8.30), those of East Asia among them. */
const BUILT_IN = new Map<number, NumberKind>([
  ...[9, 10].map((id) => [id, "percent"] as const),
  ...[14, 15, 16, 17, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58].map((id) => [id, "date"] as const),
  ...[18, 19, 20, 21, 32, 33, 34, 35, 45, 47, 55, 56].map((id) => [id, "time"] as const),
  [22, "datetime"],
  [46, "duration"],
]);

/** What a number format code shows, read from its first section: `[h]:mm` a duration, `m` beside days or hours a date or time. */
export function kindOfFormat(code: string): NumberKind {
  const first = code.replace(/"[^"]*"|\\.|_.|\*./g, "").split(";", 1)[0] ?? "";
  if (/\[(?:h+|m+|s+)\]/i.test(first)) return "duration";
  const letters = first.replace(/\[[^\]]*\]/g, "").replace(/AM\/PM|A\/P/gi, "h");
  if (/general/i.test(letters)) return "number";
  const time = /[hs]/i.test(letters);
  const day = /[yde]/i.test(letters) || (/m/i.test(letters) && !time);
  if (time && day) return "datetime";
  if (time) return "time";
  if (day && !/[0#?]/.test(letters)) return "date";
  return letters.includes("%") ? "percent" : "number";
}

/** The kind of number of each cell style of a workbook, by its index. */
export async function readNumberKinds(archive: Archive, part: string): Promise<NumberKind[]> {
  const custom = new Map<number, NumberKind>();
  const kinds: NumberKind[] = [];
  let inCellFormats = false;
  await readXml(archive.read(part), {
    open(name, attributes) {
      if (name === "numFmt")
        custom.set(Number(attribute(attributes, "numFmtId")), kindOfFormat(attribute(attributes, "formatCode") ?? ""));
      else if (name === "cellXfs") inCellFormats = true;
      else if (name === "xf" && inCellFormats) {
        const id = Number(attribute(attributes, "numFmtId") ?? 0);
        kinds.push(custom.get(id) ?? BUILT_IN.get(id) ?? "number");
      }
      if (kinds.length > MOST_FORMATS || custom.size > MOST_FORMATS)
        throw tooLarge("The workbook has more formats than Excel allows.");
    },
    close(name) {
      if (name === "cellXfs") inCellFormats = false;
    },
  });
  return kinds;
}
