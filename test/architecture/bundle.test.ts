import { expect, test } from "vitest";
import * as zod from "../../node_modules/zod/index.js";
import * as bundled from "../../src/platform/http/zod.js";

const sources = import.meta.glob<string>("../../src/**/*.ts", { query: "?raw", import: "default", eager: true });

/** What the zod of the bundle leaves out. */
const ABSENT = ["core", "locales"];

test("the zod of the bundle has everything but the languages", () => {
  const all = Object.keys(zod).filter((name) => !ABSENT.includes(name));
  expect(Object.keys(bundled).sort()).toEqual(all.sort());
});

test("no file uses what the zod of the bundle leaves out", () => {
  const uses = new RegExp(`\\bz\\.(?:${ABSENT.join("|")})\\b`);
  expect(Object.keys(sources).filter((path) => uses.test(sources[path] ?? ""))).toEqual([]);
});
