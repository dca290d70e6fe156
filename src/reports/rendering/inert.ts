import { DomainError } from "../../platform/errors";
import type { Part } from "../templating";
import type { Labels } from "./labels";
import { SIGNATURES, signatureLines } from "./signatures";

/**
 * Elements that are removed from every page, because they run, load or navigate by themselves. The page's policy and
 * the browser's sandbox block them too, but a browser opens connections early for some of them.
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
 * Removes the parts of a page that could run or load something, and adds the lines of signatures. Everything else stays, and
 * pictures keep their places.
 * A picture at a place where no element can be, such as in an attribute, is removed too.
 * @throws DomainError rule-violated for markup that parsers read in different ways
 */
export async function makeInert(parts: readonly Part[], labels: Labels): Promise<Part[]> {
  // Random names, which no author can guess: an attribute (without quotes) before rewriting, a text after it.
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
  rewriter.on(SIGNATURES, {
    element(element) {
      element.append(signatureLines(element.getAttribute("data-signatures") ?? "", labels), { html: true });
    },
  });
  let inert: string;
  try {
    inert = await rewriter.transform(new Response(html)).text();
  } catch (cause) {
    throw new DomainError(
      "rule-violated",
      "Parsers can read the page's HTML in different ways, so it is uncertain what the page would load. Close every tag, and put no title, style or textarea into select, table or svg.",
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
