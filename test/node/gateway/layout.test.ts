import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import packed from "../../../gateway/package.json";
import root from "../../../package.json";

const ROOT = "gateway/src";
const files = readdirSync(ROOT, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
const textOf = (name: string) => readFileSync(join(ROOT, name), "utf8");
const importsOf = (name: string) =>
  [...textOf(name).matchAll(/from "([^"]+)"/g)].map(([, specifier = ""]) => specifier);

test("the gateway imports only the JPEG codec and the calendar of the service", () => {
  const taken = files.flatMap((name) => importsOf(name).filter((specifier) => specifier.includes("/src/")));
  const allowed = /\/src\/(platform\/jpeg(\/markers|\/huffman)?|cameras\/schedule)$/;
  expect(taken.filter((specifier) => !allowed.test(specifier))).toEqual([]);
  expect(taken.length).toBeGreaterThan(3);
});

test("its packages are few, pinned, and in the root's versions", () => {
  const used = new Set(files.flatMap(importsOf).filter((specifier) => !/^(\.|node:)/.test(specifier)));
  const packages: Record<string, string> = packed.devDependencies;
  const installed: Record<string, string> = { ...root.dependencies, ...root.devDependencies };
  expect([...used].filter((name) => packages[name] === undefined)).toEqual([]);
  for (const [name, version] of Object.entries(packages)) {
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(installed[name]).toBe(version);
  }
});

test("its files are small", () => {
  expect(files.filter((name) => textOf(name).split("\n").length > 400)).toEqual([]);
});
