import { escapeHtml } from "../../platform/html";
import type { Content } from "../tables";
import { type ImageUse, type Part, readFieldPath } from "../templating";
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

/**
 * Renders the fields of a draft for the default wrapper: single values become a list of facts, lists of objects become
 * tables, and pictures become figures. The field of the body is left out.
 */
export function renderData(content: Content, bodyFieldPath: string | null, labels: Labels): Part[] {
  const body = bodyFieldPath === null ? undefined : readFieldPath(bodyFieldPath)?.[0];
  const fields = Object.entries(content)
    .filter(([key]) => key !== body && !PAGE_FIELDS.has(key))
    .slice(0, MAX_FIELDS);
  const facts = fields.filter(([, value]) => isScalar(value) && !isPicture(value));
  const list = facts.map(
    ([key, value]) =>
      `<div><dt dir="auto">${escapeHtml(humanName(key))}</dt><dd dir="auto">${shown(value, labels)}</dd></div>`,
  );
  return [
    ...(list.length === 0 ? [] : [`<dl class="report-facts">${list.join("")}</dl>`]),
    ...fields.flatMap(([key, value]) => section(humanName(key), value, labels)),
  ];
}

function section(name: string, value: unknown, labels: Labels): Part[] {
  const heading = `<h2 dir="auto">${escapeHtml(name)}</h2>`;
  const single = (picture: unknown): ImageUse => ({ value: picture, use: "single" });
  if (isPicture(value)) return [heading, single(value)];
  if (isObject(value)) {
    const rows = Object.entries(value).filter(([, inner]) => shown(inner, labels) !== "");
    if (rows.length === 0) return [];
    const list = rows
      .slice(0, MAX_ROWS)
      .map(
        ([key, inner]) =>
          `<div><dt dir="auto">${escapeHtml(humanName(key))}</dt><dd dir="auto">${shown(inner, labels)}</dd></div>`,
      );
    return [`${heading}<dl class="report-facts">${list.join("")}</dl>`];
  }
  if (!Array.isArray(value) || value.length === 0) return [];
  if (value.every(isPicture))
    return [
      heading,
      { gallery: value.slice(0, MAX_ROWS).map((picture) => ({ value: picture, use: "gallery" as const })) },
    ];
  if (value.every(isScalar))
    return [
      `${heading}<ul dir="auto">${value
        .slice(0, MAX_ROWS)
        .map((item) => `<li>${shown(item, labels)}</li>`)
        .join("")}</ul>`,
    ];
  return value.every(isObject) ? [heading, ...table(value, labels)] : [];
}

/** Renders a list of objects: their single values are columns, and their pictures follow the table. */
function table(items: readonly Content[], labels: Labels): Part[] {
  const rows = items.slice(0, MAX_ROWS);
  const keys = [
    ...new Set(
      rows.flatMap((row) => Object.keys(row).filter((key) => shown(row[key], labels) !== "" && !isPicture(row[key]))),
    ),
  ].slice(0, MAX_COLUMNS);
  const head = keys.map((key) => `<th>${escapeHtml(humanName(key))}</th>`).join("");
  const lines = rows
    .map((row) => `<tr>${keys.map((key) => `<td>${shown(row[key], labels)}</td>`).join("")}</tr>`)
    .join("");
  const pictures = rows.flatMap((row) =>
    Object.values(row)
      .flatMap((value) => (Array.isArray(value) ? value : [value]))
      .filter(isPicture),
  );
  return [
    ...(keys.length === 0 ? [] : [`<table dir="auto"><thead><tr>${head}</tr></thead><tbody>${lines}</tbody></table>`]),
    ...(pictures.length === 0 ? [] : [{ gallery: pictures.map((value) => ({ value, use: "gallery" as const })) }]),
  ];
}
