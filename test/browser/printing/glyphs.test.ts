import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { openPrinter } from "../../../src/reports";
import { ofLayout } from "./pdf";

// A browser starts slowly on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

/** Characters for private use that no font has. */
const [ONE, TWO] = ["\u{10ABCD}", "\u{10ABCE}"];

async function warningsOf(body: string, head = "") {
  const html = [`<style>body { font: 11pt sans-serif }</style>${head}</head><body>${body}`];
  const { warnings } = await openPrinter(env).print(async () => ({ html, title: "Signs", language: "en", madeAt: 0 }));
  return ofLayout(warnings);
}

test("a warning names each character that no font draws, once and with the text around it", async () => {
  const warnings = await warningsOf(
    `<h1>Plan</h1><p>Bolt ${ONE} of <b>type ${TWO}</b> and ${ONE}</p><p>Again ${ONE}</p><p hidden>\u{10ABCF}</p><style>p { --x: "\u{10ABCF}" }</style>`,
  );
  expect(warnings).toEqual([
    { code: "missing-glyphs", at: `Bolt ${ONE} of`, detail: expect.stringContaining(`${ONE} (U+10ABCD).`) },
    { code: "missing-glyphs", at: `type ${TWO}`, detail: expect.stringContaining(`${TWO} (U+10ABCE).`) },
  ]);
});

test("drawn characters and invisible characters cause no warning, in any family of fonts", async () => {
  const words =
    "Łódź, Ελλάδα, Москва – “10 € ≤ 20 °C” … → ✓ • ½ e\u0301 a\u200bb\u00a0c\u2003d\u200d\ufe0f\u2028\ufeff ■ □";
  const families = ["sans-serif", "serif", "monospace", "system-ui", '"DejaVu Sans Mono"', "nothing-of-this-name"];
  const body = families.map((name) => `<p style='font-family:${name}'>${words}</p>`).join("");
  expect(await warningsOf(body)).toEqual([]);
});

test("in monospaced fonts, where each character is as wide as the box, only the missing ones are named", async () => {
  const [warning, ...more] = await warningsOf(`<pre style="font-family:monospace">жук ${ONE} Ω</pre>`);
  expect(warning?.detail).toMatch(/^No font of the machine that prints has . \(U\+10ABCD\)\. /u);
  expect(more).toEqual([]);
});

test("the warnings of a hostile page are few and short, and it is printed all the same", async () => {
  const signs = Array.from({ length: 60_000 }, (_, n) => String.fromCodePoint(0x100000 + n));
  const rows = Array.from({ length: 300 }, (_, n) => `<p>${signs.slice(n * 200, n * 200 + 200).join("")}</p>`);
  const warnings = await warningsOf(rows.join(""));
  expect(warnings.length).toBe(20);
  for (const { at, detail } of warnings) {
    expect(at.length).toBeLessThanOrEqual(60);
    expect(detail).toContain("and 192 more");
    expect(detail.length).toBeLessThan(300);
  }
  const families = Array.from({ length: 3_000 }, (_, n) => `<p style="font-family:f${n}">Ω${signs[n]}</p>`);
  expect((await warningsOf(families.join(""))).length).toBe(20);
});
