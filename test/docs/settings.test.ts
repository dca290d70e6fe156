import { expect, test } from "vitest";
import page from "../../docs/reference/settings.md?raw";
import { parseSettings } from "../../src/platform/settings";
import source from "../../src/platform/settings.ts?raw";

const [settings = "", local = ""] = page.split("\n## Variables of the local commands\n");

/** The rows of a table: name, and default as it is written there. */
const rowsOf = (text: string) =>
  [...text.matchAll(/^\| `([A-Z][A-Z0-9_]+)` \|.*\| ([^|]+) \|$/gm)].map(([, name = "", shown = ""]) => ({
    name,
    shown,
  }));
const rows = rowsOf(settings);

test("the page lists every setting and no other", () => {
  const names = [...source.matchAll(/^ {4}([A-Z][A-Z0-9_]+):/gm)].map(([, name = ""]) => name);
  expect(names.length).toBeGreaterThan(15);
  // The databases are bindings with names: `topology.ts` reads them.
  expect(rows.map(({ name }) => name).sort()).toEqual([...names, "DATABASES"].sort());
});

test("the page has the defaults of the code", () => {
  const required = {
    PUBLIC_BASE_URL: "http://workspace.test",
    OBJECT_SIGNING_SECRET: "x".repeat(32),
    SESSION_SIGNING_KEY: JSON.stringify({ kty: "OKP", crv: "Ed25519", d: "d".repeat(43), x: "x".repeat(43) }),
  };
  const defaults: Record<string, unknown> = parseSettings(required);
  for (const { name, shown } of rows) {
    const value = defaults[name];
    const nothing = value === undefined || (Array.isArray(value) && value.length === 0);
    if (name in required) expect(shown, name).toBe("required");
    else if (nothing) expect(["none", "`[]`"], name).toContain(shown);
    else expect(shown, name).toBe(`\`${value}\``);
  }
});

const scripts = import.meta.glob<string>("../../scripts/**/*.mjs", { query: "?raw", import: "default", eager: true });

test("the local variables are the variables that the scripts read", () => {
  const read = Object.values(scripts).flatMap((text) =>
    [...text.matchAll(/\{([^{}]*)\} = process\.env/g)].flatMap(
      ([, names = ""]) => names.match(/\b[A-Z][A-Z0-9_]+\b/g) ?? [],
    ),
  );
  const ours = new Set(read.filter((name) => !["PATH", "TMPDIR"].includes(name)));
  expect(
    rowsOf(local)
      .map(({ name }) => name)
      .sort(),
  ).toEqual([...ours].sort());
});
