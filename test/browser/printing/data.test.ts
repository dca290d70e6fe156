import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { documentVersions } from "../../../src/documents/tables";
import { reportJobSchema } from "../../../src/reports/printing/jobs/jobs";
import { PdfFile, Ref } from "../../../src/reports/printing/standard";
import { Text, wordsOf } from "../../../src/reports/printing/standard/syntax";
import { templateSchema } from "../../../src/reports/templates/template";
import { expectJson } from "../../support/call";
import { mintLocation, mintMember, mintOrganization } from "../../support/factories";
import { mintReport } from "../../support/reports";
import { testDatabase } from "../../support/statements";

// A browser starts slowly on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

const MEBIBYTE = 1024 * 1024;

/** Prints a report of a new template, and reads the files in the PDF as JSON, by their names. */
async function attachedTo(template: object, contentJson: Record<string, unknown>): Promise<Record<string, unknown>> {
  const { id: organizationId, owner } = await mintOrganization();
  const tenant = { organizationId };
  const location = await mintLocation(tenant);
  const writer = await mintMember(organizationId, "member");
  const { id: templateId } = await expectJson(
    templateSchema,
    201,
    "POST",
    `/v1/reports/templates/organizations/${organizationId}`,
    { ...owner, body: { key: "data", displayName: "Data", contentTemplateJson: {}, ...template } },
  );
  const updatedAt = Date.UTC(2026, 10, 20, 9, 30);
  const reportId = await mintReport(tenant, location, { title: "Quay – wall", templateId, contentJson, updatedAt });
  const started = z.object({ jobId: z.string() });
  const { jobId } = await expectJson(started, 202, "POST", `/v1/reports/${reportId}/generate-pdf`, writer);
  const job = await vi.waitFor(
    async () => {
      const read = await expectJson(reportJobSchema, 200, "GET", `/v1/reports/jobs/${jobId}`, writer);
      if (read.finishedAtUtc === null) throw new Error(read.status);
      return read;
    },
    { timeout: 120_000, interval: 100 },
  );
  expect(job.status).toBe("succeeded");
  expect(job.warnings.map(({ code }) => code)).not.toContain("data-not-attached");
  const [made] = await testDatabase()
    .select()
    .from(documentVersions)
    .where(eq(documentVersions.documentId, job.documentId ?? ""));
  const object = await env.BUCKET.get(made?.objectKey ?? "");
  const file = new PdfFile(new Uint8Array((await object?.arrayBuffer()) ?? new ArrayBuffer(0)));
  const found: Record<string, unknown> = {};
  for (const ref of file.list(file.dict(file.trailer.get("Root")).get("AF"))) {
    const specification = file.dict(ref);
    const { number } = z.instanceof(Ref).parse(file.dict(specification.get("EF")).get("F"));
    const name = z.instanceof(Text).parse(specification.get("F"));
    found[wordsOf(name)] = JSON.parse(new TextDecoder().decode(await file.unpacked(number, MEBIBYTE)));
  }
  return found;
}

const DRAFT = {
  inspector: "Ada",
  wind: { speed: 12.5, gusts: 20, note: "secret of the wind" },
  internal: "for our eyes only",
  urgent: true,
  cover: { documentPath: "photos/front.jpg", caption: "North face" },
  frame: { cameraId: "01900000-0000-7000-8000-000000000000", at: "2026-11-19T12:00:00Z" },
  photos: ["photos/a.jpg", { documentPath: "photos/b.jpg", caption: "Second" }],
  findings: [
    { title: "Rust", isPublic: true, cost: 900, tags: ["steel", "west"] },
    { title: "Quarrel with the owner", isPublic: false, cost: 5 },
    { title: "Crack", isPublic: true, cost: 1200, tags: [] },
  ],
  notes: "# Words\n\n<!-- nobody sees this --> ![A](photos/hidden.jpg)",
};

test("a PDF has the fields that its layout shows in it, and nothing else of the draft", async () => {
  const htmlLayoutTemplate = `<h1>{{report.title}}</h1><p>{{inspector}} {{wind.speed}} {{#wind}}{{gusts}}{{/wind}} {{absent}}
    {{#urgent}}Act now{{/urgent}}{{#internal}}There is a note.{{/internal}}</p>
    {{#findings}}{{#isPublic}}<h2>{{title}}</h2><p>{{inspector}}{{#tags}} {{.}}{{/tags}}</p>{{/isPublic}}{{/findings}}
    {{image "cover"}}{{image "frame"}}{{image_list "photos" 2}}{{body_html}}`;
  const cssStylesheetTemplate = "p { color: {{wind.note}} }";
  const files = await attachedTo(
    { htmlLayoutTemplate, cssStylesheetTemplate, bodyFieldPath: "notes", attachesData: true },
    DRAFT,
  );
  expect(files).toEqual({
    "report.json": {
      title: "Quay – wall",
      updatedAtUtc: "2026-11-20T09:30:00.000Z",
      fields: {
        inspector: "Ada",
        wind: { speed: 12.5, gusts: 20 },
        cover: { caption: "North face" },
        frame: { at: "2026-11-19T12:00:00Z" },
        photos: [{ caption: "Second" }],
        findings: [{ title: "Rust", tags: ["steel", "west"] }, { title: "Crack" }],
      },
    },
  });
});

test("a page in the default wrapper has what the wrapper shows", async () => {
  const files = await attachedTo(
    { bodyFieldPath: "notes", attachesData: true },
    { ...DRAFT, long: "x".repeat(3_000), deep: { first: "shown", second: { third: "not shown" } } },
  );
  expect(files).toMatchObject({
    "report.json": {
      fields: {
        inspector: "Ada",
        internal: "for our eyes only",
        urgent: true,
        cover: { caption: "North face" },
        findings: [{ cost: 900, tags: ["steel", "west"] }, { title: "Quarrel with the owner" }, { title: "Crack" }],
        long: "x".repeat(2_000),
        deep: { first: "shown" },
      },
    },
  });
  const written = JSON.stringify(files);
  for (const unseen of ["not shown", "photos/", "01900000", "nobody sees"]) expect(written).not.toContain(unseen);
});

test("a PDF has no data in it unless the template says so", async () => {
  expect(await attachedTo({ bodyFieldPath: "notes" }, DRAFT)).toEqual({});
});
