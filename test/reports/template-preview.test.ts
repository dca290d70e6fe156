import { expect, test } from "vitest";
import { call } from "../support/call";
import { mintLocation, mintOrganization, mintPerson } from "../support/factories";
import { mintReport } from "../support/reports";

/* The preview of a template that is not stored yet. */

const template = (more: object = {}) => ({
  key: "round",
  displayName: "Daily round",
  htmlLayoutTemplate: "<style>{{stylesheet_css}}</style><h1>{{report.title}}</h1><p>{{inspector}}</p>{{body_html}}",
  cssStylesheetTemplate: "h1 { color: teal }",
  contentTemplateJson: { inspector: "Nobody yet", notes: "**Dry** ![Front](front.jpg)" },
  bodyFieldPath: "notes",
  ...more,
});

const path = "/v1/reports/templates/preview";

test("shows the skeleton with the styles, and a placeholder for each picture", async () => {
  const { id: organizationId, owner } = await mintOrganization();
  const response = await call("POST", path, { ...owner, body: template({ organizationId }) });
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/html; charset=UTF-8"]);
  expect(response.headers.get("content-security-policy")).toContain("sandbox; default-src 'none'");
  const page = await response.text();
  for (const piece of ["color: teal", "<h1>Daily round</h1>", "Nobody yet", "<strong>Dry</strong>", "report-missing"])
    expect(page).toContain(piece);
  const own = await call("POST", path, { ...owner, body: template() });
  expect(await own.text()).toContain("Nobody yet");
});

test("shows a report that the caller may read as it would be", async () => {
  const { id: organizationId, owner } = await mintOrganization();
  const location = await mintLocation({ organizationId });
  const contentJson = { inspector: "Olav", notes: "Sound." };
  const reportId = await mintReport({ organizationId }, location, { title: "Monday", contentJson });
  const body = template({ organizationId, reportId });
  const page = await (await call("POST", path, { ...owner, body })).text();
  for (const piece of ["<h1>Monday</h1>", "<p>Olav</p>", "Sound."]) expect(page).toContain(piece);
  const stranger = await mintPerson();
  expect((await call("POST", path, { ...stranger, body: template({ reportId }) })).status).toBe(404);
});

test("names the line of an error", async () => {
  const { owner } = await mintOrganization();
  const body = template({ htmlLayoutTemplate: "<h1>\n  {{#open}}\n</h1>" });
  const response = await call("POST", path, { ...owner, body });
  expect(response.status).toBe(422);
  expect(await response.json()).toMatchObject({
    code: "template-invalid",
    errors: [{ path: "htmlLayoutTemplate", line: expect.any(Number), column: expect.any(Number) }],
  });
});
