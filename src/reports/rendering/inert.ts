import { DomainError } from "../../platform/errors";
import type { Part } from "../templating";

/** The policy under which a page is shown: it runs nothing, loads nothing and sends nothing. */
export const PAGE_POLICY =
  "default-src 'none'; img-src data:; style-src 'unsafe-inline'; font-src data:; form-action 'none'; base-uri 'none'";

/**
 * What may stand on no page: it runs, loads, or leads somewhere by itself. The policy of the page and the
 * browser's sandbox stop all of it, too; but connections are opened early for some of it.
 */
const REFUSED = [
  "script",
  "noscript",
  "iframe",
  "frame",
  "frameset",
  "object",
  "embed",
  "applet",
  "portal",
  "fencedframe",
  "audio",
  "video",
  "source",
  "track",
  "link",
  "base",
  "meta[http-equiv]",
];

/**
 * Takes away what could run or load; text and everything else stays, pictures in their places. A picture
 * that does not stand where an element may (in an attribute, say) goes too.
 * @throws DomainError rule-violated for markup that reads in two ways.
 */
export async function makeInert(parts: readonly Part[]): Promise<Part[]> {
  // Names nobody can write beforehand: an element (without quotes) on the way in, a text on the way out.
  const [name, mark] = [`data-${crypto.randomUUID()}`, `picture-${crypto.randomUUID()}-`];
  const html = parts.map((part, n) => (typeof part === "string" ? part : `<img ${name}=${n}>`)).join("");
  const rewriter = new HTMLRewriter().on(`img[${name}]`, {
    element(element) {
      element.replace(`${mark}${element.getAttribute(name) ?? ""};`);
    },
  });
  const remove = {
    element(element: Element) {
      element.remove();
    },
  };
  for (const selector of REFUSED) rewriter.on(selector, remove);
  let inert: string;
  try {
    inert = await rewriter.transform(new Response(html)).text();
  } catch (cause) {
    throw new DomainError(
      "rule-violated",
      "The page's HTML can be read in two ways, so that it is not certain what it would load. Close every tag, and put no title, style or textarea into select, table or svg.",
      { cause },
    );
  }
  const [first = "", ...rest] = inert.split(mark);
  return [
    first,
    ...rest.flatMap((piece) => {
      const end = piece.indexOf(";");
      const part = parts[Number(piece.slice(0, end))];
      return [...(part === undefined ? [] : [part]), piece.slice(end + 1)];
    }),
  ];
}
