import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { parseSettings } from "../../src/platform/settings";
import { flatRows, testsOf } from "./row";
import { limitTables, settingsLimits } from "./tables/index";
import { listedSurvivors, seededMutants } from "./tables/seeded";

type Module = Readonly<Record<string, unknown>>;
const modules = import.meta.glob<Module>("../../src/**/limits.ts", { eager: true });
const sources = import.meta.glob<string>(["../**/*.ts"], { eager: true, query: "?raw", import: "default" });

/** The constants of a module that are limits: functions and classes are none. */
const limitsOf = (module: Module): string[] =>
  Object.entries(module).flatMap(([name, value]) => (typeof value === "function" ? [] : [name]));

const withoutRow = (found: Readonly<Record<string, Module>>): string[] =>
  Object.entries(found).flatMap(([path, module]) => {
    const file = path.replace("../../", "");
    const rows = limitTables[file] ?? {};
    return limitsOf(module).flatMap((name) => (name in rows ? [] : [`${file}: ${name}`]));
  });

test("every constant of a limits.ts has a row: add one, see row.ts", () => {
  expect(Object.keys(modules).length).toBeGreaterThan(10);
  expect(withoutRow(modules)).toEqual([]);
});

test("a constant without a row is found, and a function is no limit", () => {
  const seeded = { "../../src/hub/limits.ts": { MAX_MESSAGE_BYTES: 1, MAX_SEEDED: 1, seeded: () => 1 } };
  expect(withoutRow(seeded)).toEqual(["src/hub/limits.ts: MAX_SEEDED"]);
});

test("every setting that is a number has a row", () => {
  const settings = Object.entries(parseSettings(env)).flatMap(([name, value]) =>
    typeof value === "number" ? [name] : [],
  );
  expect(Object.keys(settingsLimits).sort()).toEqual(settings.sort());
});

const rows = [...Object.values(limitTables), settingsLimits].flatMap(flatRows);

test("every row names the tests that hold the limit, or the reason why no test can", () => {
  const unclear = rows.filter(([name, row]) => (testsOf(name, row).length === 0) === (row.unheld === undefined));
  expect(unclear.map(([name]) => name)).toEqual([]);
});

/** The source of a file of tests. For a suite, it includes the rows. */
const sourceOf = (file: string): string =>
  Object.entries(sources)
    .filter(([path]) => path === `../${file}` || (file.includes("limits") && /^\.\/[\w.-]+\.ts$/.test(path)))
    .map(([, source]) => source)
    .join("\n");

test("every test that a row names exists", () => {
  const absent = rows.flatMap(([name, row]) =>
    testsOf(name, row).filter(([file, title]) => sourceOf(file) === "" || !sourceOf(file).includes(title)),
  );
  expect(absent).toEqual([]);
});

/** Names of the files of the service. They are not loaded. */
const files = Object.keys(import.meta.glob("../../src/**/*.ts")).map((path) => path.replace("../../", ""));

test("every file that a listed or a seeded mutant names exists", () => {
  const named = [...listedSurvivors, ...seededMutants].map(({ file }) => file);
  expect(named.filter((file) => !files.includes(file))).toEqual([]);
});
