import { expect, test } from "vitest";
import alerts from "../../docs/how-to/alerts.md?raw";
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

test("there is an alert for every event of level error, with what to do", () => {
  const rows = [...alerts.matchAll(/^\| `([a-z.-]+)` \| ([^|]+) \| ([^|]+) \|$/gm)];
  const errors = listed.flatMap((line) => (line.endsWith(" error") ? [line.slice(0, -" error".length)] : []));
  expect(rows.map(([, event]) => event).sort()).toEqual(errors.sort());
  for (const [, event, meaning = "", action = ""] of rows)
    expect(
      [meaning.length, action.length].every((length) => length > 20),
      event,
    ).toBe(true);
});
