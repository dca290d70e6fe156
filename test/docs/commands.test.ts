import { expect, test } from "vitest";
import page from "../../docs/reference/commands.md?raw";
import project from "../../package.json";

test("the page lists every npm script and no other", () => {
  const listed = [...page.matchAll(/^\| `npm (?:run )?([a-z:-]+)` \|/gm)].map(([, name = ""]) => name);
  expect(listed.sort()).toEqual(Object.keys(project.scripts).sort());
});
