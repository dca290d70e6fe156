import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { strFromU8, strToU8, unzipSync, zipSync } from "fflate";
import { launch } from "puppeteer-core";
import { findBrowser } from "../../setup/browser.mjs";
import { main, Refusal, ROOT } from "../../setup/project.mjs";

/* Writes the PDF and the office files of the demo: node scripts/seed/documents/write.mjs */

const FOLDER = resolve(ROOT, "scripts/seed/documents");
const PACKAGES = "http://schemas.openxmlformats.org/package/2006";
const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const APPLICATION = "application/vnd.openxmlformats-officedocument";

const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const related = (targets) =>
  `${HEAD}<Relationships xmlns="${PACKAGES}/relationships">${targets
    .map(([type, target], n) => `<Relationship Id="rId${n + 1}" Type="${OFFICE}/${type}" Target="${target}"/>`)
    .join("")}</Relationships>`;

/** An office file of these parts. `types` has the content type of each part whose type is not the default. */
function packageOf(document, types, parts) {
  const overrides = Object.entries(types).map(
    ([part, type]) => `<Override PartName="/${part}" ContentType="${APPLICATION}.${type}+xml"/>`,
  );
  const all = {
    "[Content_Types].xml": `${HEAD}<Types xmlns="${PACKAGES}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${overrides.join("")}</Types>`,
    "_rels/.rels": related([["officeDocument", document]]),
    ...parts,
  };
  return zipSync(Object.fromEntries(Object.entries(all).map(([name, text]) => [name, strToU8(text)])));
}

const FINDINGS = [
  ["Title", "Findings of the divers"],
  [
    "Normal",
    "Northern breakwater, 12 October 2026. Divers: Ines Diver and two colleagues. Visibility under water: 4 m.",
  ],
  ["Heading1", "Caissons 1 to 6"],
  [
    "Normal",
    "The seabed in front of caisson three is washed out over 6 m, to a depth of 35 cm. This explains why the caisson has settled by four centimetres. The joints to its neighbours are closed. No reinforcement is visible.",
  ],
  [
    "Normal",
    "The anodes of caissons one, two and five are used up by more than half. They should be replaced in 2027.",
  ],
  ["Heading1", "Caissons 7 to 12"],
  [
    "Normal",
    "Not inspected: the swell in front of the mole was higher than 1.5 m. The divers return at the next spring tide.",
  ],
  ["Heading1", "Ladders"],
  [
    "Normal",
    "The sixth rung of ladder E2 broke under load. The weld was rusted over two thirds. The rungs of E1, E3 and E4 that are under water are sound; their welds above water must be tested by the workshop.",
  ],
  ["Heading1", "What we recommend"],
  [
    "Normal",
    "Fill the washed-out seabed with stone before the winter storms, about 20 m³. Survey caisson three each quarter. Inspect the ladders from the water every year.",
  ],
];

function docx() {
  const name = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"`;
  const style = (id, title, size, isBold) =>
    `<w:style w:type="paragraph" w:styleId="${id}"${id === "Normal" ? ' w:default="1"' : ""}><w:name w:val="${title}"/><w:pPr><w:spacing w:before="${isBold ? 240 : 0}" w:after="120"/></w:pPr><w:rPr>${isBold ? "<w:b/>" : ""}<w:sz w:val="${size}"/></w:rPr></w:style>`;
  const body = FINDINGS.map(
    ([id, text]) =>
      `<w:p><w:pPr><w:pStyle w:val="${id}"/></w:pPr><w:r><w:t xml:space="preserve">${escaped(text)}</w:t></w:r></w:p>`,
  );
  const types = {
    "word/document.xml": "wordprocessingml.document.main",
    "word/styles.xml": "wordprocessingml.styles",
  };
  return packageOf("word/document.xml", types, {
    "word/_rels/document.xml.rels": related([["styles", "styles.xml"]]),
    "word/document.xml": `${HEAD}<w:document ${name}><w:body>${body.join("")}<w:sectPr><w:pgSz w:w="11906" w:h="16838"/></w:sectPr></w:body></w:document>`,
    "word/styles.xml": `${HEAD}<w:styles ${name}>${style("Normal", "Normal", 22, false)}${style("Title", "Title", 48, true)}${style("Heading1", "heading 1", 30, true)}</w:styles>`,
  });
}

const SHEETS = {
  "Arrivals 2026": [
    ["Month", "Vessels", "Freight in tonnes", "Passengers of the ferry"],
    ["July", 148, 21_400, 38_210],
    ["August", 155, 23_050, 41_870],
    ["September", 131, 24_600, 22_940],
    ["October", 118, 26_300, 17_350],
  ],
  Tariffs: [
    ["Service", "Crowns", "Unit"],
    ["Pilot, up to 90 m", 4_850, "per passage"],
    ["Berth at quay 7", 12.5, "per metre and day"],
    ["Fresh water", 34, "per cubic metre"],
    ["The tariff for pilots rises by 3 % in the spring quarter."],
  ],
};

function xlsx() {
  const cell = (value, row, column) => {
    const at = `${String.fromCharCode(65 + column)}${row + 1}`;
    if (typeof value === "number") return `<c r="${at}"><v>${value}</v></c>`;
    return `<c r="${at}" t="inlineStr"><is><t>${escaped(value)}</t></is></c>`;
  };
  const name = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
  const sheets = Object.entries(SHEETS).map(([title, rows], n) => ({
    title,
    part: `worksheets/sheet${n + 1}.xml`,
    xml: `${HEAD}<worksheet ${name}><cols><col min="1" max="4" width="24" customWidth="1"/></cols><sheetData>${rows
      .map((row, r) => `<row r="${r + 1}">${row.map((value, column) => cell(value, r, column)).join("")}</row>`)
      .join("")}</sheetData></worksheet>`,
  }));
  const list = sheets.map(({ title }, n) => `<sheet name="${title}" sheetId="${n + 1}" r:id="rId${n + 1}"/>`);
  const types = Object.fromEntries(sheets.map(({ part }) => [`xl/${part}`, "spreadsheetml.worksheet"]));
  return packageOf(
    "xl/workbook.xml",
    { "xl/workbook.xml": "spreadsheetml.sheet.main", ...types },
    {
      "xl/_rels/workbook.xml.rels": related(sheets.map(({ part }) => ["worksheet", part])),
      "xl/workbook.xml": `${HEAD}<workbook ${name} xmlns:r="${OFFICE}"><sheets>${list.join("")}</sheets></workbook>`,
      ...Object.fromEntries(sheets.map(({ part, xml }) => [`xl/${part}`, xml])),
    },
  );
}

/** The slides come from a fixture, with other words on the second one. */
const WORDS = {
  "ppt/slides/slide2.xml": [
    ["What the ferry costs", "What it costs, in million crowns"],
    ["Crossing", "Part"],
    ["Fare in crowns", "Estimate"],
    ["Island loop", "Pontoons, piles and dredging"],
    ["eighty-five", "42.5"],
  ],
  "ppt/notesSlides/notesSlide1.xml": [
    [
      "Remember to thank the dredging crew by name.",
      "Thank the dredging crew. Questions about the berths go to the harbour office.",
    ],
  ],
};

function pptx() {
  const parts = unzipSync(readFileSync(resolve(ROOT, "test/fixtures/documents/talk.pptx")));
  for (const [part, words] of Object.entries(WORDS))
    parts[part] = strToU8(
      words.reduce((xml, [from, to]) => xml.replace(`<a:t>${from}<`, `<a:t>${escaped(to)}<`), strFromU8(parts[part])),
    );
  return zipSync(parts);
}

async function pdf() {
  const executablePath = await findBrowser();
  if (executablePath === null) throw new Refusal("There is no browser. Set CHROME_PATH to one.");
  const browser = await launch({ executablePath, headless: true, args: ["--no-sandbox"] });
  try {
    const page = await browser.newPage();
    await page.setContent(readFileSync(resolve(FOLDER, "inspection.html"), "utf8"));
    return await page.pdf({ preferCSSPageSize: true, printBackground: true });
  } finally {
    await browser.close();
  }
}

main(async () => {
  for (const [fileName, bytes] of [
    ["inspection.pdf", await pdf()],
    ["divers.docx", docx()],
    ["figures.xlsx", xlsx()],
    ["marina.pptx", pptx()],
  ])
    writeFileSync(resolve(FOLDER, fileName), bytes);
});
