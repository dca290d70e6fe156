import { expect, test } from "vitest";
import { HOUR } from "../../src/platform/time";
import { languageOf } from "../../src/reports/rendering/language";
import { call, expectJson, problem } from "../support/call";
import { mintCamera, mintImage } from "../support/cameras";
import { mintLocation, mintOrganization } from "../support/factories";
import { mintReport, mintTemplate } from "../support/reports";

/** 23:30 on 19 November in London: the 20th in Berlin, and still the 19th in New York. */
const LATE = Date.parse("2026-11-19T23:30:00Z");

/** The preview of a report at a location of this time zone; the default wrapper unless a layout is given. */
async function preview(contentJson: object, timeZone: string | null, layout = "", headers = {}) {
  const { id: organizationId, owner } = await mintOrganization();
  const location = await mintLocation({ organizationId }, { timeZone });
  const camera = await mintCamera(organizationId, location.id);
  const capturedAt = LATE - HOUR;
  await mintImage(camera, location.id, { capturedAt });
  const template = await mintTemplate({ organizationId }, { htmlLayoutTemplate: layout });
  const frame = { cameraId: camera.id, at: new Date(capturedAt).toISOString() };
  const reportId = await mintReport({ organizationId }, location, {
    templateId: template.id,
    contentJson: { frame, ...contentJson },
    createdBy: owner.userId,
    createdAt: LATE,
    updatedAt: LATE,
  });
  const response = await call("GET", `/v1/reports/${reportId}/preview`, { token: owner.token, headers });
  return { status: response.status, html: await response.text(), reportId, owner };
}

const BODY = "# A\n\n# B\n\n# C\n\n# D\n\n# E\n\nAs measured[^1]. ![](lost.jpg)\n\n[^1]: by tape";

test("a report's language translates the service's own words and its dates", async () => {
  const { html } = await preview({ language: "de-at", body: BODY, isSafe: true, isDry: false }, "Europe/Berlin");
  for (const piece of [
    '<html lang="de-AT">',
    'content: "Inhalt"',
    'content: "Seite " counter(page) " von " counter(pages)',
    '<dt dir="auto">Datum</dt><dd dir="auto">20. November 2026</dd>',
    '<dt dir="auto">Erstellt von</dt>',
    '<dd dir="auto">Ja</dd>',
    '<dd dir="auto">Nein</dd>',
    ">Fußnoten<",
    "Zurück zum Verweis 1",
    "<strong>Bild fehlt</strong>",
    "Das Bild gibt es hier nicht, oder Sie haben keinen Zugriff darauf.",
    '<figcaption dir="auto">19. November 2026 um 23:30 MEZ</figcaption>',
  ])
    expect(html).toContain(piece);
  for (const word of ["Contents", "Prepared by", "Footnotes", "Picture missing"]) expect(html).not.toContain(word);
});

test("a report without a language has English dates, in the location's time zone", async () => {
  const layout =
    '{{report.updated_on}} {{report.created_on}} {{report.updated_at_utc}}{{image "frame"}}{{image "lost"}}';
  const berlin = await preview({ lost: "a.jpg" }, "Europe/Berlin", layout);
  expect(berlin.html).toContain("20 November 2026 20 November 2026 2026-11-19T23:30:00.000Z");
  expect(berlin.html).toContain(">19 November 2026 at 23:30 CET<");
  expect(berlin.html).toContain("<strong>Picture missing</strong>");
  const newYork = await preview({ language: "" }, "America/New_York", layout);
  expect(newYork.html).toContain("19 November 2026 19 November 2026 2026-11-19T23:30:00.000Z");
  expect(newYork.html).toContain(">19 November 2026 at 17:30 GMT-5<");
  const utc = await preview({ language: null }, null, layout);
  expect(utc.html).toContain(">19 November 2026 at 22:30 UTC<");
});

test("a report without a language has the words and dates of its reader, unless the layout has a language", async () => {
  const german = { "accept-language": "de" };
  const { html, reportId, owner } = await preview({ isSafe: true }, "Europe/Berlin", "", german);
  for (const piece of ['<html lang="de">', '<dd dir="auto">Ja</dd>', "20. November 2026"])
    expect(html).toContain(piece);
  const english = await call("GET", `/v1/reports/${reportId}/preview`, { token: owner.token });
  expect(await english.text()).toContain('<dd dir="auto">Yes</dd>');
  const french = await preview({}, null, '<html lang="fr"><body>{{report.created_on}}</body></html>', german);
  expect(french.html).toContain("19 novembre 2026");
  const spanish = await preview({ language: "es", isSafe: true }, null, "", german);
  expect(spanish.html).toContain('<html lang="es">');
});

test("a language of a layout is the language of the page, with its dates", async () => {
  const { html } = await preview({ lost: "a.jpg" }, null, '<html lang="nb">{{report.updated_on}}{{image "lost"}}');
  expect(html).toContain('<html lang="nb"><head>');
  expect(html).toContain("19. november 2026");
  expect(html).toContain("<strong>Bilde mangler</strong>");
});

test.each([
  ["en", "Contents", "19 November 2026"],
  ["en-US", "Contents", "November 19, 2026"],
  ["en-GB", "Contents", "19 November 2026"],
  ["fr", "Sommaire", "19 novembre 2026"],
  ["es", "Índice", "19 de noviembre de 2026"],
  ["it", "Indice", "19 novembre 2026"],
  ["nl-BE", "Inhoud", "19 november 2026"],
  ["sv", "Innehåll", "19 november 2026"],
  ["no", "Innhold", "19. november 2026"],
  ["nb", "Innhold", "19. november 2026"],
  ["nn-NO", "Innhold", "19. november 2026"],
  ["da", "Indhold", "19. november 2026"],
  ["fi", "Sisällys", "19. marraskuuta 2026"],
  ["ja", "Contents", "2026年11月19日"],
  ["zz", "Contents", "19 November 2026"],
])("the labels of %s are %s …, and its dates %s", (tag, contents, day) => {
  const language = languageOf(tag, "", "UTC");
  expect([language.labels.contents, language.day(LATE)]).toEqual([contents, day]);
});

test("a page in Arabic or Hebrew is laid out from right to left", async () => {
  const { html } = await preview({ language: "ar-EG", body: BODY }, "Africa/Cairo");
  expect(html).toContain('<html lang="ar-EG" dir="rtl">');
  expect(languageOf("he", "", "UTC").direction).toBe("rtl");
  expect(languageOf("az-Arab", "", "UTC").direction).toBe("rtl");
  expect(languageOf("ar-Latn", "", "UTC").direction).toBe("ltr");
});

test.each(["German", "de_DE", "d", 7, ["de"], "de-", '"><script>', `de${"-abcdefgh".repeat(4)}`, "de-u"])(
  "a language that is no tag is a problem, for the preview and the PDF: %j",
  async (language) => {
    const { status, html, reportId, owner } = await preview({ language }, null);
    expect(status).toBe(422);
    expect(html).toContain('\\"language\\"');
    const path = `/v1/reports/${reportId}/generate-pdf`;
    expect((await expectJson(problem, 422, "POST", path, { token: owner.token })).code).toBe("rule-violated");
  },
);
