import { type Dict, PdfFile, Ref, UnknownForm, type Value } from "../standard";

/** Depth of the page tree. Each level of the browser's tree holds several pages, so real trees have a few. */
const MAX_DEPTH = 16;

/** Numbers of the objects of all pages, in their order. */
function pagesBelow(file: PdfFile, node: Value | undefined, found: Map<number, number>, depth = 0): void {
  if (!(node instanceof Ref)) return;
  const kids = file.dict(node).get("Kids");
  if (kids === undefined) {
    if (!found.has(node.number)) found.set(node.number, found.size + 1);
    return;
  }
  if (depth < MAX_DEPTH) for (const kid of file.list(kids)) pagesBelow(file, kid, found, depth + 1);
}

/** A name as characters in Latin-1: in a PDF, `#20` is a space. */
const plain = (name: string): string =>
  name.replace(/#([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/**
 * Finds the page of each named destination in a PDF that the browser has printed: the targets of the links within the
 * page. It reads only the catalogue, the page tree and the destinations.
 * @returns the numbers of the pages, counted from 1, by the fragment of the address (percent-encoded, without `#`).
 *   Empty if the file has another form.
 */
export function pagesOfDestinations(pdf: Uint8Array): Map<string, number> {
  let file: PdfFile;
  let targets: Dict;
  const pages = new Map<number, number>();
  try {
    file = new PdfFile(pdf);
    const catalogue = file.dict(file.trailer.get("Root"));
    pagesBelow(file, catalogue.get("Pages"), pages);
    targets = file.dict(catalogue.get("Dests"));
  } catch (thrown) {
    if (thrown instanceof UnknownForm) return new Map();
    throw thrown;
  }
  const found = new Map<string, number>();
  for (const [name, target] of targets) {
    const [page] = Array.isArray(target) ? target : [];
    const number = page instanceof Ref ? pages.get(page.number) : undefined;
    if (number !== undefined) found.set(plain(name), number);
  }
  return found;
}
