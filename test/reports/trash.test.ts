import { and, eq, like } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { auditEntries } from "../../src/access/tables";
import { reportSchema } from "../../src/reports/drafts/reports";
import { reportJobSchema } from "../../src/reports/printing/jobs/jobs";
import { reportJobs, reports, reportTemplates } from "../../src/reports/tables";
import { templateSchema } from "../../src/reports/templates/template";
import { trashEntries } from "../../src/workspace/tables";
import { call, codeOf, expectJson, problem } from "../support/call";
import { mintGrant, mintLocation, mintMember, mintOrganization, mintPerson, type Person } from "../support/factories";
import { HubClient } from "../support/hub";
import { endedJobs } from "../support/jobs";
import { mintNotification } from "../support/notifications";
import { eventually } from "../support/patience";
import { mintReport, mintReportJob, mintTemplate } from "../support/reports";
import { bodyOf, join, reportRow } from "../support/rooms";
import { testDatabase } from "../support/statements";
import { emptyTrash, endWindow, idsInTrash, pathOf, purge, remove, restore, trashOf } from "../support/trash";

let organizationId: string;
let owner: Person;
let place: { id: string; clusterId: string };

beforeEach(async () => {
  const organization = await mintOrganization();
  organizationId = organization.id;
  owner = organization.owner;
  place = await mintLocation({ organizationId }, { name: "Lighthouse" });
});

const KINDS = ["report", "report-template"] as const;
type ReportKind = (typeof KINDS)[number];

const mint = async (kind: ReportKind): Promise<string> =>
  kind === "report"
    ? mintReport({ organizationId }, place, { title: "Lamp" })
    : (await mintTemplate({ organizationId }, { displayName: "Lamp" })).id;

/** Whether people find it by the list of its kind. */
async function isListed(kind: ReportKind, id: string): Promise<boolean> {
  const path = kind === "report" ? "/v1/reports?limit=100" : "/v1/reports/templates?limit=100";
  const { items } = (await (await call("GET", path, owner)).json()) as { items: { id: string }[] };
  return items.some((item) => item.id === id);
}

const rowsOf = async (kind: ReportKind, id: string) =>
  kind === "report"
    ? testDatabase().select({ id: reports.id }).from(reports).where(eq(reports.id, id))
    : testDatabase().select({ id: reportTemplates.id }).from(reportTemplates).where(eq(reportTemplates.id, id));

/** Whether the trash has an entry, also one whose window has ended. The job that removes it runs first. */
async function isInTable(id: string): Promise<boolean> {
  await emptyTrash();
  return (await testDatabase().select().from(trashEntries).where(eq(trashEntries.resourceId, id))).length > 0;
}

const audited = (action: string) =>
  testDatabase()
    .select()
    .from(auditEntries)
    .where(and(eq(auditEntries.organizationId, organizationId), like(auditEntries.action, action)))
    .orderBy(auditEntries.action);

describe.each(KINDS)("a deleted %s", (kind) => {
  test("is hidden, is listed in the trash with who and when, and is restored as it was", async () => {
    const member = await mintMember(organizationId, "admin");
    const id = await mint(kind);
    const before = await (await call("GET", "/v1/reports?limit=100", owner)).json();
    expect((await remove(member.token, kind, id)).status).toBe(204);
    expect(await isListed(kind, id)).toBe(false);
    const { items } = await trashOf(owner.token);
    expect(items).toMatchObject([{ kind, id, name: "Lamp", organizationId, deletedBy: member.userId }]);
    const [item] = items;
    expect(item?.deletedByName).not.toBeNull();
    expect(item?.locationId).toBe(kind === "report" ? place.id : null);
    expect(item?.clusterId).toBe(kind === "report" ? place.clusterId : undefined);
    expect(Date.parse(item?.purgeAtUtc ?? "") - Date.parse(item?.deletedAtUtc ?? "")).toBe(30 * 86_400_000);
    expect(await idsInTrash(owner.token, `kind=${kind}`)).toEqual([id]);
    expect(await idsInTrash(owner.token, "kind=document")).toEqual([]);
    await emptyTrash();

    const restored = await restore(owner.token, kind, id);
    expect(restored.status).toBe(200);
    expect(restored.headers.get("etag")).toMatch(/^"1/);
    expect(await restored.json()).toMatchObject({ id, revision: 1 });
    expect(await isListed(kind, id)).toBe(true);
    expect(await (await call("GET", "/v1/reports?limit=100", owner)).json()).toEqual(before);
    expect(await idsInTrash(owner.token)).toEqual([]);
    expect(await codeOf(await restore(owner.token, kind, id))).toBe("409 conflict");
    expect(await audited(`${kind}.%`)).toMatchObject([
      { action: `${kind}.deleted`, subjectId: id, actorUserId: member.userId },
      { action: `${kind}.restored`, subjectId: id, actorUserId: owner.userId },
    ]);
  });

  test("is removed when its window ends, and cannot be restored after that", async () => {
    const id = await mint(kind);
    expect((await remove(owner.token, kind, id)).status).toBe(204);
    await endWindow(id);
    expect(await idsInTrash(owner.token)).toEqual([]);
    expect(await codeOf(await restore(owner.token, kind, id))).toBe("404 not-found");
    await emptyTrash();
    await endedJobs(organizationId, "delete-tree");
    await eventually(async () => expect(await rowsOf(kind, id)).toEqual([]));
    expect(await codeOf(await restore(owner.token, kind, id))).toBe("404 not-found");
  });

  test("can be purged by owners only, from the trash or not, with an audit entry", async () => {
    const admin = await mintMember(organizationId, "admin");
    const id = await mint(kind);
    expect(await codeOf(await purge(admin.token, kind, id))).toBe("403 forbidden");
    expect(await codeOf(await purge((await mintPerson()).token, kind, id))).toBe("404 not-found");
    expect((await remove(admin.token, kind, id)).status).toBe(204);
    expect(await codeOf(await purge(admin.token, kind, id))).toBe("403 forbidden");
    expect((await purge(owner.token, kind, id)).status).toBe(204);
    expect(await idsInTrash(owner.token)).toEqual([]);
    expect(await codeOf(await restore(owner.token, kind, id))).toBe("404 not-found");
    expect(await codeOf(await purge(owner.token, kind, id))).toBe("404 not-found");
    await endedJobs(organizationId, "delete-tree");
    await eventually(async () => expect(await rowsOf(kind, id)).toEqual([]));
    expect(await audited(`${kind}.purged`)).toMatchObject([{ subjectId: id, actorUserId: owner.userId }]);

    const living = await mint(kind);
    expect((await purge(owner.token, kind, living)).status).toBe(204);
    expect(await isListed(kind, living)).toBe(false);
    await endedJobs(organizationId, "delete-tree");
    await eventually(async () => expect(await rowsOf(kind, living)).toEqual([]));
  });

  test("is deleted by one of four requests at once, and restored by one of two", async () => {
    const id = await mint(kind);
    const deletions = await Promise.all([1, 2, 3, 4].map(() => remove(owner.token, kind, id)));
    expect(deletions.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404]);
    expect(await idsInTrash(owner.token)).toEqual([id]);
    const restorations = await Promise.all([restore(owner.token, kind, id), restore(owner.token, kind, id)]);
    expect(restorations.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await isListed(kind, id)).toBe(true);
  });

  test("is either restored or purged when both are asked at once, or its window ends", async () => {
    for (const end of [purge, () => emptyTrash()]) {
      const id = await mint(kind);
      await remove(owner.token, kind, id);
      if (end !== purge) await endWindow(id, Date.now() + 20);
      const [restored, ended] = await Promise.all([restore(owner.token, kind, id), end(owner.token, kind, id)]);
      expect([200, 404, 409]).toContain(restored.status);
      const isPurged = ended instanceof Response && ended.status === 204;
      if (end !== purge) await eventually(async () => expect(await isInTable(id)).toBe(false));
      await endedJobs(organizationId, "delete-tree");
      const isThere = restored.status === 200 && !isPurged;
      expect(await isListed(kind, id)).toBe(isThere);
      await eventually(async () => expect(await rowsOf(kind, id)).toHaveLength(isThere ? 1 : 0));
    }
  });

  test("is for those who may delete it: others get the answer of something that is not there", async () => {
    const id = await mint(kind);
    const reader = await mintPerson();
    await mintGrant({ organizationId }, reader.userId, "location", place.id, { LocationView: "Read", Reports: "Read" });
    const member = await mintMember(organizationId);
    expect((await remove(owner.token, kind, id)).status).toBe(204);
    expect(await idsInTrash(reader.token)).toEqual([]);
    // A member writes reports, and reads templates.
    expect(await idsInTrash(member.token)).toEqual(kind === "report" ? [id] : []);
    const refusals = { report: ["403", "200"], "report-template": ["404", "403"] }[kind];
    expect((await codeOf(await restore(reader.token, kind, id))).slice(0, 3)).toBe(refusals[0]);
    expect(await codeOf(await restore((await mintPerson()).token, kind, id))).toBe("404 not-found");
    const asMember = await restore(member.token, kind, id);
    expect(`${asMember.status}`).toBe(refusals[1]);
  });
});

test("the trash shows a guest the reports of the clusters and locations where the guest may write them", async () => {
  const elsewhere = await mintLocation({ organizationId });
  const [here, there] = [await mint("report"), await mintReport({ organizationId }, elsewhere, { title: "Lens" })];
  const [ofCluster, ofLocation] = [await mintPerson(), await mintPerson()];
  const write = { LocationView: "Read", Reports: "Write" } as const;
  await mintGrant({ organizationId }, ofCluster.userId, "cluster", place.clusterId, write);
  await mintGrant({ organizationId }, ofLocation.userId, "location", elsewhere.id, write);
  for (const id of [here, there]) await remove(owner.token, "report", id);
  expect(await idsInTrash(ofCluster.token)).toEqual([here]);
  expect(await idsInTrash(ofLocation.token)).toEqual([there]);
});

test("the trash of a personal workspace has the reports and templates of its person", async () => {
  const person = await mintPerson();
  const home = await mintLocation({ ownerUserId: person.userId });
  const ids = [
    await mintReport({ ownerUserId: person.userId }, home),
    (await mintTemplate({ ownerUserId: person.userId })).id,
  ] as const;
  for (const [n, kind] of KINDS.entries())
    expect((await remove(person.token, kind, ids[n] as string)).status).toBe(204);
  expect(await idsInTrash(person.token, "organizationId=personal")).toEqual([...ids]);
  expect(await idsInTrash(owner.token)).toEqual([]);
  for (const [n, kind] of KINDS.entries()) {
    expect(await codeOf(await restore(owner.token, kind, ids[n] as string))).toBe("404 not-found");
    expect((await purge(person.token, kind, ids[n] as string)).status).toBe(204);
  }
});

test("the trash lists all kinds in the order of deletion, a page at a time", async () => {
  const other = await mintLocation({ organizationId });
  const [report, template] = [await mint("report"), await mint("report-template")];
  await remove(owner.token, "report", report);
  await remove(owner.token, "location", other.id);
  await remove(owner.token, "report-template", template);
  const all = [report, other.id, template];
  expect([...(await idsInTrash(owner.token))].sort()).toEqual([...all].sort());
  const seen: string[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const page = await trashOf(owner.token, cursor === "" ? "limit=1" : `limit=1&cursor=${cursor}`);
    seen.push(...page.items.map(({ id }) => id));
    cursor = page.nextCursor;
  }
  expect(seen).toEqual(await idsInTrash(owner.token));
});

describe("a template in the trash", () => {
  test("keeps the form of its reports, also after its window, and ends with the last of them", async () => {
    const template = await mintTemplate({ organizationId });
    const report = await mintReport({ organizationId }, place, { templateId: template.id });
    await remove(owner.token, "report-template", template.id);
    const shown = await expectJson(reportSchema, 200, "GET", `/v1/reports/${report}`, owner);
    expect(shown.templateKey).toBe(template.key);
    expect((await call("GET", `/v1/reports/${report}/preview`, owner)).status).toBe(200);
    const create = { ...owner, body: { templateId: template.id } };
    expect((await call("POST", `/v1/reports/locations/${place.id}`, create)).status).toBe(422);
    expect((await purge(owner.token, "report-template", template.id)).status).toBe(204);
    await endedJobs(organizationId, "delete-tree");
    expect((await call("GET", `/v1/reports/${report}/preview`, owner)).status).toBe(200);
    await remove(owner.token, "report", report);
    expect(await rowsOf("report-template", template.id)).toHaveLength(1);
    expect((await restore(owner.token, "report", report)).status).toBe(200);
    expect((await purge(owner.token, "report", report)).status).toBe(204);
    await endedJobs(organizationId, "delete-tree");
    await eventually(async () => expect(await rowsOf("report-template", template.id)).toEqual([]));
  });

  test("stays when its last report is removed, and can be restored", async () => {
    const template = await mintTemplate({ organizationId });
    const report = await mintReport({ organizationId }, place, { templateId: template.id });
    await remove(owner.token, "report-template", template.id);
    await purge(owner.token, "report", report);
    await endedJobs(organizationId, "delete-tree");
    await eventually(async () => expect(await rowsOf("report", report)).toEqual([]));
    expect((await restore(owner.token, "report-template", template.id)).status).toBe(200);
  });

  test("is restored only while no other template has its key", async () => {
    const template = await mintTemplate({ organizationId }, { key: "inspection" });
    await remove(owner.token, "report-template", template.id);
    const body = { key: "inspection", displayName: "Newer", contentTemplateJson: {} };
    const path = `/v1/reports/templates/organizations/${organizationId}`;
    const newer = await expectJson(templateSchema, 201, "POST", path, { ...owner, body });
    expect(await codeOf(await restore(owner.token, "report-template", template.id))).toBe("409 already-exists");
    expect(await idsInTrash(owner.token)).toEqual([template.id]);
    await remove(owner.token, "report-template", newer.id);
    expect((await restore(owner.token, "report-template", template.id)).status).toBe(200);
    expect(await idsInTrash(owner.token)).toEqual([newer.id]);
  });
});

describe("a report in the trash", () => {
  test("cannot be restored before its location, and is removed with it", async () => {
    const id = await mint("report");
    await remove(owner.token, "report", id);
    await remove(owner.token, "location", place.id);
    const refused = await restore(owner.token, "report", id);
    expect(refused.status).toBe(409);
    expect(problem.parse(await refused.json()).detail).toContain(`/v1/spatial/locations/${place.id}/restore`);
    expect((await restore(owner.token, "location", place.id)).status).toBe(200);
    expect(await isListed("report", id)).toBe(false);
    expect(await idsInTrash(owner.token)).toEqual([id]);
    expect((await purge(owner.token, "location", place.id)).status).toBe(204);
    await endedJobs(organizationId, "delete-tree");
    await eventually(async () => expect(await idsInTrash(owner.token)).toEqual([]));
    expect(await codeOf(await restore(owner.token, "report", id))).toBe("404 not-found");
  });

  test("moves with its location to another cluster", async () => {
    const id = await mint("report");
    const other = await mintLocation({ organizationId });
    await remove(owner.token, "report", id);
    const moved = { token: owner.token, body: { clusterId: other.clusterId } };
    expect((await call("PATCH", `/v1/spatial/locations/${place.id}`, moved)).status).toBe(200);
    expect((await trashOf(owner.token)).items).toMatchObject([{ id, clusterId: other.clusterId }]);
  });

  test("has no page, no draft and no room, and its waiting PDFs are cancelled", async () => {
    const id = await mint("report");
    const jobId = await mintReportJob({ organizationId }, id, owner.userId, { status: "queued" });
    await remove(owner.token, "report", id);
    const answers = await Promise.all([
      call("GET", `/v1/reports/${id}`, owner),
      call("GET", `/v1/reports/${id}/preview`, owner),
      call("PUT", `/v1/reports/${id}`, { ...owner, body: { contentJson: {} } }),
      call("POST", `/v1/reports/${id}/generate-pdf`, owner),
      call("POST", `/v1/reports/${id}/collaboration/bootstrap`, owner),
      call("GET", `/v1/reports/jobs/${jobId}`, owner),
      call("POST", `/v1/reports/jobs/${jobId}/cancel`, owner),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404));
    const [job] = await testDatabase().select().from(reportJobs).where(eq(reportJobs.id, jobId));
    expect(job).toMatchObject({ status: "cancelled", snapshot: null });
    await restore(owner.token, "report", id);
    const shown = await expectJson(reportJobSchema, 200, "GET", `/v1/reports/jobs/${jobId}`, owner);
    expect(shown.status).toBe("cancelled");
  });

  test("keeps what people typed in its room last, and its room opens again", async () => {
    const id = await mintReport({ organizationId }, place, { contentJson: { body: "Hello" } });
    const ada = await join(owner.token, id);
    bodyOf(ada).insert(5, " world");
    await eventually(async () => expect((await reportRow(id)).contentJson).toEqual({ body: "Hello world" }));
    expect((await remove(owner.token, "report", id)).status).toBe(204);
    await eventually(() => expect(ada.closed).toEqual([4404]));
    expect((await restore(owner.token, "report", id)).status).toBe(200);
    const again = await join(owner.token, id);
    expect(again.map.toJSON()).toEqual({ body: "Hello world" });
    bodyOf(again).insert(0, "> ");
    await eventually(async () => expect((await reportRow(id)).contentJson).toEqual({ body: "> Hello world" }));
  });

  test("is not in the inbox, and its notifications come back with it", async () => {
    const id = await mint("report");
    const origin = { originType: "report" as const, originId: id, organizationId, locationId: place.id };
    await mintNotification(owner.userId, { type: "report-pdf-ready", ...origin });
    const count = async () => {
      const { items } = (await (await call("GET", "/v1/notifications", owner)).json()) as { items: unknown[] };
      return items.length;
    };
    expect(await count()).toBe(1);
    await remove(owner.token, "report", id);
    expect(await count()).toBe(0);
    await restore(owner.token, "report", id);
    expect(await count()).toBe(1);
  });

  test("is announced as deleted, and as created when it is back", async () => {
    const id = await mint("report");
    const live = await HubClient.connect(owner.token);
    await live.join(place.id);
    const expectAction = (action: string) =>
      live.expectEvent("StateUpdated", ([, payload]) => JSON.stringify(payload).includes(`"${action}"`));
    await remove(owner.token, "report", id);
    await expectAction("deleted");
    await restore(owner.token, "report", id);
    await expectAction("created");
    live.close();
  });
});

test("a report and a template that are not deleted cannot be restored", async () => {
  for (const kind of KINDS)
    expect(await codeOf(await restore(owner.token, kind, await mint(kind)))).toBe("409 conflict");
  expect(pathOf("report-template", "x")).toBe("/v1/reports/templates/x");
});
