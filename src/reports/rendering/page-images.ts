import { escapeHtml } from "../../platform/html";
import { GALLERY_IMAGE_EDGE, MAX_IMAGES, SINGLE_IMAGE_EDGE } from "../limits";
import type { ImageUse, Part } from "../templating";
import {
  keptKey,
  labelOf,
  type MissingImage,
  type ResolvedImage,
  readImageValue,
  type Supplied,
  type WantedImage,
  wishKey,
} from "./images";
import type { PageLanguage } from "./language";

const usesOf = (parts: readonly Part[]): ImageUse[] =>
  parts.flatMap((part) => (typeof part === "string" ? [] : "gallery" in part ? part.gallery : [part]));

const edgeOf = ({ use }: ImageUse): number => (use === "gallery" ? GALLERY_IMAGE_EDGE : SINGLE_IMAGE_EDGE);

/** The documents and frames that the pictures of these parts name. */
export const wishesOf = (parts: readonly Part[]) =>
  usesOf(parts).flatMap(({ value }) => readImageValue(value)?.source ?? []);

type Resolved = ReadonlyMap<string, readonly ResolvedImage[]>;
const NOT_FOUND: ResolvedImage = { found: false, code: "not-found" };

/** One picture at its place on the page. A value that asks for frames of a period becomes several. */
interface Shown {
  use: ImageUse;
  image: ResolvedImage;
  caption: string;
  /** The alternative text: its caption or its file name. */
  alternative: string;
}

function shownOf(use: ImageUse, resolved: Resolved, { moment }: PageLanguage): Shown[] {
  const wish = readImageValue(use.value);
  const images = (wish && resolved.get(wishKey(wish.source))) ?? [NOT_FOUND];
  return (use.use === "gallery" ? images : images.slice(0, 1)).map((image) => {
    const time = image.found && image.frame ? moment(image.frame.capturedAt) : "";
    const caption = wish?.caption ?? time;
    const fileName = wish !== null && "fileName" in wish.source ? wish.source.fileName : "";
    return { use, image, caption, alternative: caption === "" ? fileName : caption };
  });
}

/** The pictures that one part shows. */
function shownOfPart(part: Exclude<Part, string>, resolved: Resolved, language: PageLanguage): Shown[] {
  if (!("gallery" in part)) return shownOf(part, resolved, language);
  return part.gallery.flatMap((use) => shownOf(use, resolved, language)).slice(0, part.most ?? MAX_IMAGES);
}

/** The pictures to supply: each found picture in each of its sizes, in order of first use. */
export function wantedOf(parts: readonly Part[], resolved: Resolved, language: PageLanguage): WantedImage[] {
  const wanted = new Map<string, WantedImage>();
  const shown = parts.flatMap((part) => (typeof part === "string" ? [] : shownOfPart(part, resolved, language)));
  for (const { use, image } of shown) {
    if (!image.found) continue;
    const key = keptKey(image, edgeOf(use));
    const before = wanted.get(key);
    wanted.set(key, { image, edge: edgeOf(use), uses: (before?.uses ?? 0) + 1 });
  }
  return [...wanted.values()];
}

const REASONS = {
  "not-found": "There is no such document or frame in this location, or you may not read it.",
  "not-a-picture": "The document is not a JPEG, PNG or WebP picture.",
  "too-many": "The report names more frames than one page can show. Show fewer.",
} as const;

/** A piece of a page: text, or the bytes of a picture, which the page has in base64. */
export type Piece = string | Uint8Array;

/** Bytes of a picture in one text: a multiple of three, so that the texts together are its base64. */
const BASE64_STEP = 192 * 1024;

/** The texts of a page. The base64 of a picture is made when it is read: it takes more memory than the picture. */
export function* textsOf(pieces: readonly Piece[]): Generator<string> {
  for (const piece of pieces)
    if (typeof piece === "string") yield piece;
    else for (let at = 0; at < piece.length; at += BASE64_STEP) yield piece.subarray(at, at + BASE64_STEP).toBase64();
}

/** Inserts the pictures into the page, and a visible placeholder for each missing one. */
export function placeFigures(
  parts: readonly Part[],
  resolved: Resolved,
  supplied: ReadonlyMap<string, Supplied>,
  language: PageLanguage,
): { pieces: Piece[]; missingImages: MissingImage[] } {
  const missing = new Map<string, MissingImage>();

  const sourceOf = ({ use, image }: Shown): { src: [string, Uint8Array]; size: string } | MissingImage => {
    const label = labelOf(use.value);
    if (!image.found) return { image: label, code: image.code, detail: REASONS[image.code] };
    const key = keptKey(image, edgeOf(use));
    const given = supplied.get(key);
    if (given === undefined || "missing" in given)
      return { image: label, code: given?.missing ?? "not-found", detail: given?.detail ?? REASONS["not-found"] };
    const { bytes, width, height, unscaledTo } = given;
    const src: [string, Uint8Array] = [`data:image/${unscaledTo === undefined ? "jpeg" : "webp"};base64,`, bytes];
    if (unscaledTo !== undefined) return { src, size: ` data-scale-to="${unscaledTo}"` };
    return { src, size: width > 0 ? ` width="${width}" height="${height}"` : "" };
  };

  const figure = (shown: Shown): Piece[] => {
    const { width } = shown.use;
    // A picture with a given width is drawn at that width, even if it has fewer pixels.
    const style = width === undefined ? "" : ` style="width:${width};object-fit:contain"`;
    const source = sourceOf(shown);
    const isInline = shown.use.use === "inline";
    const alt = escapeHtml(shown.alternative);
    if (!("src" in source)) missing.set(source.image, source);
    const kind = isInline ? ' class="report-inline-image"' : "";
    const picture =
      "src" in source
        ? [`<img${kind} src="`, ...source.src, `"${source.size}${style} alt="${alt}">`]
        : [placeholder(source, language)];
    if (isInline) return picture;
    const text = shown.caption === "" ? "" : `<figcaption dir="auto">${escapeHtml(shown.caption)}</figcaption>`;
    return ['<figure class="report-image">', ...picture, `${text}</figure>`];
  };

  const pieces = parts.flatMap((part): Piece[] => {
    if (typeof part === "string") return [part];
    const figures = shownOfPart(part, resolved, language).flatMap(figure);
    return "gallery" in part ? ['<div class="report-gallery">', ...figures, "</div>"] : figures;
  });
  return { pieces, missingImages: [...missing.values()] };
}

function placeholder({ image, code, detail }: MissingImage, { labels }: PageLanguage): string {
  const [what, name] = [escapeHtml(labels.pictureMissing), escapeHtml(image)];
  const why = escapeHtml(labels.reasons?.[code] ?? detail);
  return `<span class="report-missing" role="img" aria-label="${what}: ${name}"><strong>${what}</strong><span dir="auto">${name}</span><span>${why}</span></span>`;
}
