import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "vite";
import { expect, test } from "vitest";
import { ROOT } from "../../scripts/setup/project.mjs";

/* Every text of a page comes from a catalogue: a source file of the web has no words that people read or hear. */

/** Attributes that people read or hear. */
const READ = new Set([
  "alt",
  "aria-description",
  "aria-label",
  "aria-roledescription",
  "aria-valuetext",
  "label",
  "placeholder",
  "title",
]); // prettier-ignore
/** Names of products, which are the same in every language. */
const NAMES = new Set(["Samsung Internet"]);
/** Pages that no person sees. */
const UNSEEN = "recognition/";
const files = readdirSync(join(ROOT, "web"), { recursive: true, encoding: "utf8" }).filter(
  (path) => /\.tsx?$/.test(path) && !path.startsWith("texts/") && !path.startsWith(UNSEEN),
);

interface Node {
  type: string;
  start: number;
  value?: unknown;
  raw?: string;
  name?: { name?: string };
}

const hasWord = (text: string): boolean => /\p{L}{2}/u.test(text);
/** Whether a text has several words, as a sentence or a title has them. Keys have other forms. The message of an error is for developers. */
const isText = (text: string): boolean => /^\p{Lu}\p{Ll}+( \p{L}+)+|^\p{L}+( \p{L}+){2,}[.!?]?$/u.test(text);

/** The texts in a source file, each with its line. */
function textsOf(path: string, source: string): string[] {
  const found: string[] = [];
  const visit = (node: Node, parents: readonly Node[]): void => {
    const text =
      typeof node.value === "string" && (node.type === "Literal" || node.type === "JSXText") ? node.value : "";
    if (hasWord(text)) {
      const [parent] = parents;
      const attribute = parents.find(({ type }) => type === "JSXAttribute" || type === "JSXElement");
      const isRead = isText(text) && parent?.type !== "NewExpression";
      const isShown =
        attribute?.type === "JSXAttribute"
          ? READ.has(attribute.name?.name ?? "") || (isRead && attribute.name?.name !== "class")
          : node.type === "JSXText" || parent?.type === "JSXExpressionContainer" || isRead;
      if (isShown && !NAMES.has(text))
        found.push(`${path}:${source.slice(0, node.start).split("\n").length}: ${text.trim()}`);
    }
    for (const child of Object.values(node).flat())
      if (typeof child === "object" && child !== null && "type" in child) visit(child as Node, [node, ...parents]);
  };
  visit(parseSync(path, source).program as unknown as Node, []);
  return found;
}

test("no source of a page has a text outside the catalogues", () => {
  expect(files.length).toBeGreaterThan(200);
  expect(files.flatMap((path) => textsOf(path, readFileSync(join(ROOT, "web", path), "utf8")))).toEqual([]);
});

test("texts in elements, attributes, conditions and constants are found", () => {
  const source = `const TITLE = "Nothing was found"; const view = <p title="New">Hello {isNew ? "now" : ""}{"old"}<b class="a b c">1</b></p>;`;
  expect(textsOf("a.tsx", source)).toEqual([
    "a.tsx:1: Nothing was found",
    "a.tsx:1: New",
    "a.tsx:1: Hello",
    "a.tsx:1: old",
  ]);
});
