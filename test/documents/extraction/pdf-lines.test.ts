import { describe, expect, test } from "vitest";
import { joinLines, PageLines } from "../../../src/documents/extraction/formats/pdf-lines";
import { KnownWords } from "../../../src/documents/extraction/formats/pdf-words";
import { pdfOf, stream } from "./hostile-pdf";
import { readDocument, readFixture } from "./read";

/** A page of Helvetica, 12 points. `spacing` is the space behind each letter, points; null for a line of ordinary text. */
const pageOf = (...lines: (readonly [text: string, spacing?: number])[]): Uint8Array =>
  pageWith(
    lines
      .map(([text, spacing = 0], i) => `BT /T 12 Tf ${spacing} Tc 1 0 0 1 50 ${760 - i * 16} Tm (${text}) Tj ET`)
      .join("\n"),
  );

/** A page of Helvetica with this content. */
const pageWith = (content: string): Uint8Array =>
  pdfOf(
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 900 800] /Contents 4 0 R /Resources << /Font << /T 5 0 R >> >> >>",
    stream("", content),
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
  );

const textOf = async (...lines: (readonly [text: string, spacing?: number])[]): Promise<string> =>
  (await readDocument(pageOf(...lines))).text.replaceAll("\n", " ");

describe("a hyphen at the end of a line", () => {
  test("stays in a compound, and goes in a word", async () => {
    const { text } = await readFixture("compound.pdf");
    expect(text).toBe(
      "This is a long-term plan for the high-voltage line and a cost-effective non-compliance report. The foundation is fine. Email info@site-office.example and part AB- 1234 and the X-ray test.",
    );
  });

  test("stays where a conjunction follows", async () => {
    const { text } = await readFixture("suspended.pdf");
    expect(text).toMatch(/^Die Wartungs- und Prüfarbeiten sowie Ein- oder Ausbau\. Freight- and shipping\./);
    expect(text).toMatch(/ n-tridecanal\.$/);
  });

  test.each([
    ["The photos have long cap-", "tions that say what is on them.", /captions/],
    ["The inspector did not under-", "stand the report of the site.", /understand/],
    ["It is a well-", "known problem of the old bridge.", /well-known/],
    ["The notes of the owner are in the attach-", "ments to this report.", /attachments/],
    ["We look for pre-", "and post-war buildings in the town.", /pre- and post-war/],
    ["THE FOUN-", "DATION OF THE NEW BRIDGE IS FINE.", /FOUNDATION/],
    ["Der Ingenieur hat die Auf-", "nahme der Hand-", /Aufnahme/],
    ["Die Begehung der Hand-", "lung im Tal war ohne Befund.", /Handlung/],
    ["It was open from North-", "South to East.", /North- South/],
    ["See the pages 3-", "4 of the report.", /3- 4/],
  ])("%j %j", async (before, line, expected) => {
    expect(await textOf([before], [line])).toMatch(expected);
  });

  test("follows the words of the document before the list of words", async () => {
    const wide = ["The manhole and the over-head line were seen."] as const;
    expect(await textOf(wide, ["There is water in the man-"], ["hole below the over-"], ["head line."])).toMatch(
      /the manhole below the over-head line/,
    );
    expect(await textOf(["Le garde-corps est neuf. Le garde-"], ["corps est solide."])).toMatch(
      /Le garde-corps est so/,
    );
  });

  test("is joined without a list of words", async () => {
    const lines = ["The third cais-", "son has set\u00ad", "tled. 港口检查", "报告"];
    expect(joinLines(lines, new KnownWords(), false)).toBe("The third caisson has settled. 港口检查报告");
    expect(await new PageLines().end()).toEqual([]);
  });
});

describe("letters with wide spacing", () => {
  test("are words", async () => {
    expect((await readFixture("letters.pdf")).text.replaceAll("\n", " ")).toBe("SPACEDzzs title here normalzzs");
  });

  test.each([1.44, 1.8, 2.4, 3, 3.6, 6, 7])("of %d points are words", async (spacing) => {
    const text = await textOf(["SITE INSPECTION REPORT", spacing], ["The report of the inspection of the site."]);
    expect(text).toBe("SITE INSPECTION REPORT The report of the inspection of the site.");
  });

  test.each([1.44, 3])("of %d points are one word in every language", async (spacing) => {
    expect(await textOf(["ZUSAMMENFASSUNG", spacing], ["Die Begehung war ohne Befund."])).toMatch(/^ZUSAMMENFASSUNG /);
  });

  test("are divided at an unknown word, and into the words of the document", async () => {
    const english = ["The report of the inspection of the site is in the box."] as const;
    expect(await textOf(["KELVIGRAN INSPECTION REPORT", 1.44], english)).toMatch(/^KELVIGRAN INSPECTION REPORT /);
    const german = ["Der Bericht beschreibt den Leuchtturm und die Lage im Hafen."] as const;
    expect(await textOf(["BERICHT LEUCHTTURM", 1.44], german)).toMatch(/^BERICHT LEUCHTTURM /);
    expect(await textOf(["HANDLUNG", 1.44], german)).toMatch(/^HANDLUNG /);
  });

  test.each(["N E S W", "W N E S", "A B C D E", "x y z"])("are not the letters of a list: %s", async (list) => {
    expect(await textOf([list], ["The plan has a compass."])).toBe(`${list} The plan has a compass.`);
  });

  test("are kept when there are more words than the service divides", async () => {
    const page = new PageLines(new KnownWords(async () => "abcd\nefgh"));
    const str = Array.from("abcdefgh".repeat(7)).join(" ");
    for (let y = 0; y < 20_000; y++)
      page.add({
        str,
        dir: "ltr",
        width: 500,
        height: 10,
        transform: [10, 0, 0, 10, 0, -y],
        hasEOL: true,
        fontName: "T",
      });
    expect((await page.end()).join("").length).toBeGreaterThan(1_000_000);
  });

  test.each(["A B C D E", "x x x x x", "1 2 3 4 5", "a = b + c", "Vitamin B 12 a b"])(
    "are not the single letters of %j",
    async (line) => {
      expect(await textOf([line], ["The columns of the table."])).toMatch(new RegExp(`^${line.replace("+", "\\+")} `));
    },
  );
});

describe("the gaps of the glyphs", () => {
  test("are those of Chromium, which prints headings with a spacing of .12em, .3em and .06em", async () => {
    const { text } = await readFixture("spaced.pdf");
    expect(text.split("\n")).toEqual([
      "SITE INSPECTION REPORT",
      "Flood Gate PLAN",
      "AVAILABLE WAYS",
      "Notes of Today",
      "PLAN",
      "The plan of the site has a compass: N E S W, and the report of the inspection follows.",
      "N E S W",
    ]);
  });

  const BODY = "The report of the inspection of the site and the plan of the building.";
  /** The text of a line of Helvetica, 12 points, that is written with `operators`, above a line of ordinary text. */
  const lineOf = async (operators: string): Promise<string> => {
    const content = `BT /T 12 Tf 1 0 0 1 50 760 Tm ${operators} ET\nBT /T 12 Tf 0 Tc 1 0 0 1 50 700 Tm (${BODY}) Tj ET`;
    return (await readDocument(pageWith(content))).text.replaceAll("\n", " ").replace(` ${BODY}`, "");
  };
  /** Letters with the gap before each, thousandths of the size. */
  const spread = (letters: string, gaps: readonly number[]): string =>
    `[${Array.from(letters, (letter, i) => `${i === 0 ? "" : -(gaps[i - 1] ?? 0)} (${letter})`).join(" ")}] TJ`;

  test.each([
    ["uneven in a word", spread("INSPECTION", [90, 80, 120, 85, 90, 120, 95, 80, 90]), "INSPECTION"],
    [
      "uneven in two words",
      spread("INSPECTIONNOTES", [90, 80, 130, 85, 90, 130, 95, 80, 90, 420, 130, 90, 80, 120]),
      "INSPECTION NOTES",
    ],
    ["those of parts of a known word", spread("INSPECTION", [0, 0, 130, 0, 0, 130, 0, 0, 0]), "INSPECTION"],
    [
      "wide behind the first letter of a word",
      "[(C) -130 (ommon) -280 (d) -130 (uct) -280 (m) -140 (argin)] TJ",
      "Common duct margin",
    ],
    ["narrow beside A and V", spread("SAVEAVALLEY", [120, 20, 120, 450, 20, 20, 120, 120, 120, 120]), "SAVE AVALLEY"],
    ["different in two words", "3.6 Tc (BIG) Tj 1.44 Tc ( SMALLER) Tj", "BIG SMALLER"],
    ["wide in a short known word", spread("PLAN", [300, 300, 300]), "PLAN"],
    ["wide in short words", spread("OURPLAN", [300, 300, 880, 300, 300, 300]), "OUR PLAN"],
    ["between letters and a word", `(See ) Tj ${spread("NOTES", [120, 120, 120, 120])}`, "See NOTES"],
    [
      "those of letters that stand alone",
      Array.from("NORTHERN", (letter, i) => `1 0 0 1 ${50 + i * 12} 760 Tm (${letter}) Tj`).join(" "),
      "NORTHERN",
    ],
    // A spacing of characters that most strings take back: the words are where they do not.
    [
      "taken back within words",
      "4 Tc [(,i) 333 (sd) 333 (e) 333 (f) 333 (i) 333 (n) 333 (e) 333 (da) 333 (s)] TJ",
      ", is defined as",
    ],
    // Letters and words with equal gaps.
    ["equal between letters and words", `2 Tc ${spread("UNITPRICE", [0, 0, 0, 0, 0, 0, 0, 0])}`, "UNIT PRICE"],
  ])("are %s", async (_, operators, expected) => {
    expect(await lineOf(operators)).toBe(expected);
  });

  test("are read in a line of 200,000 letters", async () => {
    const page = new PageLines();
    const str = "ab ".repeat(66_000).trim();
    const gaps = str.replace(/ /g, "\0").replace(/a/g, "\u001e").replace(/b/g, "\u0001");
    const transform = [10, 0, 0, 10, 0, 0];
    page.add({ str, dir: "ltr", width: 500, height: 10, transform, hasEOL: true, fontName: "T", gaps });
    expect((await page.end()).join("")).toHaveLength(str.length);
  });

  test.each([
    ["a compass", spread("NESW", [333, 333, 333]), "N E S W"],
    ["a compass with spaces", "(N E S W) Tj", "N E S W"],
    ["names of points", `(Let ) Tj ${spread("xyz", [333, 333])} ( be points) Tj`, "Let x y z be points"],
    ["an alphabet", spread("ABCDE", [300, 300, 300, 300]), "A B C D E"],
    ["short words", "[(It) -250 (is) -250 (a) -250 (big) -250 (I)] TJ", "It is a big I"],
    ["narrow spaces", "[(We) -150 (all) -150 (go) -150 (on)] TJ", "We all go on"],
  ])("keep %s apart", async (_, operators, expected) => {
    expect(await lineOf(operators)).toBe(expected);
  });
});
