import { describe, expect, test } from "vitest";
import { bytesSource, SourceFailure } from "../../../src/documents/extraction/extracted";
import { readSlice } from "../../../src/documents/extraction/job";
import type { AssetReader } from "../../../src/platform/ports";
import { pdfOf, stream } from "./hostile-pdf";
import { readDocument, readFixture } from "./read";

const hex = (text: string): string =>
  Array.from({ length: text.length }, (_, i) => text.charCodeAt(i).toString(16).padStart(4, "0")).join("");

/** A PDF of one page whose font names a predefined character map and is not in the file. */
const cidPdf = (map: string, ordering: string, content: string): Uint8Array =>
  pdfOf(
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /T 5 0 R >> >> >>",
    stream("", content),
    `<< /Type /Font /Subtype /Type0 /BaseFont /Ryumin /Encoding /${map} /DescendantFonts [6 0 R] >>`,
    `<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Ryumin /CIDSystemInfo << /Registry (Adobe) /Ordering (${ordering}) /Supplement 2 >> /DW 1000 /FontDescriptor 7 0 R >>`,
    "<< /Type /FontDescriptor /FontName /Ryumin /Flags 4 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 800 /Descent -200 /StemV 90 >>",
  );

describe("PDFs without their fonts", () => {
  test.each([
    ["cid-ja.pdf", "橋梁の点検が完了した。壁のひび割れは補修された。"],
    ["cid-ko.pdf", "교량 점검이 완료되었습니다"],
    ["cid-zh.pdf", "桥梁检查已完成。墙壁的裂缝已修复。"],
    ["cid-zht.pdf", "橋樑檢查已完成。牆壁的裂縫已修復。"],
  ])("%s is read", async (name, expected) => {
    const { end, text } = await readFixture(name);
    expect([end.status, text.replaceAll("\n", "")]).toEqual(["indexed", expected]);
  });

  test.each([
    ["90ms-RKSJ-H", "Japan1", "82d082d182ea", "ひびれ"],
    ["EUC-H", "Japan1", "b6b6cec2", "橋梁"],
    ["UniJIS-UTF16-H", "Japan1", hex("橋梁の点検"), "橋梁の点検"],
    ["GBK-EUC-H", "GB1", "c7c5c1ba", "桥梁"],
    ["UniGB-UTF16-H", "GB1", hex("桥梁检查"), "桥梁检查"],
    ["ETen-B5-H", "CNS1", "bef4b1e7", "橋梁"],
    ["UniCNS-UTF16-H", "CNS1", hex("橋梁檢查"), "橋梁檢查"],
    ["KSCms-UHC-H", "Korea1", "b1b3b7ae", "교량"],
    ["UniKS-UTF16-H", "Korea1", hex("교량점검"), "교량점검"],
  ])("the map %s of %s is known", async (map, ordering, codes, expected) => {
    const { text } = await readDocument(cidPdf(map, ordering, `BT /T 12 Tf 50 700 Td <${codes}> Tj ET`));
    expect(text).toBe(expected);
  });

  test("columns of vertical writing are one text, with the signs of horizontal lines", async () => {
    const column = (x: number, text: string) => `1 0 0 1 ${x} 700 Tm <${hex(text)}> Tj`;
    const content = `BT /T 12 Tf ${column(500, "橋梁の点検が完")} ${column(480, "了した。壁のひ")} ${column(460, "び割れ")} ET`;
    const { text } = await readDocument(cidPdf("UniJIS-UTF16-V", "Japan1", content));
    expect(text).toBe("橋梁の点検が完了した。壁のひび割れ");
  });
});

/** A PDF whose font has one glyph for each character of `alphabet`, in the order of its codes from 0x21 on. */
function glyphPdf(alphabet: readonly string[], content: string): Uint8Array {
  const maps = alphabet.map((text, i) => `<${(0x21 + i).toString(16)}> <${hex(text)}>`).join("\n");
  return pdfOf(
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /T 5 0 R >> >> >>",
    stream("", content),
    `<< /Type /Font /Subtype /TrueType /BaseFont /Any /FirstChar 32 /LastChar 126 /Widths [${Array(95).fill(500).join(" ")}] /FontDescriptor 6 0 R /ToUnicode 7 0 R >>`,
    "<< /Type /FontDescriptor /FontName /Any /Flags 4 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 800 /Descent -200 /StemV 90 >>",
    stream(
      "",
      `/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00> <ff> endcodespacerange ${alphabet.length} beginbfchar\n${maps}\nendbfchar endcmap end`,
    ),
  );
}

/** Draws each glyph on its own, in visual order from left to right at `x`; `order` is the order of drawing. */
function drawn(visual: readonly string[], order: "visual" | "logical", alphabet: string[], y: number, x = 100): string {
  const glyphs = visual.map((text, i) => {
    if (text === " ") return "";
    if (!alphabet.includes(text)) alphabet.push(text);
    return `1 0 0 1 ${x + i * 6} ${y} Tm <${(0x21 + alphabet.indexOf(text)).toString(16)}> Tj`;
  });
  return (order === "visual" ? glyphs : glyphs.reverse()).join("\n");
}

const visualOf = (logical: string): string[] => [...logical].reverse();

test("a character map that cannot be read is a failure of the service, and not of the document", async () => {
  const bytes = cidPdf("UniJIS-UTF16-H", "Japan1", `BT /T 12 Tf 50 700 Td <${hex("橋")}> Tj ET`);
  const input = { source: bytesSource(bytes), fileName: "a.pdf", contentType: "" };
  const reading = (readAsset: AssetReader) => readSlice({ ...input, readAsset }, null, async () => {});
  await expect(reading(async () => null)).rejects.toThrow(SourceFailure);
  await expect(reading(() => Promise.reject(new Error("network")))).rejects.toThrow(SourceFailure);
});

describe("PDFs with lines from right to left", () => {
  test("as this service prints them", async () => {
    const { text } = await readFixture("chrome-arabic.pdf");
    expect(text).toContain("تقرير الفحص");
    expect(text).toContain("تم فحص المضخة الرئيسية وتغيير الصمام.");
    expect(text.normalize("NFKC")).toContain("گزارش بازرسی");
    expect(text).not.toMatch(/[\ufb50-\ufdff\ufe70-\ufefc]/);
    expect(text).toContain("Page 2 of 2");
  });

  test.each(["visual", "logical"] as const)("with glyphs that are drawn in %s order", async (order) => {
    const alphabet: string[] = [];
    const content = [
      drawn(visualOf("בדיקת הגשר"), order, alphabet, 700),
      drawn(visualOf("ﻓﺤﺺ ﺍﻟﻤﻀﺨﺔ"), order, alphabet, 640),
      drawn(visualOf("ﺍﻟﺴﻼﻡ"), order, alphabet, 580),
    ];
    const { text } = await readDocument(glyphPdf(alphabet, `BT /T 12 Tf\n${content.join("\n")} ET`));
    expect(text).toBe("בדיקת הגשר\nفحص المضخة\nالسلام");
  });

  test("numbers, words of other scripts and brackets keep their order", async () => {
    const alphabet: string[] = [];
    // The line reads: 'משאבה' '(ABC)' '128' 'תקינה'
    const visual = [...visualOf("תקינה"), " ", ..."128", " ", ..."(ABC)", " ", ...visualOf("משאבה")];
    const latin = [..."Valve", " ", ...visualOf("שסתום אחד"), " ", ..."is closed and safe"];
    const content = [drawn(visual, "visual", alphabet, 700), drawn(latin, "visual", alphabet, 640)].join("\n");
    const { text } = await readDocument(glyphPdf(alphabet, `BT /T 12 Tf\n${content} ET`));
    expect(text).toBe("משאבה (ABC) 128 תקינה\nValve שסתום אחד is closed and safe");
  });

  test("a vowel mark follows its letter", async () => {
    const alphabet = ["ب", "َ", "ت"];
    const content = "1 0 0 1 100 700 Tm <23> Tj 1 0 0 1 108 700 Tm <22> Tj 1 0 0 1 106 700 Tm <21> Tj";
    const { text } = await readDocument(glyphPdf(alphabet, `BT /T 12 Tf ${content} ET`));
    expect(text).toBe("بَت");
  });
});

test("ligatures and other forms of letters become letters", async () => {
  const alphabet = ["ﬁ", "ﬄ", "x", "⽔", "⼟"];
  const { text } = await readDocument(glyphPdf(alphabet, "BT /T 12 Tf 100 700 Td <2123222425> Tj ET"));
  expect(text).toBe("fixffl水土");
  expect((await readDocument("ﺍﻟﻤﻀﺨﺔ ﹼ ﬂow", "a.txt")).text).toBe("المضخة ّ flow");
});
