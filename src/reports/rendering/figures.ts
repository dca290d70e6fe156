import { toUtc } from "../../platform/time";
import { GALLERY_IMAGE_EDGE, MAX_IMAGES, SINGLE_IMAGE_EDGE } from "../limits";
import { escapeHtml, type ImageUse, type Part } from "../templating";
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

const usesOf = (parts: readonly Part[]): ImageUse[] =>
  parts.flatMap((part) => (typeof part === "string" ? [] : "gallery" in part ? part.gallery : [part]));

const edgeOf = ({ use }: ImageUse): number => (use === "gallery" ? GALLERY_IMAGE_EDGE : SINGLE_IMAGE_EDGE);

/** The documents that the pictures of these parts name. */
export const wishesOf = (parts: readonly Part[]) =>
  usesOf(parts).flatMap(({ value }) => readImageValue(value)?.source ?? []);

type Resolved = ReadonlyMap<string, readonly ResolvedImage[]>;
const NOT_FOUND: ResolvedImage = { found: false, code: "not-found" };

/** One picture where it stands: a value that asks for frames of a period becomes several. */
interface Shown {
  use: ImageUse;
  image: ResolvedImage;
  caption: string;
  /** What stands for it where it is not seen: its caption, or the name of its file. */
  alternative: string;
}

function shownOf(use: ImageUse, resolved: Resolved): Shown[] {
  const wish = readImageValue(use.value);
  const images = (wish && resolved.get(wishKey(wish.source))) ?? [NOT_FOUND];
  return (use.use === "gallery" ? images : images.slice(0, 1)).map((image) => {
    const taken = image.found && image.frame ? toUtc(image.frame.capturedAt) : null;
    const time = taken === null ? "" : `${taken.slice(0, 10)} ${taken.slice(11, 16)} UTC`;
    const caption = wish?.caption ?? time;
    const fileName = wish !== null && "fileName" in wish.source ? wish.source.fileName : "";
    return { use, image, caption, alternative: caption === "" ? fileName : caption };
  });
}

/** The pictures of one part, as many as it shows. */
function shownOfPart(part: Exclude<Part, string>, resolved: Resolved): Shown[] {
  if (!("gallery" in part)) return shownOf(part, resolved);
  return part.gallery.flatMap((use) => shownOf(use, resolved)).slice(0, part.most ?? MAX_IMAGES);
}

/** How pictures that were found are wanted: each at each of its edges, in order of their first use. */
export function wantedOf(parts: readonly Part[], resolved: Resolved): WantedImage[] {
  const wanted = new Map<string, WantedImage>();
  for (const { use, image } of parts.flatMap((part) => (typeof part === "string" ? [] : shownOfPart(part, resolved)))) {
    if (!image.found) continue;
    const key = keptKey(image, edgeOf(use));
    const before = wanted.get(key);
    wanted.set(key, { image, edge: edgeOf(use), uses: (before?.uses ?? 0) + 1 });
  }
  return [...wanted.values()];
}

const REASONS = {
  "not-found": "There is no such document or frame in this location, or you may not read it.",
  "not-a-picture": "The document is no JPEG, PNG or WebP picture.",
  "too-many": "The report names more frames than one page takes. Show fewer.",
} as const;

/** Puts pictures in their places, and visible placeholders where one is missing. */
export function placeFigures(
  parts: readonly Part[],
  resolved: Resolved,
  supplied: ReadonlyMap<string, Supplied>,
): { html: string; missingImages: MissingImage[] } {
  const missing = new Map<string, MissingImage>();
  const addresses = new Map<string, string>();

  const sourceOf = ({ use, image }: Shown): { src: string; size: string } | MissingImage => {
    const label = labelOf(use.value);
    if (!image.found) return { image: label, code: image.code, detail: REASONS[image.code] };
    const key = keptKey(image, edgeOf(use));
    const given = supplied.get(key);
    if (given === undefined || "missing" in given)
      return { image: label, code: given?.missing ?? "not-found", detail: given?.detail ?? REASONS["not-found"] };
    // One string a picture, however often it stands on the page.
    const src = addresses.get(key) ?? `data:image/jpeg;base64,${given.bytes.toBase64()}`;
    addresses.set(key, src);
    return { src, size: given.width > 0 ? ` width="${given.width}" height="${given.height}"` : "" };
  };

  const figure = (shown: Shown): string => {
    const source = sourceOf(shown);
    const isInline = shown.use.use === "inline";
    const alt = escapeHtml(shown.alternative);
    if ("src" in source && isInline)
      return `<img class="report-inline-image" src="${source.src}"${source.size} alt="${alt}">`;
    const picture = "src" in source ? `<img src="${source.src}"${source.size} alt="${alt}">` : placeholder(source);
    if (!("src" in source)) missing.set(source.image, source);
    if (isInline) return picture;
    const text = shown.caption === "" ? "" : `<figcaption dir="auto">${escapeHtml(shown.caption)}</figcaption>`;
    return `<figure class="report-image">${picture}${text}</figure>`;
  };

  const pieces = parts.map((part) => {
    if (typeof part === "string") return part;
    const figures = shownOfPart(part, resolved).map(figure).join("");
    return "gallery" in part ? `<div class="report-gallery">${figures}</div>` : figures;
  });
  return { html: pieces.join(""), missingImages: [...missing.values()] };
}

const placeholder = ({ image, detail }: MissingImage): string =>
  `<span class="report-missing" role="img" aria-label="Picture missing: ${escapeHtml(image)}"><strong>Picture missing</strong><span dir="auto">${escapeHtml(image)}</span><span>${escapeHtml(detail)}</span></span>`;
