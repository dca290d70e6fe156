import { describe, expect, test } from "vitest";
import { MAX_TEMPLATE_WARNINGS } from "../../src/reports/limits";
import { formatterIn, parseTemplate, renderTemplate, type TemplateProblem } from "../../src/reports/templating";
import { call } from "../support/call";
import { mintLocation, mintOrganization } from "../support/factories";
import { refusal, shown } from "../support/rendered";
import { mintReport } from "../support/reports";

/* Numbers, days and times in the form of the page's language. */

const VIEW = {
  price: 1234567.5,
  text: "1234567.50",
  small: "0.000001",
  exact: "12345678901234567890.12",
  share: 0.256,
  cold: -3.5,
  day: "2026-11-19",
  moment: "2026-11-19T23:30:00Z",
  offset: "2026-11-19T23:30:00+0200",
  local: "2026-11-19T07:05",
  clock: "07:05",
  empty: "",
  nothing: null,
  word: 'about <b>"5"</b>',
  leap: "2026-02-31",
  rows: [{ price: 1 }, { price: "2.345" }, { price: "n/a" }],
  report: { created_at_utc: "2026-11-19T23:30:00.000Z" },
};

function render(text: string, tag = "de", timeZone = "Europe/Berlin", source = "htmlLayoutTemplate" as const) {
  const problems: TemplateProblem[] = [];
  const format = formatterIn({ tags: [tag], timeZone });
  const note = (problem: TemplateProblem) => problems.push(problem);
  const nodes = parseTemplate(source, text);
  const page = shown(renderTemplate({ source, text, nodes, view: VIEW, format, note }));
  // The spaces of `Intl` are no-break spaces of several widths.
  return { page: page.replace(/[\u00a0\u202f]/g, " "), problems };
}

describe("a template writes", () => {
  test.each([
    ['{{number "price"}}', "de", "1.234.567,5"],
    ['{{number "price" digits=2}}', "fr", "1 234 567,50"],
    ['{{number "price" digits=0-1}}', "en", "1,234,567.5"],
    ['{{number "text" digits="2" grouping=off}}', "de", "1234567,50"],
    ['{{number "exact" digits=2}}', "en", "12,345,678,901,234,567,890.12"],
    ['{{number "small" digits=0-8}}', "en", "0.000001"],
    ['{{number "price" currency=EUR}}', "de", "1.234.567,50 €"],
    ['{{number "price" currency=jpy}}', "en", "¥1,234,568"],
    ['{{number "share" style=percent digits=1}}', "de", "25,6 %"],
    ['{{number "cold" unit=celsius}}', "de", "-3,5 °C"],
    ['{{ number  "cold"   unit=kilometer-per-hour }}', "en", "-3.5 km/h"],
    ['{{number "rows.1.price" digits=1}}', "en", "2.3"],
    ['{{date "day"}}', "de", "19. November 2026"],
    ['{{date "day" style=full}}', "en", "Thursday, November 19, 2026"],
    ['{{date "day" style=short}}', "es", "19/11/26"],
    ['{{date "moment"}}', "de", "20. November 2026"],
    ['{{date "moment" zone=America/New_York}}', "de", "19. November 2026"],
    ['{{date "report.created_at_utc" style=medium}}', "de", "20.11.2026"],
    ['{{date_time "moment" style=medium}}', "de", "20.11.2026, 00:30"],
    ['{{date_time "moment" style=short time=long zone=UTC}}', "de", "19.11.26, 23:30:00 UTC"],
    ['{{date_time "offset" style=short}}', "de", "19.11.26, 22:30"],
    ['{{date_time "local" style=short zone=Asia/Tokyo time=full}}', "de", "19.11.26, 07:05:00"],
    ['{{time "moment"}}|{{time "local"}}|{{time "clock"}}', "de", "00:30|07:05|07:05"],
    ['{{time "clock" style=medium}}', "en-US", "7:05:00 AM"],
    ['{{#rows}}{{number "price" digits=2}};{{/rows}}', "de", "1,00;2,35;n/a;"],
    ['[{{number "empty"}}{{number "nothing"}}{{date "missing"}}]', "de", "[]"],
  ])("%s in %s", (text, tag, expected) => {
    expect(render(text, tag).page).toBe(expected);
  });

  test("a value without such a form as it is, escaped, and names it", () => {
    const { page, problems } = render(
      '{{number "word"}} {{date "leap"}} {{date_time "day"}} {{time "price"}} {{number "rows"}}',
    );
    expect(page).toBe("about &lt;b&gt;&quot;5&quot;&lt;/b&gt; 2026-02-31 2026-11-19 1234567.5 ");
    expect(problems).toMatchObject([
      { code: "value-not-a-number", name: "word" },
      { code: "value-not-a-date", name: "leap", value: "2026-02-31" },
      { code: "value-not-a-date", name: "day" },
      { code: "value-not-a-date", name: "price" },
      { code: "value-not-a-number", name: "rows" },
    ]);
  });

  test("a value into a stylesheet only as a value", () => {
    const { page } = render(
      'p { content: "{{number "word"}} {{number "share"}}" }',
      "de",
      "UTC",
      "cssStylesheetTemplate" as never,
    );
    expect(page).toBe('p { content: "about \\3c b\\3e \\22 5\\22 \\3c /b\\3e  0,256" }');
  });

  test.each([
    ['{{number "price" digits=11}}', "digits is a number"],
    ['{{number "price" digits=3-1}}', "digits is a number"],
    ['{{number "price" currency=EURO}}', "currency is a code"],
    ['{{number "price" unit=kilonewton}}', "unit is a name"],
    ['{{number "price" unit=meter currency=EUR}}', "only one of"],
    ['{{number "price" style=long}}', "the style of a number is percent"],
    ['{{number "price" decimals=2}}', "the helper number has no option decimals"],
    ['{{date "day" style=huge}}', "style is one of"],
    ['{{date "day" time=short}}', "the helper date has no option time"],
    ['{{date_time "day" zone=Mars/Base}}', "zone is the name"],
    ['{{number "a..b"}}', '"a..b" is not a path'],
    ["{{number price}}", "is neither a path"],
    ['{{number "price" digits=2 x}}', "is neither a path"],
  ])("and refuses %s at its place", (text, expected) => {
    const said = refusal(() => render(`ab${text}`));
    expect(said).toMatch(/^template-invalid: htmlLayoutTemplate, line 1, column 3: /);
    expect(said).toContain(expected);
  });
});

test("a preview has the language of the draft and the zone of the location, and names bad values in its head", async () => {
  const { id: organizationId, owner } = await mintOrganization();
  const location = await mintLocation({ organizationId });
  const moved = await call("PATCH", `/v1/spatial/locations/${location.id}`, {
    ...owner,
    body: { timeZone: "Asia/Tokyo" },
  });
  expect(moved.status).toBe(200);
  const contentJson = { language: "de", at: "2026-11-19T20:00:00Z", price: "12.5", late: 'soon "<i>"' };
  const reportId = await mintReport({ organizationId }, location, { contentJson });
  const body = {
    key: "bill",
    displayName: "Bill",
    htmlLayoutTemplate: '<p>{{date_time "at" style=short}}|{{number "price" currency=EUR}}|{{date "late"}}</p>',
    contentTemplateJson: {},
    organizationId,
    reportId,
  };
  const page = await (await call("POST", "/v1/reports/templates/preview", { ...owner, body })).text();
  expect(page.replaceAll("\u00a0", " ")).toContain("<p>20.11.26, 05:00|12,50 €|soon &quot;&lt;i&gt;&quot;</p>");
  expect(page).toContain(
    '<meta name="report-warning" content="value-not-a-date" data-at="late: soon &quot;&lt;i&gt;&quot;"',
  );
});

test("a preview names each bad value once, up to the most warnings of a page", async () => {
  const { owner } = await mintOrganization();
  const body = {
    key: "many",
    displayName: "Many",
    htmlLayoutTemplate: '{{#same}}{{number "."}}{{/same}}{{#all}}{{number "."}};{{/all}}',
    contentTemplateJson: { same: ["x", "x", "x"], all: Array.from({ length: 30 }, (_, at) => `no ${at}`) },
  };
  const page = await (await call("POST", "/v1/reports/templates/preview", { ...owner, body })).text();
  const named = [...page.matchAll(/name="report-warning" content="value-not-a-number" data-at="\.: ([^"]*)"/g)];
  expect(named.map(([, words]) => words)).toEqual([
    "x",
    ...Array.from({ length: MAX_TEMPLATE_WARNINGS - 1 }, (_, at) => `no ${at}`),
  ]);
});
