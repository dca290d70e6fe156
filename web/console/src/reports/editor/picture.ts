import { isObject } from "../json.ts";

/** A picture in a draft. */
export type Picture = { documentPath: string; caption?: string } | { cameraId: string; at: string; caption?: string };

const isPath = (value: unknown): boolean =>
  typeof value === "string" && /^[^\n<>"]{1,900}\.(?:jpe?g|png|webp)$/i.test(value);

/** Whether a value of a draft is a picture: a path, a document, a frame, or frames of a period. */
export const isPicture = (value: unknown): boolean =>
  isPath(value) || (isObject(value) && (typeof value.documentPath === "string" || typeof value.cameraId === "string"));

/** The names of the fields that a template shows as pictures. */
export function pictureNames(template: string): Set<string> {
  const tags = template.matchAll(/\{\{\{?\s*(?:image|image_list)\s+"([^"]*)"/g);
  return new Set([...tags].map(([, path = ""]) => path.split(/[.[]/).at(-1) ?? ""));
}

/** Names of picture fields in templates without a layout, which does not tell them. */
const USUAL_NAME = /^(?:photo|picture|image|cover|foto|bild)s?$|(?:Photo|Picture|Image)s?$/;

/** Whether an empty field is for pictures. */
export const isForPictures = (name: string, named: ReadonlySet<string>): boolean =>
  named.has(name) || USUAL_NAME.test(name);

/** The name of a picture that cannot be shown. */
export function labelOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (!isObject(value)) return "";
  const { caption, documentPath, at, from } = value;
  return [caption, documentPath, at, from].find((one) => typeof one === "string" && one !== "") as string;
}

/** A path in the syntax of markdown. */
const encodePath = (path: string): string =>
  path
    .split("/")
    .map((segment) => encodeURIComponent(segment).replace(/[()]/g, (sign) => (sign === "(" ? "%28" : "%29")))
    .join("/");

/** The markdown of a picture. `width` is a text such as `50%`, or empty for the whole width. */
export function markdownOf(picture: Picture, width: string): string {
  const caption = (picture.caption ?? "").replace(/[[\]\\]/g, "\\$&");
  const target =
    "documentPath" in picture ? encodePath(picture.documentPath) : `camera:${picture.cameraId}/${picture.at}`;
  return `![${caption}](${target})${width === "" ? "" : `{width=${width}}`}\n`;
}
