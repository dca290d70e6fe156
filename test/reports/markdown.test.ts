import { describe, expect, test } from "vitest";
import { languageOf } from "../../src/reports/rendering/language";
import { contentsOf, renderBody } from "../../src/reports/rendering/markdown";
import fc from "../support/properties";
import { refusal, shown } from "../support/rendered";

describe("a body", () => {
  const { labels } = languageOf("en", "", "UTC");
  const html = (markdown: string) => shown(renderBody(markdown, labels).parts);

  test("is GitHub's markdown, with raw HTML kept", () => {
    const page = html(
      "# One *two*\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n- [x] done\n- [ ] open\n\n~~gone~~ <mark>raw</mark>\n\n<div class=x>\n<b>kept</b>\n</div>\n",
    );
    for (const piece of [
      '<h1 id="one-two" dir="auto">One <em>two</em></h1>',
      '<table dir="auto">',
      '<td align="right">2</td>',
      'type="checkbox"',
      "<del>gone</del>",
      "<mark>raw</mark>",
      "<div class=x>\n<b>kept</b>\n</div>",
    ])
      expect(page).toContain(piece);
    expect(renderBody("# A\n## B `c`\n### D **e**", labels).headings).toEqual([
      { level: 1, id: "a", text: "A" },
      { level: 2, id: "b-c", text: "B c" },
      { level: 3, id: "d-e", text: "D e" },
    ]);
  });

  test("has ids of headings as GitHub makes them, unique on the page, and links find them", () => {
    const ids = (markdown: string, layout?: string) =>
      renderBody(markdown, labels, layout).headings.map(({ id }) => id);
    expect(ids("# Results!\n# Results\n# results-1\n# Results")).toEqual([
      "results",
      "results-1",
      "results-1-1",
      "results-2",
    ]);
    expect(ids("# A & B\n# Prüfung 1.2 – Süd\n# 結果 概要\n# snake_case `c`\n# Ärger\\*")).toEqual([
      "a--b",
      "prüfung-12--süd",
      "結果-概要",
      "snake_case-c",
      "ärger",
    ]);
    expect(ids("# 🎉\n# ?!\n#")).toEqual(["section", "section-1", "section-2"]);
    expect(ids("# Plan\n# Map\n# Foot", '<nav id="map">')).toEqual(["plan", "map-1", "foot"]);
    expect(ids("<a id='plan'></a>\n\n# Plan\n# Footnote a\n[^a]\n\n[^a]: b")).toEqual(["plan-1", "footnote-a-1"]);
    // A later heading does not change the ids before it.
    expect(ids("# Plan\n# Plan\n# Map").slice(0, 2)).toEqual(ids("# Plan\n# Plan"));
    const links = html("[a](#results) [b](#Results) [c](#Prüfung-1) [d](#nowhere)\n\n> # Results\n\n- # Prüfung 1");
    expect([...links.matchAll(/href="([^"]+)"/g)].map(([, href = ""]) => decodeURIComponent(href))).toEqual([
      "#results",
      "#results",
      "#prüfung-1",
      "#nowhere",
    ]);
  });

  test("of any headings has unique ids, which its contents link to", () => {
    const word = fc.constantFrom("Results", "results", "1", "-1", "footnote", "é", "界", "!", "&amp;", "**b**", "");
    fc.assert(
      fc.property(fc.array(fc.array(word, { maxLength: 4 }), { maxLength: 30 }), (lines) => {
        const { headings } = renderBody(lines.map((words) => `## ${words.join(" ")}`).join("\n"), labels);
        expect(new Set(headings.map(({ id }) => id)).size).toBe(headings.length);
        expect(headings.every(({ id }) => /^[^\s"&<>]+$/.test(id))).toBe(true);
      }),
    );
  });

  test.each([
    ["**「重要」**です", "<strong>「重要」</strong>です"],
    ["これは**「重要」**です", "これは<strong>「重要」</strong>です"],
    ["**注意：**必ず", "<strong>注意：</strong>必ず"],
    ["**重要(test)**です", "<strong>重要(test)</strong>です"],
    ["これは**“重要”**的", "これは<strong>“重要”</strong>的"],
    ["**20%**값은", "<strong>20%</strong>값은"],
    ["***重要。***次", "<em><strong>重要。</strong></em>次"],
    ["a **b**c, word_a_b, 2 * 3 * 4", "a <strong>b</strong>c, word_a_b, 2 * 3 * 4"],
    ["20~25 °C and 30~35 °C, ~so~", "20~25 °C and 30~35 °C, ~so~"],
    ["~~gone~~ 1~2 ~~also~~", "<del>gone</del> 1~2 <del>also</del>"],
  ])(
    "marks words beside punctuation of Chinese, Japanese and Korean, and only two tildes strike out: %s",
    (markdown, shownText) => {
      expect(html(markdown)).toBe(`<p dir="auto">${shownText}</p>\n`);
    },
  );

  test("has plain text in captions and alternative texts, and the state of a task in words", () => {
    expect(html("![**North** `face` &amp; _roof_](a.jpg)")).toContain('"caption":"North face & roof"');
    expect(html("x ![**b** [l](u)](a.jpg) y")).toContain('"caption":"b l"');
    expect(html("![**b**](data:image/png;base64,AA)")).toContain('alt="b"');
    const tasks = html("- [x] Rust\n- [ ] Paint")
      .replaceAll(/<input[^>]*>/g, "")
      .replaceAll(/<[^>]+>/g, "");
    expect(tasks.split("\n").filter(Boolean)).toEqual(["Done: Rust", "Open: Paint"]);
    expect(shown(renderBody("- [x] Rost", languageOf("de", "", "UTC").labels).parts)).toContain("Erledigt: ");
  });

  test("has contents with every heading of its two highest levels, from five headings on", () => {
    const links = (markdown: string) =>
      contentsOf(renderBody(markdown, labels).headings).match(/<li class="[^"]+">/g) ?? [];
    expect(links("## A\n".repeat(4))).toEqual([]);
    expect(links("## A\n### B\n#### C\n".repeat(3))).toHaveLength(6);
    expect(links("## A\n\n".repeat(300))).toHaveLength(300);
    // Almost as many headings as a body can have.
    expect(links("# A\n".repeat(80_000))).toHaveLength(80_000);
  });

  test("has its footnotes at the end, in order of their first reference, without pictures and unused notes", () => {
    const page = html("One[^b] two[^a], again[^b], [^none].\n\n[^a]: *First*\n[^b]: ![](p.jpg)\n[^c]: Unused\n\nLast.");
    expect(page.match(/<sup><a.*?<\/sup>/g)?.map((text) => text.replace(/<[^>]+>/g, ""))).toEqual(["1", "2", "1"]);
    expect(page).toContain("again<sup>");
    expect(page).toContain(", [^none].");
    const [before, notes = ""] = page.split('<section class="footnotes"');
    expect(before).toMatch(/<p dir="auto">Last\.<\/p>\s*$/);
    expect(notes).toMatch(
      /<li id="footnote-b">[\s\S]*p\.jpg[\s\S]*<li id="footnote-a">\s*<p dir="auto"><em>First<\/em>/,
    );
    expect(page).not.toContain("Unused");
    expect(html("No [^a] at all.")).toBe('<p dir="auto">No [^a] at all.</p>\n');
  });

  test("names pictures of the library by their path", () => {
    const picture = (documentPath: string, caption: string) => `<${JSON.stringify({ documentPath, caption })}>`;
    expect(html("![A crack](photos/one%20two.jpg)")).toBe(picture("photos/one two.jpg", "A crack"));
    expect(html('before ![alt](a.jpg "Title") after')).toBe(
      `<p dir="auto">before ${picture("a.jpg", "Title")} after</p>\n`,
    );
    const cameraId = "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10";
    expect(html(`![](camera:${cameraId}/2026-11-19T12:00:00Z)`)).toBe(
      `<${JSON.stringify({ cameraId, at: "2026-11-19T12:00:00Z", caption: "" })}>`,
    );
    expect(html("![x](https://example.com/a.jpg)")).toBe('<"https://example.com/a.jpg">');
    expect(html("![x](data:image/png;base64,AAAA)")).toContain('<img src="data:image/png;base64,AAAA" alt="x">');
    expect(html("![x](javascript:alert(1))")).not.toContain("src=");
  });

  test("takes a width of a picture in braces after it: percent of the text, or pixels", () => {
    const picture = (more: object = {}) =>
      JSON.stringify({ documentPath: "a.jpg", caption: "A" }) + JSON.stringify(more);
    const widths = (markdown: string) =>
      renderBody(markdown, labels).parts.flatMap((part) =>
        typeof part === "string" || "gallery" in part
          ? []
          : JSON.stringify(part.value) + JSON.stringify({ width: part.width }),
      );
    expect(widths("![A](a.jpg){width=50%}")).toEqual([picture({ width: "50%" })]);
    expect(widths('![A](a.jpg){width="50%"} ![A](a.jpg){ width=400px }')).toEqual([
      picture({ width: "50%" }),
      picture({ width: "400px" }),
    ]);
    expect(widths("![A](a.jpg){width=400}\n![A](a.jpg)")).toEqual([picture({ width: "400px" }), picture()]);
    expect(html("![A](a.jpg){width=50%}")).not.toContain("{width");
    expect(html("![A](a.jpg){width=50%}")).not.toContain("<p");
    expect(html("![A](data:image/png;base64,AAAA){width=30%}")).toContain('style="width:30%"');
    expect(html("[![A](a.jpg){width=1%}](https://example.org) and *![A](a.jpg){width=100%}*")).not.toContain("{width");
  });

  test.each([
    "width=0%",
    "width=101%",
    "width=0",
    "width=2001px",
    "width=99999999999999999999",
    "width=50%;position:fixed",
    'width="50%',
    "width=50em",
    "width=1e3",
    "width=-5%",
    "height=50%",
    'width=5% onload="x"',
    "",
  ])("leaves other braces after a picture as text: {%s}", (said) => {
    const page = html(`![A](a.jpg){${said}}`);
    expect(page.replaceAll("&quot;", '"')).toContain(`{${said}}`);
    expect(page).not.toContain("style=");
  });

  test.each([
    ["emphasis", "***a** "],
    ["emphasis in words", "a*b_c"],
    ["struck emphasis", "~~_*a"],
    ["quotes", "> "],
    ["numbers", "1. "],
    ["brackets", "[["],
    ["links", "[a](<b"],
    ["code", "` `` ``` "],
    ["tables", "|a\n|-\n"],
    ["open HTML", "<a "],
    ["comments", "<!--"],
    ["footnotes", "[^a]: b\n"],
    ["references to a footnote", "[^a]: b\n\n[^a] "],
    ["footnotes in footnotes", "[^a]:\n     [^b"],
    ["lists in lists", Array.from({ length: 800 }, (_, i) => `${" ".repeat(i * 2)}- a\n`).join("")],
  ])("is read or refused with many repetitions: %s", (_, pattern) => {
    const text = pattern.repeat(Math.max(1, Math.floor(300_000 / pattern.length)));
    const said = refusal(() => html(text));
    expect(said).toMatch(/^nothing was refused$|^rule-violated: /);
  });

  test.each(["- a\n", "> a\n\n", "a\n- b\n\n", "*a*\n\n", "|a|b|\n|-|-|\n|c|d|\n\n"])(
    "is refused with more blocks than one piece of work can have: %j",
    (pattern) => {
      expect(refusal(() => html(pattern.repeat(1_000_000 / pattern.length)))).toMatch(/^rule-violated: .*long lists/);
      expect(html(pattern.repeat(10_000))).toContain("a");
    },
  );

  test("of half a megabyte of ordinary text is read", () => {
    const paragraph = `## Heading\n\nThe **quay wall** was _inspected_ with [the plan](x) and \`tools\`. ${"Words follow words. ".repeat(40)}\n\n- one\n- two\n\n| a | b |\n|---|---|\n| **1** | _2_ |\n\n`;
    expect(html(paragraph.repeat(Math.floor(500_000 / paragraph.length))).length).toBeGreaterThan(500_000);
  });
});
