import { expect, test } from "vitest";
import page from "../../docs/reference/log-events.md?raw";

const sources = import.meta.glob<string>("../../src/**/*.ts", { query: "?raw", import: "default", eager: true });

/** Every event that the source logs, as `event level`. */
const logged = Object.values(sources).flatMap((text) =>
  [...text.matchAll(/\blog\(\s*"(info|warn|error)",\s*([^;]*?)[,)]/g)].flatMap(([, level = "", names = ""]) =>
    [...names.matchAll(/"([a-z.-]+\.[a-z.-]+|request)"/g)].map(([, event = ""]) => `${event} ${level}`),
  ),
);
const listed = [...page.matchAll(/^\| `([a-z.-]+)` \| (\w+) \|/gm)].map(([, event, level]) => `${event} ${level}`);

test("each event of the page is logged, at that level", () => {
  expect(listed.length).toBeGreaterThan(10);
  expect(listed.filter((event) => !logged.includes(event))).toEqual([]);
});

test("the page has every event of level error", () => {
  expect(logged.length).toBeGreaterThan(30);
  expect(logged.filter((event) => event.endsWith(" error") && !listed.includes(event))).toEqual([]);
});
