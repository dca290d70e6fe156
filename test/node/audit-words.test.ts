import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ACTIONS } from "../../web/console/src/settings/audit-actions";
import { toCsv } from "../../web/console/src/settings/audit-csv";
import { AUDIT } from "../../web/texts/en/audit";

/* The audit trail in the console: every action of the service has its words, and its file is safe to open. */

const sources = globSync("src/**/*.ts").map((file) => readFileSync(file, "utf8"));

/** What is changed of an account, which no organization records. */
const OF_ACCOUNTS = [
  "admin",
  "jobs",
  "notification-preferences",
  "passkey",
  "password",
  "recovery-code",
  "second-factor",
  "session",
  "sessions",
  "token",
  "user",
];
const found = sources.flatMap((text) => [
  ...[...text.matchAll(/\baction: (?:[^"\n]*\? )?"([a-z-]+\.[a-z-]+)"(?: : "([a-z-]+\.[a-z-]+)")?/g)].flatMap(
    ([, one, other]) => [one, other],
  ),
  ...[...text.matchAll(/\baudit(?:Review)?\((?:context, )?"([a-z-]+\.[a-z-]+)"/g)].map(([, one]) => one),
]);
const recorded = [...new Set(found.filter((one) => one !== undefined))].filter(
  (action) => !OF_ACCOUNTS.includes(action.split(".")[0] ?? ""),
);

test("the list of changes has every change that the service records", () => {
  expect(recorded.length).toBeGreaterThan(25);
  expect(recorded.filter((action) => !ACTIONS.includes(action))).toEqual([]);
  const templates = sources.flatMap((text) => [...text.matchAll(/\baction: `([^`]*)`/g)].map(([, one = ""]) => one));
  // The list of changes has their values.
  expect(templates.map((one) => one.replace(/\$\{[^}]*\}/g, "*")).toSorted()).toEqual([
    "*.*",
    "camera-share.*",
    "camera.*",
    "mail-address.*",
  ]);
});

test("each change has words", () => {
  const wordless = ACTIONS.filter((action) => {
    const [noun = "", verb = ""] = action.split(".");
    return AUDIT.nouns[noun] === undefined || AUDIT.verbs[verb] === undefined;
  });
  expect(wordless).toEqual([]);
});

test("a cell keeps its text, and no spreadsheet runs it", () => {
  expect(toCsv([["a", "b"]])).toBe("\uFEFFa,b\r\n");
  expect(toCsv([['say "hi"', "two\nlines", "a,b"]])).toBe('\uFEFF"say ""hi""","two\nlines","a,b"\r\n');
  for (const formula of ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])
    expect(toCsv([[formula]]).slice(1)).toMatch(/^"?'/);
  expect(toCsv([["工地", "Zoë"]])).toBe("\uFEFF工地,Zoë\r\n");
});
