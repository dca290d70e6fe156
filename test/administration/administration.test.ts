import { and, eq, inArray, sql } from "drizzle-orm";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { auditEntries } from "../../src/access/tables";
import {
  administeredJobSchema,
  lanesSchema,
  listJobs as listAdministered,
  readLanes,
} from "../../src/administration/jobs/jobs";
import { MAX_COUNTED_JOBS } from "../../src/administration/limits";
import {
  administeredOrganizationSchema,
  type Chosen,
  findByName,
  type NameKey,
} from "../../src/administration/organizations/organizations";
import type { Context } from "../../src/platform/context";
import type { JobKind } from "../../src/platform/jobs/kinds";
import { jobs } from "../../src/platform/jobs/tables";
import { nameMatcher } from "../../src/search";
import { found } from "../search/searching";
import { call, codeOf, expectJson } from "../support/call";
import { mintLocation, mintMember, mintOrganization, mintPerson, type Person } from "../support/factories";
import { insertJob, systemContext } from "../support/job-rows";
import { eventually } from "../support/patience";
import fc from "../support/properties";
import { rowsRead } from "../support/rows-read";
import { testDatabase } from "../support/statements";

const jobPage = z.object({ items: z.array(administeredJobSchema), nextCursor: z.string().nullable() });
const organizationPage = z.object({
  items: z.array(administeredOrganizationSchema),
  nextCursor: z.string().nullable(),
});
const rerunAnswer = z.object({ rerun: z.int(), remaining: z.boolean() });

let admin: Person;
beforeEach(async () => {
  admin = await mintPerson({ isAdmin: true });
});

const listJobs = (query: string) => expectJson(jobPage, 200, "GET", `/v1/admin/jobs?${query}`, admin);
const rerun = (body: object) => expectJson(rerunAnswer, 202, "POST", "/v1/admin/jobs/rerun", { ...admin, body });
const mintFailed = (kind: JobKind, payload: unknown, more: { tenantId?: string; finishedAt?: number } = {}) =>
  insertJob({
    kind,
    payload,
    status: "failed",
    attempts: 6,
    errorCode: "internal",
    errorDetail: "It stopped unexpectedly.",
    finishedAt: Date.now(),
    ...more,
  });

describe("jobs", () => {
  test("a failed job is listed with its error and organization, and does its work when it runs again", async () => {
    const organization = await mintOrganization();
    const location = await mintLocation({ organizationId: organization.id }, { name: "Lantern quay" });
    const payload = { type: "location" as const, id: location.id };
    const jobId = await mintFailed("index-asset", payload, { tenantId: organization.id });
    expect((await listJobs("kind=index-asset")).items).toContainEqual(
      expect.objectContaining({
        id: jobId,
        status: "failed",
        lane: "light",
        attempts: 6,
        error: { code: "internal", detail: "It stopped unexpectedly." },
        organization: { id: organization.id, name: expect.any(String) },
        canRerun: true,
      }),
    );
    expect(await found(organization.owner.token, "lantern")).toEqual([]);
    const body = { jobIds: [jobId] };
    expect(await rerun(body)).toEqual({ rerun: 1, remaining: false });
    await eventually(async () => {
      expect(await found(organization.owner.token, "lantern")).toHaveLength(1);
    });
    expect((await listJobs("kind=index-asset")).items.map(({ id }) => id)).not.toContain(jobId);
    expect(await rerun(body)).toEqual({ rerun: 0, remaining: false });
    const [entry] = await testDatabase()
      .select()
      .from(auditEntries)
      .where(and(eq(auditEntries.action, "jobs.rerun"), eq(auditEntries.subjectId, jobId)));
    expect(entry).toMatchObject({
      actorUserId: admin.userId,
      details: { jobs: [{ jobId, newJobId: expect.any(String) }] },
    });
  });

  test("a job whose failure its person sees cannot run again", async () => {
    const jobId = await mintFailed("prepare-export", { exportId: crypto.randomUUID() });
    const [job] = (await listJobs("kind=prepare-export")).items;
    expect(job).toMatchObject({ id: jobId, canRerun: false });
    const one = await call("POST", "/v1/admin/jobs/rerun", { ...admin, body: { jobIds: [jobId] } });
    expect(await codeOf(one)).toBe("422 rule-violated");
    const all = await call("POST", "/v1/admin/jobs/rerun", { ...admin, body: { kind: "prepare-export" } });
    expect(await codeOf(all)).toBe("422 rule-violated");
  });

  test("all failed jobs of a kind run again, jobs of other kinds stay, and pages follow each other", async () => {
    const now = Date.now();
    const mint = (n: number) => mintFailed("end-report-rooms", { reportIds: [] }, { finishedAt: now - n * 1_000 });
    const ids = [await mint(1), await mint(3), await mint(2)];
    const other = await mintFailed("mail-password-reset", { email: "nobody@people.test" });
    const listed: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const more: string = cursor === "" ? "" : `&cursor=${cursor}`;
      const page = await listJobs(`kind=end-report-rooms&limit=1${more}`);
      listed.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    expect(listed).toEqual([ids[0], ids[2], ids[1]]);
    const body = { kind: "end-report-rooms" };
    expect(await rerun(body)).toEqual({ rerun: 3, remaining: false });
    expect((await listJobs("kind=end-report-rooms")).items).toEqual([]);
    expect((await listJobs("kind=mail-password-reset")).items.map(({ id }) => id)).toEqual([other]);
    expect(await rerun(body)).toEqual({ rerun: 0, remaining: false });
  });

  test("the lanes count what waits, runs and failed, and open jobs come in the order in which they are due", async () => {
    const dueAt = Date.now() - 60_000;
    // One job that waits for a slot, one in the queue with a failed try, and one that runs. They are due far in the
    // future, so that no worker takes them.
    const later = Date.now() + 3_600_000;
    const payload = { documentId: crypto.randomUUID(), version: 1 };
    const inLine = await insertJob({ kind: "extract-document", payload, sentAt: null, runAt: dueAt, tenantId: "none" });
    const retried = { attempts: 2, errorCode: "unavailable", errorDetail: "A part of the service did not answer." };
    const waiting = await insertJob({ kind: "extract-document", payload, runAt: later, sentAt: later, ...retried });
    const lease = { leaseToken: "held", leaseUntil: later, startedAt: dueAt };
    const running = await insertJob({
      kind: "extract-document",
      payload,
      status: "running",
      runAt: later + 1,
      ...lease,
    });
    const { items } = await expectJson(lanesSchema, 200, "GET", "/v1/admin/queues", admin);
    const lane = items.find((one) => one.lane === "extraction");
    expect(lane).toMatchObject({ inLine: 1, inQueue: 1, running: 1, oldestDueAtUtc: new Date(dueAt).toISOString() });
    const open = (await listJobs("state=open&lane=extraction")).items;
    expect(open.map(({ id, status }) => [id, status])).toEqual([
      [inLine, "queued"],
      [waiting, "queued"],
      [running, "running"],
    ]);
    expect(open[1]).toMatchObject({ error: { code: "unavailable" }, canRerun: false });
    expect((await listJobs("state=open&lane=extraction&limit=2")).nextCursor).not.toBeNull();
    await testDatabase()
      .delete(jobs)
      .where(inArray(jobs.id, [inLine, waiting, running]));
  });
});

describe("a hundred times as many waiting jobs", () => {
  /** Puts jobs of one workspace in line, due one after the other from this time on. */
  const putInLine = (count: number, tenantId: string, dueAt: number) =>
    testDatabase().run(sql`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
      INSERT INTO jobs (id, kind, lane, tenant_id, payload, status, run_at, request_id, created_at)
      SELECT printf('%08x-0000-7000-8000-%012x', ${dueAt} % 4294967296, i), 'extract-document', 'extraction', ${tenantId}, '{}', 'queued',
        ${dueAt} + i, 'test', ${dueAt} FROM n`);
  const rowsReadBy = (work: (context: Context) => Promise<unknown>) =>
    rowsRead((workspace) =>
      work({ ...systemContext(), workspace, caller: { kind: "session", isAdmin: true } } as unknown as Context),
    );
  const open = { state: "open", limit: 20, cursor: undefined } as const;

  test("cost a page of the list no more rows, and the counts at most their maximum", async () => {
    const now = Date.now();
    onTestFinished(async () => void (await testDatabase().delete(jobs).where(eq(jobs.requestId, "test"))));
    await putInLine(200, "small", now - 50_000);
    await putInLine(300, "large", now - 900_000);
    const page = (context: Context) => listAdministered(context, open);
    const few = await rowsReadBy(page);
    await putInLine(20_000, "large", now - 800_000);
    expect(await rowsReadBy(page)).toBeLessThan(2 * few);
    expect(await rowsReadBy(readLanes)).toBeLessThan(3 * MAX_COUNTED_JOBS);
    const { items } = await expectJson(lanesSchema, 200, "GET", "/v1/admin/queues", admin);
    expect(items.find(({ lane }) => lane === "extraction")).toMatchObject({
      isExact: false,
      inLine: MAX_COUNTED_JOBS,
    });
    expect(items.find(({ lane }) => lane === "printing")).toMatchObject({ isExact: true, inLine: 0 });
    // The jobs of both workspaces, in the order in which they are due.
    const first = await listJobs("state=open&lane=extraction&limit=100");
    const second = await listJobs(`state=open&kind=extract-document&limit=100&cursor=${first.nextCursor}`);
    const due = [...first.items, ...second.items].map(({ dueAtUtc }) => Date.parse(dueAtUtc));
    expect(due).toEqual(Array.from({ length: 200 }, (_, index) => now - 900_000 + index + 1));
  });
});

describe("organizations", () => {
  const list = (query: string) => expectJson(organizationPage, 200, "GET", `/v1/admin/organizations?${query}`, admin);

  test("are found by a part of their name, with their members and use", async () => {
    const name = `Quay ${crypto.randomUUID()} 100%`;
    const organization = await mintOrganization({ name });
    await mintMember(organization.id);
    await mintLocation({ organizationId: organization.id });
    await mintOrganization({ name: name.replace("%", "x") });
    const [one, ...others] = (await list(`search=${encodeURIComponent(name.slice(5).toLowerCase())}`)).items;
    expect(others).toEqual([]);
    expect(one).toMatchObject({
      id: organization.id,
      name,
      memberCount: 2,
      locationCount: 1,
      cameraCount: 0,
      entitlements: { usage: { usedBytes: 0, reservedBytes: 0, jobsThisMonth: 0 } },
    });
    expect((await list(`search=${organization.id}`)).items.map(({ id }) => id)).toEqual([organization.id]);
  });

  test("are paged in the order of their names, whatever their case", async () => {
    const mark = crypto.randomUUID();
    for (const name of [`b ${mark}`, `C ${mark}`, `A ${mark}`]) await mintOrganization({ name });
    const names: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const more: string = cursor === "" ? "" : `&cursor=${cursor}`;
      const page = await list(`search=${mark}&limit=1${more}`);
      names.push(...page.items.map(({ name }) => name));
      cursor = page.nextCursor;
    }
    expect(names).toEqual([`A ${mark}`, `b ${mark}`, `C ${mark}`]);
  });

  test.each([
    ["case and accents beyond ASCII", "ÅSENBRÜCKE Øst", "åsenbrücke øst"],
    ["accents that were left out", "Ångström Kåre", "angstrom kare"],
    ["two letters for one", "Grünfläche Überlingen", "gruenflaeche ueb"],
    ["one letter for two", "Muelheim Wörth", "mülheim wo"],
    ["composed and decomposed letters", "Cafe\u0301 Ñandú", "caf\u00e9 n\u0303andu"],
    ["letters of other scripts", "ΑΘΉΝΑ Порт Ёлка", "αθηνα порт елка"],
    ["simplified and traditional characters", "廣東橋梁公司", "广东桥梁"],
    ["full-width letters", "ＡＢＣ建設", "abc建设"],
    [
      "49 characters, with the characters of a pattern",
      `%_*?[a-z]\\^$.+(x|y){2} ${"q".repeat(49)}`,
      `%_*?[A-Z]\\^$.+(X|Y){2} ${"Q".repeat(49)}`,
    ],
    ["200 characters", `${"ÅÄÖ ".repeat(49)}ende`, `${"åäö ".repeat(49)}ENDE`],
  ])("are found by %s", async (_, name, search) => {
    const mark = ` ${crypto.randomUUID().slice(0, 8)}`;
    const organization = await mintOrganization({ name: name + mark });
    await mintOrganization({ name: `Another${mark}` });
    expect(search.length).toBeLessThanOrEqual(200);
    const page = await list(`limit=100&search=${encodeURIComponent(search)}`);
    expect(page.items.map(({ id }) => id)).toContain(organization.id);
    expect(page.items.map(({ name }) => name)).not.toContain(`Another${mark}`);
  });

  test("no text is a pattern: it finds exactly the names that contain it", () => {
    const mark = crypto.randomUUID();
    const signs = fc.array(fc.constantFrom(..."aAbBéÉß%_*?[]^$.+(){}|\\\"'-~ \u0301".split("")), { maxLength: 6 });
    fc.assert(
      fc.property(signs, signs, signs, (before, asked, after) => {
        const search = `${mark} ${asked.join("")}`;
        fc.pre(search.trim() === search);
        const matches = nameMatcher(search);
        expect(matches(`${before.join("")} ${search}${after[0] === "\u0301" ? "" : after.join("")}`)).toBe(true);
        expect(matches(`${before.join("")}${after.join("")}`)).toBe(false);
      }),
    );
  });

  test("a page of a search reads a bounded number of names, and all pages together find each name", async () => {
    const mark = crypto.randomUUID();
    for (let i = 0; i < 12; i += 1) await mintOrganization({ name: `${i % 3 === 0 ? mark : "Other"} ${i}` });
    const reads = { names: 10, ofStatement: 5 };
    const found: string[] = [];
    let pages = 0;
    for (let at: NameKey | null = ["", ""]; at !== null; pages += 1) {
      const page: Chosen = await findByName(systemContext(), mark, 2, at, reads);
      expect(page.ids.length).toBeLessThanOrEqual(2);
      found.push(...page.ids);
      at = page.next;
    }
    const names = (await list(`search=${mark}`)).items;
    expect(found).toEqual(names.map(({ id }) => id));
    expect(names.map(({ name }) => name)).toEqual([0, 3, 6, 9].map((i) => `${mark} ${i}`));
    expect(pages).toBeGreaterThan(2);
  });
});
