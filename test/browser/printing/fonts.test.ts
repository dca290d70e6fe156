import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { openPrinter } from "../../../src/reports";
import { ofLayout, readPdf } from "./pdf";

// A browser starts slowly on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

async function print(body: string, { language = "en", bindings = env as Parameters<typeof openPrinter>[0] } = {}) {
  const html = [`<style>body { font: 11pt sans-serif }</style></head><body>${body}`];
  const { pdf, warnings } = await openPrinter(bindings).print(async () => ({
    html,
    title: "Signs",
    language,
    madeAt: 0,
  }));
  return { pdf, warnings: ofLayout(warnings), text: (await readPdf(pdf)).pages.map(({ text }) => text).join(" ") };
}

test.each([
  ["signs and emoji", "✅ ❌ ⚠️ 🚧 😀 🔥 ☑ → ≤ ∑"],
  ["Hindi", "नमस्ते दुनिया, क्षेत्र निरीक्षण"],
  ["Thai", "สวัสดีชาวโลก"],
  ["Korean", "안녕하세요 세계, 현장 점검"],
  ["Japanese", "結果と概要、検査のまとめ"],
  ["Chinese", "现场检查报告，繁體中文"],
  ["Hebrew and Arabic", "שלום עולם مرحبا بالعالم"],
  ["other scripts of India", "বাংলা ਪੰਜਾਬੀ ગુજરાતી தமிழ் తెలుగు ಕನ್ನಡ മലയാളം සිංහල"],
  ["other scripts", "ខ្មែរ ລາວ မြန်မာ ქართული Հայերեն አማርኛ"],
])("every machine prints %s, in each family of fonts and in drawings", async (_, words) => {
  const families = ["sans-serif", "serif", "monospace", '"No such font"'];
  const body = families.map((name) => `<p style='font-family:${name}'>Plan ${words} <b>${words}</b></p>`).join("");
  const { warnings } = await print(`${body}<svg width="600" height="60"><text y="30">${words}</text></svg>`);
  expect(warnings.filter(({ code }) => code === "missing-glyphs")).toEqual([]);
});

test("without added fonts the warning remains, and a page without such characters gets none", async () => {
  const { BROWSER, BROWSER_POOL } = env;
  const seen: string[] = [];
  const ASSETS = {
    ...env.ASSETS,
    fetch: async (url: RequestInfo | URL) => {
      seen.push(String(url));
      return new Response(null, { status: 404 });
    },
  } as Fetcher;
  const { warnings } = await print("<p>नमस्ते</p>", { bindings: { BROWSER, BROWSER_POOL, ASSETS } });
  expect(warnings).toMatchObject([{ code: "missing-glyphs" }]);
  expect(seen).toHaveLength(1);
  await print("<p>Łódź, Ελλάδα, Москва – ½</p>", { bindings: { BROWSER, BROWSER_POOL, ASSETS } });
  expect(seen).toHaveLength(1);
});

test("a page with fonts is as equal as others, and a long text in Chinese stays within the limit", async () => {
  const body = "<p>検査 ✅ नमस्ते</p>";
  expect(Buffer.compare((await print(body)).pdf, (await print(body)).pdf)).toBe(0);
  const many = Array.from({ length: 6_000 }, (_, n) => String.fromCodePoint(0x4e00 + n * 3)).join("");
  const { pdf, warnings } = await print(`<p>${many}</p>`, { language: "zh" });
  expect(pdf.length).toBeLessThan(12_000_000);
  expect(warnings.every(({ code }) => code === "missing-glyphs")).toBe(true);
});
