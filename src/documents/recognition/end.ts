import { PICTURE_HEADER_BYTES, pictureSize } from "../../platform/pictures/headers";
import type { PageOutcome, ScannedDocument } from "../../platform/ports";
import { counted } from "../extraction";
import { MAX_PHOTO_PIXELS } from "../limits";
import type { TextStatus } from "../tables";
import type { Tally } from "./progress";

/** The end of the recognition of a document. */
export interface End {
  status: TextStatus;
  /** A sentence for the owner of the document. */
  detail: string | null;
}

const ILLEGIBLE_DETAIL =
  "No text could be read in the pictures: they have none, or it is too faint, too small or written by hand.";

/** The problem of pages that could not be read and the advice about it, by outcome. */
const LOST: readonly { outcomes: readonly PageOutcome[]; status: TextStatus; detail: (pages: string) => string }[] = [
  {
    outcomes: ["deadline", "crashed"],
    status: "failed",
    detail: (pages) => `${pages}: reading did not end in time. Print the document to a new PDF and upload that.`,
  },
  {
    outcomes: ["broken"],
    status: "damaged",
    detail: (pages) => `${pages}: damaged. Open the file in the program that made it and save it again.`,
  },
];

/**
 * The end of a document whose pages were all tried.
 * @param hasOwnText whether other pages have embedded text @param left number of pages that were given up
 */
export function endOf(tally: Tally, { hasOwnText, left }: { hasOwnText: boolean; left: number }): End {
  const of = (outcomes: readonly PageOutcome[]) => outcomes.reduce((sum, one) => sum + (tally.outcomes[one] ?? 0), 0);
  const lost = LOST.flatMap(({ outcomes, status, detail }) => {
    const pages = of(outcomes);
    return pages > 0 ? [{ pages, status, detail: detail(counted(pages)) }] : [];
  });
  const tried = lost.reduce((sum, { pages }) => sum + pages, of(["recognized"])) + left;
  const details = lost.map(({ detail }) => detail);
  if (left > 0) details.push(`${counted(left)} behind them were not read.`);
  const said = (...sentences: string[]) => [...sentences, ...details].join(" ") || null;
  if (tally.words > 0)
    return {
      status: "recognized",
      detail: tally.legible < tried ? said(`Text was recognized on ${tally.legible} of ${counted(tried)}.`) : said(),
    };
  if (hasOwnText)
    return {
      status: "indexed",
      detail: tried > 0 ? said(`No text could be read in the pictures of ${counted(tried)}.`) : null,
    };
  const [first] = lost;
  return first !== undefined && of(["recognized"]) === 0
    ? { status: first.status, detail: said() }
    : { status: "illegible", detail: said(ILLEGIBLE_DETAIL) };
}

const MAX_PHOTO_HEADER_BYTES = 1024 * 1024;

/** The status of a photo that is too large or damaged by its header; null for others. Nothing is decoded before. */
export async function refusedPhoto(source: Pick<ScannedDocument, "read">): Promise<End | null> {
  const size = pictureSize(await source.read(0, PICTURE_HEADER_BYTES));
  // Metadata of a photo can be longer: its size then follows the metadata.
  const found = size ?? pictureSize(await source.read(0, MAX_PHOTO_HEADER_BYTES));
  if (found === null) return { status: "damaged", detail: "The header of the picture cannot be read." };
  if (found.width * found.height <= MAX_PHOTO_PIXELS) return null;
  const most = MAX_PHOTO_PIXELS / 1_000_000;
  return {
    status: "too-large",
    detail: `The picture has ${found.width} × ${found.height} pixels. Text is recognized in pictures of up to ${most} megapixels.`,
  };
}
