import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { MAX_TEMPLATE_HISTORY_BYTES, MAX_TEMPLATE_REVISIONS } from "../../src/reports/limits";
import { listedRevisionSchema, revisionSchema } from "../../src/reports/templates/history";
import { templateSchema } from "../../src/reports/templates/template";
import { call, codeOf, expectJson, problem } from "../support/call";
import { mintLocation, mintMember, mintOrganization, mintPerson, type Person } from "../support/factories";
import { endedJobs } from "../support/jobs";
import { eventually } from "../support/patience";
import { mintReport } from "../support/reports";
import { purge, remove, restore } from "../support/trash";

let organizationId: string;
let ada: Person;
let bob: Person;
let id: string;
let path: string;

const bodyOf = (text: string) => ({
  key: "inspection",
  displayName: `Inspection ${text}`,
  htmlLayoutTemplate: `<main>${text}</main>`,
  contentTemplateJson: { body: text },
  bodyFieldPath: "body",
});

beforeEach(async () => {
  const organization = await mintOrganization();
  organizationId = organization.id;
  ada = organization.owner;
  bob = await mintMember(organizationId, "admin");
  const create = `/v1/reports/templates/organizations/${organizationId}`;
  ({ id } = await expectJson(templateSchema, 201, "POST", create, { ...ada, body: bodyOf("one") }));
  path = `/v1/reports/templates/${id}`;
});

const save = (person: Person, text: string, baseRevision?: number) =>
  call("PUT", path, { token: person.token, body: { ...bodyOf(text), ...(baseRevision && { baseRevision }) } });

const listSchema = z.object({ items: z.array(listedRevisionSchema), nextCursor: z.string().nullable() });
const list = (person = ada, query = "") => expectJson(listSchema, 200, "GET", `${path}/revisions?${query}`, person);
const revision = (n: number) => expectJson(revisionSchema, 200, "GET", `${path}/revisions/${n}`, ada);
const restoreTo = (n: number, person: Person, ifMatch?: string) =>
  call("POST", `${path}/revisions/${n}/restore`, {
    token: person.token,
    ...(ifMatch !== undefined && { headers: { "if-match": ifMatch } }),
  });

describe("the history of a template", () => {
  test("keeps whether PDFs have the data of the report", async () => {
    const attachesData = true;
    const saved = await expectJson(templateSchema, 200, "PUT", path, {
      ...ada,
      body: { ...bodyOf("two"), attachesData },
    });
    expect(saved.attachesData).toBe(true);
    expect((await save(ada, "three")).status).toBe(200);
    expect([await revision(1), await revision(2), await revision(3)].map((one) => one.attachesData)).toEqual([
      false,
      true,
      false,
    ]);
    expect((await restoreTo(2, ada)).status).toBe(200);
    expect((await revision(4)).attachesData).toBe(true);
  });

  test("lists each saved revision with person and time, and has the sources of each", async () => {
    expect((await list()).items).toMatchObject([{ revision: 1, isCurrent: true, savedBy: ada.userId }]);
    expect((await save(ada, "two")).status).toBe(200);
    expect((await save(bob, "three", 2)).status).toBe(200);
    const { items } = await list();
    expect(items).toMatchObject([
      { revision: 3, displayName: "Inspection three", isCurrent: true, savedBy: bob.userId },
      { revision: 2, displayName: "Inspection two", isCurrent: false, savedBy: ada.userId },
      { revision: 1, displayName: "Inspection one", isCurrent: false, savedBy: ada.userId },
    ]);
    for (const item of items) expect(item.savedByName).not.toBeNull();
    for (const [n, text] of ["one", "two", "three"].entries())
      expect(await revision(n + 1)).toMatchObject({
        htmlLayoutTemplate: `<main>${text}</main>`,
        contentTemplateJson: { body: text },
      });
    const first = await list(ada, "limit=2");
    expect(first.items.map((item) => item.revision)).toEqual([3, 2]);
    const next = await list(ada, `limit=2&cursor=${first.nextCursor}`);
    expect(next.items.map((item) => item.revision)).toEqual([1]);
    expect(await codeOf(await call("GET", `${path}/revisions/4`, ada))).toBe("404 not-found");
  });

  test("is for those who see the template, and is restored by those who may change it", async () => {
    const member = await mintMember(organizationId);
    const stranger = await mintPerson();
    await save(ada, "two");
    expect((await list(member)).items).toHaveLength(2);
    expect(await codeOf(await restoreTo(1, member))).toBe("403 forbidden");
    for (const one of ["/revisions", "/revisions/1"])
      expect(await codeOf(await call("GET", path + one, stranger))).toBe("404 not-found");
    expect(await codeOf(await restoreTo(1, stranger))).toBe("404 not-found");
  });

  test("restores a revision as the next one, under the present key", async () => {
    await save(ada, "two");
    const renamed = { ...bodyOf("three"), key: "round", baseRevision: 2 };
    expect((await call("PUT", path, { ...ada, body: renamed })).status).toBe(200);
    const restored = await restoreTo(1, ada, '"3"');
    expect(restored.status).toBe(200);
    expect(restored.headers.get("etag")).toBe('"4"');
    expect(await restored.json()).toMatchObject({ key: "round", displayName: "Inspection one", revision: 4 });
    expect((await list()).items.map((item) => item.revision)).toEqual([4, 3, 2, 1]);
    expect(await codeOf(await restoreTo(2, ada, '"3"'))).toBe("412 precondition-failed");
    expect(await codeOf(await restoreTo(9, ada))).toBe("404 not-found");
    expect(await (await restoreTo(4, ada)).json()).toMatchObject({ revision: 4 });
  });

  test("stays while the template is in the trash, and ends with it", async () => {
    await save(ada, "two");
    await remove(ada.token, "report-template", id);
    expect(await codeOf(await call("GET", `${path}/revisions`, ada))).toBe("404 not-found");
    await restore(ada.token, "report-template", id);
    expect((await list()).items).toHaveLength(2);
    await purge(ada.token, "report-template", id);
    await endedJobs(organizationId, "delete-tree");
    const count = "SELECT count(*) AS n FROM report_template_revisions WHERE template_id = ?";
    await eventually(async () => expect(await env.DB.prepare(count).bind(id).first("n")).toBe(0));
  });

  test("keeps the newest revisions, up to a number and a size", async () => {
    const copy = (first: number, last: number, bytes: number) =>
      env.DB.prepare(
        `INSERT INTO report_template_revisions (template_id, revision, display_name, saved_at, size_bytes,
           html_layout_template, css_stylesheet_template, css_media_type, content_template_json)
         WITH RECURSIVE n (i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
         SELECT ?3, i, 'Earlier', 1, ?4, '', '', 'text/css', '{}' FROM n`,
      )
        .bind(first, last, id, bytes)
        .run();
    await env.DB.prepare("UPDATE report_templates SET revision = 100 WHERE id = ?").bind(id).run();
    await copy(1, 99, 10);
    expect((await save(ada, "two")).status).toBe(200);
    const kept = (await list(ada, "limit=100")).items.map((item) => item.revision);
    expect(kept).toEqual(Array.from({ length: MAX_TEMPLATE_REVISIONS + 1 }, (_, n) => 101 - n));
    await env.DB.prepare("UPDATE report_template_revisions SET size_bytes = ? WHERE template_id = ?")
      .bind(MAX_TEMPLATE_HISTORY_BYTES / 4, id)
      .run();
    expect((await save(ada, "three")).status).toBe(200);
    // The revision that was replaced has some bytes, so three others have room beside it.
    expect((await list()).items.map((item) => item.revision)).toEqual([102, 101, 100, 99, 98]);
  });
});

describe("a write of a template", () => {
  test("without a base does not replace the work of another person", async () => {
    expect((await save(bob, "two")).status).toBe(200);
    expect((await save(bob, "three")).status).toBe(200);
    const refused = await save(ada, "four");
    expect(refused.status).toBe(409);
    const said = problem.extend({ currentRevision: z.int() }).parse(await refused.json());
    expect(said).toMatchObject({ code: "stale-revision", currentRevision: 3 });
    expect(await codeOf(await restoreTo(1, ada))).toBe("409 stale-revision");
    expect(await codeOf(await save(ada, "four", 2))).toBe("409 stale-revision");
    expect((await save(ada, "four", 3)).status).toBe(200);
    expect((await save(ada, "five")).status).toBe(200);
    expect(await codeOf(await save(bob, "six"))).toBe("409 stale-revision");
    const anyway = { token: bob.token, body: bodyOf("six"), headers: { "if-match": "*" } };
    expect((await call("PUT", path, anyway)).status).toBe(200);
  });

  test("keeps the reports that use it, which are shown with the newest revision", async () => {
    const location = await mintLocation({ organizationId });
    const report = await mintReport({ organizationId }, location, { templateId: id });
    await save(ada, "two");
    const page = async () => (await call("GET", `/v1/reports/${report}/preview`, ada)).text();
    expect(await page()).toContain("<main>two</main>");
    await restoreTo(1, ada);
    expect(await page()).toContain("<main>one</main>");
  });
});
