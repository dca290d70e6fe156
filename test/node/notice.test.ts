import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { noticeOf } from "../../scripts/release/notice.mjs";

const notice = readFileSync("NOTICE.md", "utf8");

test("the notice has the packages of the lock file that the service contains", () => {
  expect(notice === noticeOf(), "run `npm run notice`").toBe(true);
  const listed = [...notice.matchAll(/^\| \[([^\]]+)\]/gm)].map(([, name]) => name);
  // Imported, needed by an imported one, copied beside the pages, and by a composed name.
  for (const name of ["hono", "domhandler", "swagger-ui-dist", "@fontsource-variable/noto-sans-arabic", "world-atlas"])
    expect(listed).toContain(name);
  for (const name of ["vitest", "wrangler", "fast-check", "@biomejs/biome"]) expect(listed).not.toContain(name);
});

test("a new version in the lock file changes the notice", () => {
  const lock = JSON.parse(readFileSync("package-lock.json", "utf8"));
  lock.packages["node_modules/hono"].version = "99.0.0";
  expect(noticeOf(lock)).toContain("| [hono](https://www.npmjs.com/package/hono) | 99.0.0 | MIT |");
});
