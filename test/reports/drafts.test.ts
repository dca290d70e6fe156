import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { reportSchema } from "../../src/reports/drafts/reports";
import { reports } from "../../src/reports/tables";
import { templateSchema } from "../../src/reports/templates/template";
import { call, expectJson, problem } from "../support/call";
import {
  addMember,
  mintDocument,
  mintGrant,
  mintLocation,
  mintMember,
  mintOrganization,
  mintPerson,
  mintToken,
} from "../support/factories";
import { endedJobs, keepJobs } from "../support/jobs";
import { mintReport, mintTemplate } from "../support/reports";
import { testDatabase } from "../support/statements";

const newTemplate = (overrides: object = {}) => ({
  key: "inspection",
  displayName: "Site inspection",
  htmlLayoutTemplate: "<h1>{{report.title}}</h1>{{body_html}}",
  contentTemplateJson: { title: "Inspection", body: "" },
  bodyFieldPath: "body",
  ...overrides,
});

const page = z.object({ items: z.array(z.object({ id: z.string() })), nextCursor: z.string().nullable() });
const refusal = problem.extend({
  errors: z.array(z.object({ path: z.string(), message: z.string(), line: z.int(), column: z.int() })).optional(),
});

const mine = "/v1/reports/templates/users/me";
const ofOrganization = (id: string) => `/v1/reports/templates/organizations/${id}`;

describe("a template", () => {
  test("is created, found by its key, replaced and deleted", async () => {
    const { id, owner } = await mintOrganization();
    const created = await expectJson(templateSchema, 201, "POST", ofOrganization(id), {
      ...owner,
      body: newTemplate(),
    });
    expect(created).toMatchObject({
      ownerType: "organization",
      organizationId: id,
      revision: 1,
      cssMediaType: "text/css",
    });
    const byKey = await call("GET", "/v1/reports/templates/inspection", owner);
    expect(templateSchema.parse(await byKey.json())).toEqual(created);
    const path = `/v1/reports/templates/${created.id}`;
    const body = newTemplate({ displayName: "Renamed", baseRevision: 1 });
    const replaced = await expectJson(templateSchema, 200, "PUT", path, { ...owner, body });
    expect(replaced).toMatchObject({ displayName: "Renamed", cssStylesheetTemplate: "", revision: 2 });
    expect((await call("PUT", path, { ...owner, body })).status).toBe(409);
    const stale = { ...owner, body: newTemplate(), headers: { "if-match": '"1"' } };
    expect((await call("PUT", path, stale)).status).toBe(412);
    expect((await call("DELETE", path, owner)).status).toBe(204);
    expect((await call("GET", "/v1/reports/templates/inspection", owner)).status).toBe(404);
    expect((await call("PUT", path, { ...owner, body: newTemplate() })).status).toBe(404);
  });

  test("has a key once for each owner", async () => {
    const { id, owner } = await mintOrganization();
    const make = async (path: string, key: string) =>
      (await call("POST", path, { ...owner, body: newTemplate({ key }) })).status;
    expect([await make(mine, "a"), await make(ofOrganization(id), "a"), await make(ofOrganization(id), "b")]).toEqual([
      201, 201, 201,
    ]);
    expect([await make(mine, "a"), await make(ofOrganization(id), "a")]).toEqual([409, 409]);
    const { id: templateId } = await mintTemplate({ organizationId: id }, { key: "c" });
    const renamed = await call("PUT", `/v1/reports/templates/${templateId}`, {
      ...owner,
      body: newTemplate({ key: "b" }),
    });
    expect(renamed.status).toBe(409);
  });

  test("of the caller comes before a template of an organization; for several, the answer names them", async () => {
    const first = await mintOrganization({ name: "Alders" });
    const second = await mintOrganization({ name: "Birches" });
    await addMember(second.id, first.owner.userId, "guest");
    const mineAt = await mintTemplate({ organizationId: first.id }, { key: "shared" });
    const other = await mintTemplate({ organizationId: second.id }, { key: "shared" });
    const { token } = first.owner;
    const ambiguous = await expectJson(problem, 409, "GET", "/v1/reports/templates/shared", { token });
    expect(ambiguous.code).toBe("ambiguous-key");
    for (const name of ["Alders", first.id, "Birches", second.id]) expect(ambiguous.detail).toContain(name);
    for (const [organizationId, { id }] of [
      [first.id, mineAt],
      [second.id, other],
    ] as const) {
      const path = `/v1/reports/templates/shared?organizationId=${organizationId}`;
      expect((await expectJson(templateSchema, 200, "GET", path, { token })).id).toBe(id);
    }
    const own = await mintTemplate({ ownerUserId: first.owner.userId }, { key: "shared" });
    const found = await expectJson(templateSchema, 200, "GET", "/v1/reports/templates/shared", { token });
    expect(found).toMatchObject({ id: own.id, ownerType: "user", organizationId: null });
  });

  test("of the caller is found beside the templates of more organizations than an answer names", async () => {
    const ids: string[] = [];
    for (let made = 0; made < 11; made++) {
      const { id } = await mintOrganization();
      await mintTemplate({ organizationId: id }, { key: "everywhere" });
      ids.push(id);
    }
    const { userId, token } = await mintPerson();
    for (const id of ids) await addMember(id, userId, "guest");
    const path = "/v1/reports/templates/everywhere";
    const { detail = "" } = await expectJson(problem, 409, "GET", path, { token });
    expect(detail.match(/[0-9a-f]{8}-[0-9a-f-]{27}/g)).toEqual([...ids].sort().slice(0, 10));
    const { id } = await mintTemplate({ ownerUserId: userId }, { key: "everywhere" });
    expect((await expectJson(templateSchema, 200, "GET", path, { token })).id).toBe(id);
  });

  test("is listed for its user or the members of its organization, within the limits of the token", async () => {
    const { id, owner } = await mintOrganization();
    const elsewhere = await mintOrganization();
    const ofMine = await mintTemplate({ ownerUserId: owner.userId });
    const ofOrg = await mintTemplate({ organizationId: id });
    await mintTemplate({ organizationId: id }, { deletedAt: 1 });
    await mintTemplate({ organizationId: elsewhere.id });
    const list = async (token: string, query = "") =>
      (await expectJson(page, 200, "GET", `/v1/reports/templates${query}`, { token })).items.map((t) => t.id);
    // Ids of one millisecond have no order of their own.
    const both = [ofMine.id, ofOrg.id].toSorted();
    expect(await list(owner.token)).toEqual(both);
    expect(await list(owner.token, "?limit=1")).toEqual(both.slice(0, 1));
    expect(await list((await mintMember(id, "guest")).token)).toEqual([ofOrg.id]);
    const forOrganization = await mintToken(owner.userId, { organizationIds: [id] });
    expect(await list(forOrganization.token)).toEqual([ofOrg.id]);
    const forDocuments = await mintToken(owner.userId, { capabilities: { Documents: "Write" } });
    expect(await list(forDocuments.token)).toEqual([]);
    expect((await call("POST", mine, { ...forOrganization, body: newTemplate() })).status).toBe(404);
  });

  test.each([
    ["{{#a}}\n  {{b}}", "htmlLayoutTemplate", 2, 8, "unclosed section"],
    ["one\ntwo {{/a}}", "htmlLayoutTemplate", 2, 5, "unopened section"],
    ["a\n\n  {{ b", "htmlLayoutTemplate", 3, 3, "not closed"],
    ["{{> ../secret}}", "htmlLayoutTemplate", 1, 1, "name of a partial"],
    ["\n {{=<% %>=}}", "htmlLayoutTemplate", 2, 2, "delimiters"],
    ["{{image photo}}", "htmlLayoutTemplate", 1, 1, "neither a path"],
    ['{{image "a" 3}}', "htmlLayoutTemplate", 1, 1, "only one path"],
    [`${"{{#a}}".repeat(17)}${"{{/a}}".repeat(17)}`, "htmlLayoutTemplate", 1, 97, "levels"],
    [`{{{a${" ".repeat(100_000)}`, "htmlLayoutTemplate", 1, 1, "not closed"],
    ['p { background: {{image "a"}} }', "cssStylesheetTemplate", 1, 17, "stylesheet"],
  ])("that cannot be read is refused with line and column: %j", async (text, field, line, column, message) => {
    const { token } = await mintPerson();
    const body = newTemplate({ [field]: text });
    const { code, errors, detail } = await expectJson(refusal, 422, "POST", mine, { token, body });
    expect(code).toBe("template-invalid");
    expect(errors).toEqual([{ path: field, message: expect.stringContaining(message), line, column }]);
    expect(detail).toContain(`line ${line}, column ${column}`);
  });

  test("is refused with a body path that is invalid or does not lead to a text", async () => {
    const { token } = await mintPerson();
    const make = async (overrides: object) =>
      (await call("POST", mine, { token, body: newTemplate(overrides) })).status;
    expect(await make({ bodyFieldPath: "a  b" })).toBe(400);
    expect(await make({ contentTemplateJson: { body: [1] } })).toBe(400);
    expect(await make({ contentTemplateJson: { body: { __proto__: null } } })).toBe(400);
    expect(await make({ cssMediaType: "text/less" })).toBe(400);
    expect(
      await make({ key: "deep", bodyFieldPath: "parts.0.text", contentTemplateJson: { parts: [{ text: "a" }] } }),
    ).toBe(201);
    expect(await make({ key: "absent", bodyFieldPath: "later" })).toBe(201);
  });

  test("that was deleted is kept for its reports, and removed with the last of them", async () => {
    const { id: organizationId, owner } = await mintOrganization();
    const location = await mintLocation({ organizationId });
    const template = await mintTemplate({ organizationId });
    const first = await mintReport({ organizationId }, location, { templateId: template.id });
    const second = await mintReport({ organizationId }, location, { templateId: template.id });
    expect((await call("DELETE", `/v1/reports/templates/${template.id}`, owner)).status).toBe(204);
    const again = await call("POST", ofOrganization(organizationId), {
      ...owner,
      body: newTemplate({ key: template.key }),
    });
    expect(again.status).toBe(201);
    const report = await expectJson(reportSchema, 200, "GET", `/v1/reports/${first}`, owner);
    expect(report).toMatchObject({ templateId: template.id, templateKey: template.key });
    const left = async () =>
      env.DB.prepare("SELECT count(*) AS n FROM report_templates WHERE id = ?").bind(template.id).first("n");
    const purged = async (path: string) => {
      expect((await call("DELETE", `${path}?purge=true`, owner)).status).toBe(204);
      await endedJobs(organizationId, "delete-tree");
    };
    await purged(`/v1/reports/templates/${template.id}`);
    await purged(`/v1/reports/${first}`);
    expect(await left()).toBe(1);
    await purged(`/v1/reports/${second}`);
    expect(await left()).toBe(0);
  });
});

describe("a report", () => {
  const onLocation = async () => {
    const { id: organizationId, owner } = await mintOrganization();
    const location = await mintLocation({ organizationId });
    return { organizationId, owner, location, path: `/v1/reports/locations/${location.id}` };
  };

  test("starts with the template's skeleton or with the given content", async () => {
    const { organizationId, owner, path } = await onLocation();
    const template = await mintTemplate(
      { organizationId },
      { displayName: "Daily", contentTemplateJson: { body: "skeleton" } },
    );
    const first = await expectJson(reportSchema, 201, "POST", path, { ...owner, body: { templateId: template.id } });
    expect(first).toMatchObject({ title: "Daily", contentJson: { body: "skeleton" }, revision: 1, latestPdf: null });
    const body = { templateKey: template.key, title: "Monday", contentJson: { body: "mine", n: [1, { a: null }] } };
    const second = await expectJson(reportSchema, 201, "POST", path, { ...owner, body });
    expect(second).toMatchObject({ title: "Monday", contentJson: body.contentJson, templateId: template.id });
    const list = await expectJson(page, 200, "GET", path, owner);
    expect(list.items.map((item) => item.id)).toEqual([first.id, second.id]);
    expect(JSON.stringify(list)).not.toContain("skeleton");
  });

  test("cannot use a template of another organization or another user", async () => {
    const { owner, path } = await onLocation();
    const elsewhere = await mintOrganization();
    await addMember(elsewhere.id, owner.userId, "owner");
    const stranger = await mintPerson();
    for (const tenant of [{ organizationId: elsewhere.id }, { ownerUserId: stranger.userId }]) {
      const { id, key } = await mintTemplate(tenant);
      for (const choice of [{ templateId: id }, { templateKey: key }])
        expect((await call("POST", path, { ...owner, body: choice })).status).toBe(422);
    }
    const own = await mintTemplate({ ownerUserId: owner.userId });
    expect((await call("POST", path, { ...owner, body: { templateId: own.id } })).status).toBe(201);
    expect((await call("POST", path, { ...owner, body: { templateId: own.id, templateKey: own.key } })).status).toBe(
      400,
    );
  });

  test("can be written by every user with Reports there, even with only a grant, and with the organization's templates", async () => {
    const { organizationId, location, path } = await onLocation();
    const outsider = await mintPerson();
    const { id: templateId } = await mintTemplate({ organizationId });
    expect((await call("POST", path, { ...outsider, body: { templateId } })).status).toBe(404);
    await mintGrant({ organizationId }, outsider.userId, "location", location.id, { Reports: "Write" });
    expect((await call("POST", path, { ...outsider, body: { templateId } })).status).toBe(201);
    const reader = await mintPerson();
    await mintGrant({ organizationId }, reader.userId, "location", location.id, { Reports: "Read" });
    expect((await call("POST", path, { ...reader, body: { templateId } })).status).toBe(403);
    expect((await call("GET", path, reader)).status).toBe(200);
  });

  test("is replaced with its base revision, and viewers of the location are notified", async () => {
    const { organizationId, owner, location } = await onLocation();
    await keepJobs(organizationId);
    const id = await mintReport({ organizationId }, location);
    const put = (body: object, headers = {}) => call("PUT", `/v1/reports/${id}`, { ...owner, body, headers });
    const first = await put({ contentJson: { body: "one" }, baseRevision: 1 });
    expect(reportSchema.parse(await first.json())).toMatchObject({
      revision: 2,
      contentJson: { body: "one" },
      title: "Report",
    });
    expect(first.headers.get("etag")).toBe('"2"');
    expect((await put({ contentJson: { body: "mine" }, baseRevision: 1 })).status).toBe(409);
    expect((await put({ contentJson: { body: "mine" } }, { "if-match": '"1"' })).status).toBe(409);
    expect((await put({ contentJson: {}, baseRevision: 99 })).status).toBe(409);
    expect((await put({ contentJson: {} }, { "if-match": '"99"' })).status).toBe(412);
    const read = await call("GET", `/v1/reports/${id}`, owner);
    const etag = read.headers.get("etag") ?? "";
    expect((await put({ contentJson: { a: 1 }, title: "New" }, { "if-match": etag })).status).toBe(200);
    const unchanged = await call("GET", `/v1/reports/${id}`, { ...owner, headers: { "if-none-match": etag } });
    expect(unchanged.status).toBe(200);
    const both = await Promise.all([1, 2, 3, 4].map((n) => put({ contentJson: { n }, baseRevision: 3 })));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    const told = await endedJobs(organizationId, "announce");
    expect(JSON.stringify(told.map(({ payload }) => payload))).toContain('"subject":"report"');
  });

  test("is merged item by item when two people change a list from one base", async () => {
    const { organizationId, owner, location } = await onLocation();
    const contentJson = { f: ["Crack", "Drain"].map((title) => ({ title, severity: "low" })) };
    const id = await mintReport({ organizationId }, location, { contentJson });
    const put = (f: object[]) =>
      call("PUT", `/v1/reports/${id}`, { ...owner, body: { contentJson: { f }, baseRevision: 1 } });
    const [crack, drain] = contentJson.f;
    if (crack === undefined || drain === undefined) throw new Error("the items are missing");
    const high = { ...crack, severity: "high" };
    expect((await put([drain, crack])).status).toBe(200);
    const merged = await put([high, drain]);
    expect(await merged.json()).toMatchObject({ revision: 3, contentJson: { f: [drain, high] } });
    // A removal and an addition at the same place are no edit of the item there.
    const refused = await put([{ title: "Leak", severity: "low" }, drain]);
    expect(refused.status).toBe(409);
    expect(await refused.json()).toMatchObject({ errors: [{ path: expect.stringMatching(/^contentJson\.f/) }] });
  });

  test("can have a megabyte of JSON, and is limited in depth and number of keys", async () => {
    const { organizationId, owner, location } = await onLocation();
    const id = await mintReport({ organizationId }, location);
    const put = async (contentJson: unknown) =>
      (await call("PUT", `/v1/reports/${id}`, { ...owner, body: { contentJson } })).status;
    const sized = (bytes: number) => ({ body: "é".repeat((bytes - 12) / 2) });
    expect(await put(sized(1_000_000))).toBe(200);
    expect(await put(sized(1_000_002))).toBe(400);
    expect(await put(sized(2_200_000))).toBe(413);
    const nested = (depth: number): unknown => (depth === 1 ? {} : { a: nested(depth - 1) });
    expect(await put(nested(32))).toBe(200);
    expect(await put(nested(33))).toBe(400);
    expect(await put({ a: Array.from({ length: 49_999 }, () => 0) })).toBe(200);
    expect(await put({ a: Array.from({ length: 50_000 }, () => 0) })).toBe(400);
    expect(await put({ ["k".repeat(201)]: 1 })).toBe(400);
    expect(await put([])).toBe(400);
  });

  test.each(["__proto__", "constructor", "prototype"])("refuses a key that reaches a prototype: %s", async (key) => {
    const { organizationId, owner, location } = await onLocation();
    const id = await mintReport({ organizationId }, location);
    const body = `{"contentJson":{"a":[{"${key}":{"polluted":true}}]}}`;
    expect((await call("PUT", `/v1/reports/${id}`, { ...owner, body })).status).toBe(400);
  });

  test("shows its PDF to users who may read that document, while it exists", async () => {
    const { organizationId, owner, location, path } = await onLocation();
    const document = await mintDocument({ organizationId }, location);
    const pdf = { pdfDocumentId: document, pdfVersion: 1, pdfJobId: document, pdfGeneratedAt: 1 };
    const id = await mintReport({ organizationId }, location, pdf);
    const shown = async (token: string) =>
      (await expectJson(reportSchema, 200, "GET", `/v1/reports/${id}`, { token })).latestPdf?.documentId ?? null;
    expect(await shown(owner.token)).toBe(document);
    const reader = await mintToken(owner.userId, { capabilities: { Reports: "Read" } });
    expect(await shown(reader.token)).toBeNull();
    expect((await call("DELETE", `/v1/documents/${document}`, owner)).status).toBe(204);
    expect(await shown(owner.token)).toBeNull();
    expect((await expectJson(page, 200, "GET", path, owner)).items).toHaveLength(1);
  });

  test("moves with its location to another cluster, and is deleted with it", async () => {
    const { organizationId, owner, location } = await onLocation();
    const other = await mintLocation({ organizationId });
    const id = await mintReport({ organizationId }, location);
    const move = { ...owner, body: { clusterId: other.clusterId } };
    expect((await call("PATCH", `/v1/spatial/locations/${location.id}`, move)).status).toBe(200);
    const moved = await expectJson(reportSchema, 200, "GET", `/v1/reports/${id}`, owner);
    expect(moved.clusterId).toBe(other.clusterId);
    expect((await call("DELETE", `/v1/spatial/clusters/${other.clusterId}?purge=true`, owner)).status).toBe(204);
    expect((await call("GET", `/v1/reports/${id}`, owner)).status).toBe(404);
    await endedJobs(organizationId, "delete-tree");
    expect(await testDatabase().select().from(reports).where(eq(reports.id, id))).toEqual([]);
  });
});

describe("the list of all reports", () => {
  const list = z.object({
    items: z.array(
      z.object({
        id: z.string(),
        templateName: z.string(),
        locationName: z.string().nullable(),
        createdByName: z.string().nullable(),
      }),
    ),
    nextCursor: z.string().nullable(),
  });

  test("has the reports of every location that the caller may read, with the names of template, place and author", async () => {
    const { id: organizationId, owner } = await mintOrganization();
    const [pier, dock] = [
      await mintLocation({ organizationId }, { name: "Pier" }),
      await mintLocation({ organizationId }, { name: "Dock" }),
    ];
    const template = await mintTemplate({ organizationId }, { displayName: "Inspection" });
    const templateId = template.id;
    const first = await mintReport({ organizationId }, pier, { templateId, createdBy: owner.userId });
    const second = await mintReport({ organizationId }, dock, { templateId });
    const all = await expectJson(list, 200, "GET", "/v1/reports", owner);
    expect(all.items.map(({ id, locationName, templateName }) => [id, locationName, templateName])).toEqual([
      [first, "Pier", "Inspection"],
      [second, "Dock", "Inspection"],
    ]);
    expect(all.items.map(({ createdByName }) => createdByName)).toEqual([expect.any(String), null]);
    const page = await expectJson(list, 200, "GET", "/v1/reports?limit=1", owner);
    expect(page.items.map(({ id }) => id)).toEqual([first]);
    const next = await expectJson(list, 200, "GET", `/v1/reports?limit=1&cursor=${page.nextCursor}`, owner);
    expect([next.items.map(({ id }) => id), next.nextCursor]).toEqual([[second], null]);
    expect((await expectJson(list, 200, "GET", "/v1/reports?organizationId=personal", owner)).items).toEqual([]);
    const guest = await mintPerson();
    await mintGrant({ organizationId }, guest.userId, "location", dock.id, { Reports: "Read" });
    const shared = await expectJson(list, 200, "GET", "/v1/reports", guest);
    expect(shared.items.map(({ id }) => id)).toEqual([second]);
    await call("DELETE", `/v1/spatial/locations/${dock.id}`, owner);
    expect((await expectJson(list, 200, "GET", "/v1/reports", owner)).items.map(({ id }) => id)).toEqual([first]);
  });
});
