import { escapeHtml } from "../../platform/html";
import type { Content } from "../tables";
import { type ImageUse, type JsonPath, own, type Part, readFieldPath } from "../templating";
import type { Labels } from "./labels";

/** The most rows, columns and characters that the default wrapper shows of one field. */
const MAX_ROWS = 200;
const MAX_COLUMNS = 8;
const MAX_VALUE_CHARACTERS = 2_000;
/** The most fields of the draft that the default wrapper shows. */
const MAX_FIELDS = 60;

/** Fields that describe the page itself. They are not shown as data. */
const PAGE_FIELDS = new Set(["title", "language"]);

const isObject = (value: unknown): value is Content =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isScalar = (value: unknown): value is string | number | boolean =>
  (typeof value === "string" && value !== "") || typeof value === "number" || typeof value === "boolean";
const isPicturePath = (value: unknown): boolean =>
  typeof value === "string" && /^[^\n<>"]{1,900}\.(?:jpe?g|png|webp)$/i.test(value);
const isPicture = (value: unknown): boolean =>
  isPicturePath(value) || (isObject(value) && (typeof value.documentPath === "string" || "cameraId" in value));

/** Converts a key such as `windSpeed` or `wind_speed` to a readable name: Wind speed. */
function humanName(key: string): string {
  const words = key
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, "$1 $2")
    .replace(/[_-]+/g, " ")
    .trim();
  const text = /\p{Ll}/u.test(words) ? words.toLowerCase() : words;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const shown = (value: unknown, labels: Labels): string => {
  if (typeof value === "boolean") return value ? labels.yes : labels.no;
  if (isScalar(value)) return escapeHtml(String(value).slice(0, MAX_VALUE_CHARACTERS));
  if (Array.isArray(value))
    return value
      .filter(isScalar)
      .slice(0, MAX_ROWS)
      .map((item) => shown(item, labels))
      .join(", ");
  return "";
};

/** Notes which parts of a value `shown` shows. */
function note(fields: ShownFields, path: readonly string[], value: unknown): void {
  if (isScalar(value)) fields.add(path, MAX_VALUE_CHARACTERS);
  else if (Array.isArray(value))
    for (const [at] of [...value.entries()].filter(([, item]) => isScalar(item)).slice(0, MAX_ROWS))
      fields.add([...path, String(at)], MAX_VALUE_CHARACTERS);
}

/**
 * Renders the fields of a draft for the default wrapper: single values become a list of facts, lists of objects become
 * tables, and pictures become figures. The field of the body is left out. Notes what is shown in `fields`.
 */
export function renderData(content: Content, bodyFieldPath: string | null, labels: Labels, noted: ShownFields): Part[] {
  const body = bodyFieldPath === null ? undefined : readFieldPath(bodyFieldPath)?.[0];
  const fields = Object.entries(content)
    .filter(([key]) => key !== body && !PAGE_FIELDS.has(key))
    .slice(0, MAX_FIELDS);
  const facts = fields.filter(([, value]) => isScalar(value) && !isPicture(value));
  for (const [key, value] of facts) note(noted, [key], value);
  const list = facts.map(
    ([key, value]) =>
      `<div><dt dir="auto">${escapeHtml(humanName(key))}</dt><dd dir="auto">${shown(value, labels)}</dd></div>`,
  );
  return [
    ...(list.length === 0 ? [] : [`<dl class="report-facts">${list.join("")}</dl>`]),
    ...fields.flatMap(([key, value]) => section(key, value, labels, noted)),
  ];
}

function section(key: string, value: unknown, labels: Labels, noted: ShownFields): Part[] {
  const heading = `<h2 dir="auto">${escapeHtml(humanName(key))}</h2>`;
  const single = (picture: unknown): ImageUse => ({ value: picture, use: "single" });
  if (isPicture(value)) {
    noted.addPicture([key]);
    return [heading, single(value)];
  }
  if (isObject(value)) {
    const rows = Object.entries(value).filter(([, inner]) => shown(inner, labels) !== "");
    if (rows.length === 0) return [];
    const list = rows.slice(0, MAX_ROWS).map(([name, inner]) => {
      note(noted, [key, name], inner);
      return `<div><dt dir="auto">${escapeHtml(humanName(name))}</dt><dd dir="auto">${shown(inner, labels)}</dd></div>`;
    });
    return [`${heading}<dl class="report-facts">${list.join("")}</dl>`];
  }
  if (!Array.isArray(value) || value.length === 0) return [];
  if (value.every(isPicture)) {
    const pictures = value.slice(0, MAX_ROWS);
    for (const at of pictures.keys()) noted.addPicture([key, String(at)]);
    return [heading, { gallery: pictures.map((picture) => ({ value: picture, use: "gallery" as const })) }];
  }
  if (value.every(isScalar)) {
    note(noted, [key], value);
    return [
      `${heading}<ul dir="auto">${value
        .slice(0, MAX_ROWS)
        .map((item) => `<li>${shown(item, labels)}</li>`)
        .join("")}</ul>`,
    ];
  }
  return value.every(isObject) ? [heading, ...table(key, value, labels, noted)] : [];
}

/** Renders a list of objects: their single values are columns, and their pictures follow the table. */
function table(key: string, items: readonly Content[], labels: Labels, noted: ShownFields): Part[] {
  const rows = items.slice(0, MAX_ROWS);
  const keys = [
    ...new Set(
      rows.flatMap((row) => Object.keys(row).filter((key) => shown(row[key], labels) !== "" && !isPicture(row[key]))),
    ),
  ].slice(0, MAX_COLUMNS);
  const head = keys.map((name) => `<th>${escapeHtml(humanName(name))}</th>`).join("");
  for (const [at, row] of rows.entries()) for (const name of keys) note(noted, [key, String(at), name], row[name]);
  const lines = rows
    .map((row) => `<tr>${keys.map((key) => `<td>${shown(row[key], labels)}</td>`).join("")}</tr>`)
    .join("");
  const pictures = rows.flatMap((row, at) =>
    Object.entries(row).flatMap(([name, value]) => {
      const path = [key, String(at), name];
      if (!Array.isArray(value)) return isPicture(value) ? [{ value, path }] : [];
      return value.flatMap((item, n) =>
        isPicture(item) ? [{ value: item as unknown, path: [...path, String(n)] }] : [],
      );
    }),
  );
  for (const { path } of pictures) noted.addPicture(path);
  return [
    ...(keys.length === 0 ? [] : [`<table dir="auto"><thead><tr>${head}</tr></thead><tbody>${lines}</tbody></table>`]),
    ...(pictures.length === 0 ? [] : [{ gallery: pictures.map(({ value }) => ({ value, use: "gallery" as const })) }]),
  ];
}

/** A part of a draft: its shown parts by key or index, or the characters that are shown of a value. */
interface Branch {
  below: Map<string, Branch>;
  most: number;
}

const newBranch = (): Branch => ({ below: new Map(), most: 0 });

/** What a picture shows of itself in words: never the path of its document or the id of its camera. */
const SHOWN_OF_PICTURE = ["caption", "at", "from", "to"];

/** The parts of a draft that its page shows. */
export class ShownFields {
  readonly #root = newBranch();

  /** A page shows the value at this path, or this many characters of it. */
  add(path: JsonPath, most = Number.POSITIVE_INFINITY): void {
    let branch = this.#root;
    for (const key of path) {
      const next = branch.below.get(key) ?? newBranch();
      branch.below.set(key, next);
      branch = next;
    }
    branch.most = Math.max(branch.most, most);
  }

  /** A page shows the picture at this path. */
  addPicture(path: JsonPath): void {
    for (const key of SHOWN_OF_PICTURE) this.add([...path, key]);
  }

  /** A page shows what these are, too. */
  join(others: ShownFields): void {
    join(this.#root, others.#root);
  }

  /** The shown parts of a draft, in its order. Lists and objects of which nothing is shown are not in it. */
  of(content: Content): Content {
    return (pick(content, this.#root) as Content | undefined) ?? {};
  }
}

function join(branch: Branch, other: Branch): void {
  branch.most = Math.max(branch.most, other.most);
  for (const [key, next] of other.below) {
    const own = branch.below.get(key) ?? newBranch();
    branch.below.set(key, own);
    join(own, next);
  }
}

function pick(value: unknown, { below, most }: Branch): unknown {
  if (["string", "number", "boolean"].includes(typeof value)) {
    if (most === 0) return undefined;
    return typeof value === "string" ? value.slice(0, most) : value;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const kept = Object.keys(value).flatMap((key) => {
    const branch = below.get(key);
    const part = branch === undefined ? undefined : pick(own(value, key), branch);
    return part === undefined ? [] : [[key, part] as const];
  });
  if (kept.length === 0) return undefined;
  return Array.isArray(value) ? kept.map(([, part]) => part) : Object.fromEntries(kept);
}
