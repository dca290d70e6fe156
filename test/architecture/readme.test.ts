import { expect, test } from "vitest";
import readme from "../../README.md?raw";
import { parseSettings } from "../../src/platform/settings";
import source from "../../src/platform/settings.ts?raw";

/** The rows of the settings table: name, and default as it is written there. */
const rows = [...readme.matchAll(/^\| `([A-Z][A-Z0-9_]+)` \|.*\| ([^|]+) \|$/gm)].map(([, name = "", shown = ""]) => ({
  name,
  shown,
}));
const table = rows.slice(rows.findIndex(({ name }) => name === "PUBLIC_BASE_URL"));

test("the README lists every setting", () => {
  const names = [...source.matchAll(/^ {4}([A-Z][A-Z0-9_]+):/gm)].map(([, name = ""]) => name);
  expect(names.length).toBeGreaterThan(15);
  expect(table.map(({ name }) => name).sort()).toEqual(names.sort());
});

test("the README's defaults are those of the code", () => {
  const required = {
    PUBLIC_BASE_URL: "http://workspace.test",
    OBJECT_SIGNING_SECRET: "x".repeat(32),
    SESSION_SIGNING_KEY: JSON.stringify({ kty: "OKP", crv: "Ed25519", d: "d".repeat(43), x: "x".repeat(43) }),
  };
  const defaults: Record<string, unknown> = parseSettings(required);
  for (const { name, shown } of table) {
    const value = defaults[name];
    const nothing = value === undefined || (Array.isArray(value) && value.length === 0);
    if (name in required) expect(shown, name).toBe("required");
    else if (nothing) expect(["none", "`[]`"], name).toContain(shown);
    else expect(shown, name).toBe(`\`${value}\``);
  }
});
