import type { HTTPRequest, Page } from "puppeteer-core";
import { build, type Plugin } from "vite";
import { DEFAULT_LANGUAGE } from "../../../src/platform/languages/languages";
import { consoleIn } from "../../../web/console/vite.config.mjs";

/*
 * A pseudo-language for tests. It puts brackets around each text of the catalogues, makes the text longer, and changes its
 * letters. A text with plain letters on a page does not come from a catalogue.
 */

const PLAIN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const OTHER = [..."ȦƁƇḒḖƑƓĦĪĴĶĿḾȠǾƤɊŘŞŦŬṼẆẊẎẐȧƀƈḓḗƒɠħīĵķŀḿƞǿƥɋřşŧŭṽẇẋẏẑ"];

/** Replaces the letters of a text in source code. It keeps escapes such as `\n`. */
const lettersOf = (source: string): string =>
  source.replace(/\\.|[A-Za-z]/g, (found) => OTHER[PLAIN.indexOf(found)] ?? found);
const lengthened = (text: string): string => `${text}${"~".repeat(Math.ceil(text.length / 3))}⟧`;

interface Node {
  type: string;
  start: number;
  end: number;
  value?: unknown;
}
type Edit = [start: number, end: number, text: string];

/** A content type or another code in a catalogue, which is no text. */
const isCode = (text: string): boolean => /^[\w.+-]+\/[\w.+-]+$/.test(text) || !/[A-Za-z]/.test(text);

/** The edits that translate the texts of a module into the pseudo-language. */
function* editsOf(node: Node, code: string): Generator<Edit> {
  const { type, start, end } = node;
  if (type === "ImportDeclaration" || type === "ExportAllDeclaration") return;
  if (type === "Literal" && typeof node.value === "string" && !isCode(node.value))
    yield [start, end, `"⟦${lengthened(lettersOf(code.slice(start + 1, end - 1)))}"`];
  if (type === "TemplateLiteral") {
    const { quasis, expressions } = node as Node & { quasis: Node[]; expressions: Node[] };
    const isText = quasis.some((part) => /[A-Za-z]/.test(code.slice(part.start, part.end)));
    for (const [n, part] of isText ? quasis.entries() : []) {
      const letters = lettersOf(code.slice(part.start, part.end));
      const begun = n === 0 ? `⟦${letters}` : letters;
      yield [part.start, part.end, n === quasis.length - 1 ? lengthened(begun) : begun];
    }
    for (const each of expressions) yield* editsOf(each, code);
    return;
  }
  for (const [name, child] of Object.entries(node)) {
    // The name of a property, and the two sides of a comparison, are no texts.
    if (name === "key") continue;
    if (type === "BinaryExpression" && code.slice(start, end).includes("===")) continue;
    for (const each of Array.isArray(child) ? child : [child])
      if (typeof each === "object" && each !== null && "type" in each) yield* editsOf(each as Node, code);
  }
}

const CATALOGUE = new RegExp(`/(?:web/texts/${DEFAULT_LANGUAGE}/.+|src/\\w+/messages/${DEFAULT_LANGUAGE})\\.ts$`);
const FORMS = new RegExp(`/src/platform/languages/${DEFAULT_LANGUAGE}\\.ts$`);

/** Builds the texts of the first language in the other letters. Numbers and dates have the forms of Greek, without plain letters. */
const inPseudoLanguage: Plugin = {
  name: "in-pseudo-language",
  enforce: "post",
  transform(code, id) {
    if (FORMS.test(id)) return code.replace(/"en-\w+"/, '"el"');
    if (!CATALOGUE.test(id)) return null;
    const edits = [...editsOf(this.parse(code) as unknown as Node, code)].sort(([a], [b]) => b - a);
    return edits.reduce((text, [start, end, other]) => text.slice(0, start) + other + text.slice(end), code);
  },
};

/** Lets a tab load the console in the pseudo-language. The service answers everything else. */
export async function speakPseudoLanguage(page: Page): Promise<void> {
  const config = consoleIn(DEFAULT_LANGUAGE);
  const built = await build({
    ...config,
    plugins: [...(config.plugins ?? []), inPseudoLanguage],
    build: { ...config.build, write: false },
  });
  if (Array.isArray(built) || !("output" in built)) throw new Error("the console has one build");
  const files = new Map(
    built.output.map((file) => [`/console/${file.fileName}`, file.type === "chunk" ? file.code : file.source]),
  );
  const TYPES: Record<string, string> = {
    js: "text/javascript",
    mjs: "text/javascript",
    css: "text/css",
    jpg: "image/jpeg",
  };
  await page.setRequestInterception(true);
  page.on("request", (request: HTTPRequest) => {
    const { pathname } = new URL(request.url());
    const isPage = request.isNavigationRequest() && request.frame() === page.mainFrame();
    const body = files.get(isPage ? "/console/index.html" : pathname);
    const contentType = isPage ? "text/html" : (TYPES[pathname.split(".").at(-1) ?? ""] ?? "");
    const answered =
      body === undefined
        ? request.continue()
        : request.respond({ status: 200, contentType, body: typeof body === "string" ? body : Buffer.from(body) });
    // A request of a page that was left needs no answer.
    answered.catch(() => undefined);
  });
}

/** The script that collects what a person reads or hears on the page, with the element that has it. */
export const READ_TEXTS = `(() => {
  const found = [["title", document.title]];
  for (const one of document.body.querySelectorAll("*")) {
    if (one.closest("script, style, noscript, pre, .cm-content") || !one.checkVisibility({ visibilityProperty: true })) continue;
    const where = one.tagName.toLowerCase() + (one.className ? "." + String(one.getAttribute("class")).replaceAll(" ", ".") : "");
    for (const name of ["aria-label", "aria-valuetext", "aria-roledescription", "title", "placeholder", "alt", "label"])
      if (one.hasAttribute(name)) found.push([where + "@" + name, one.getAttribute(name)]);
    for (const part of ["::before", "::after"]) {
      const { content } = getComputedStyle(one, part);
      if (content.startsWith('"')) found.push([where + part, content]);
    }
    for (const child of one.childNodes) if (child.nodeType === 3) found.push([where, child.data]);
  }
  return found;
})()`;
