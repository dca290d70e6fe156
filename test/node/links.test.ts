import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";

/** Every Markdown page of the project, by its path. */
const pages = new Map(
  ["*.md", "docs/**/*.md", "gateway/*.md", "client/*.md", "bench/*.md"]
    .flatMap((pattern) => globSync(pattern))
    .map((page) => [page, readFileSync(page, "utf8")]),
);

const withoutBlocks = (text: string): string => text.replace(/^ *```[\s\S]*?^ *```$/gm, "");

/** Anchors of a page, as GitHub makes them from its headings. */
const anchorsOf = (text: string): Set<string> =>
  new Set(
    [...withoutBlocks(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );

/** Links of a page that lead nowhere. */
function brokenLinks(page: string, text: string): string[] {
  const prose = withoutBlocks(text).replace(/`[^`\n]*`/g, "code");
  const targets = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
  return targets.filter((target) => {
    if (/^[a-z]+:/.test(target)) return false;
    const [path = "", anchor] = target.split("#");
    const file = path === "" ? page : normalize(join(dirname(page), path));
    if (!existsSync(file)) return true;
    if (anchor === undefined || statSync(file).isDirectory()) return false;
    return !anchorsOf(pages.get(file) ?? "").has(anchor);
  });
}

/** Paths that a page names in backticks and that are neither in the project nor in the page's own folder. */
function absentPaths(page: string, text: string): string[] {
  const named = [...text.matchAll(/`((?:src|test|scripts|bench|client|gateway|migrations|web|docs)\/[\w./-]+)`/g)];
  return named
    .map(([, path = ""]) => path)
    .filter((path) => !existsSync(path) && !existsSync(join(dirname(page), path)));
}

test("every relative link of every page leads to a file and a heading", () => {
  expect(pages.size).toBeGreaterThan(15);
  const broken = [...pages].flatMap(([page, text]) => brokenLinks(page, text).map((target) => `${page}: ${target}`));
  expect(broken).toEqual([]);
});

test("every path that a page names is there", () => {
  expect([...pages].flatMap(([page, text]) => absentPaths(page, text).map((path) => `${page}: ${path}`))).toEqual([]);
});

test("every page is in the index", () => {
  const index = pages.get("docs/README.md") ?? "";
  const linked = [...index.matchAll(/\]\(([^)#]+)\)/g)].map(([, target = ""]) => normalize(join("docs", target)));
  const expected = [...pages.keys()].filter((page) => page.startsWith("docs/") && page !== "docs/README.md");
  expect(expected.filter((page) => !linked.includes(page))).toEqual([]);
});

test("broken links and absent paths are found", () => {
  expect(brokenLinks("README.md", "[a](docs/absent.md) [b](#absent) [c](https://example.org)")).toHaveLength(2);
  expect(brokenLinks("docs/README.md", "[a](../README.md#first-five-calls)")).toEqual([]);
  expect(absentPaths("README.md", "`src/absent.ts` and `src/app.ts`")).toEqual(["src/absent.ts"]);
});
