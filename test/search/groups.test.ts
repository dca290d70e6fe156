import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { newId } from "../../src/platform/ids";
import { indexAssets } from "../../src/search/indexing/assets";
import { call } from "../support/call";
import { mintCluster, mintDocument, mintGrant, mintLocation, mintMember, mintOrganization } from "../support/factories";
import { runThrough, systemContext } from "../support/jobs";
import { indexTenant, searchAs } from "./searching";

/** More entries than the search counts exactly. */
const MANY = 2_400;

let organization: Awaited<ReturnType<typeof mintOrganization>>;
let tenant: { organizationId: string };
let location: Awaited<ReturnType<typeof mintLocation>>;
let token = "";
let log = "";
let plan = "";

beforeAll(async () => {
  organization = await mintOrganization();
  tenant = { organizationId: organization.id };
  const clusterId = await mintCluster(tenant, { name: "Estuary" });
  location = await mintLocation(tenant, { clusterId, name: "Lock <7>" });
  const texts = Array.from({ length: 70 }, (_, i) =>
    i % 10 === 0 ? "calm weather" : `sluice ${"gate ".repeat(i % 5)}`,
  );
  log = await mintDocument(tenant, location, texts, { fileName: "Daily log.pdf" });
  plan = await mintDocument(tenant, location, ["calm weather", "fog", "rain"], { fileName: "Sluice & plan.pdf" });
  await indexTenant(organization.id);
  token = (await mintMember(organization.id)).token;
});

describe("a document in the results", () => {
  test("is there once, with its best passages and the number of all its passages", async () => {
    const { results, total, nextCursor } = await searchAs(token, "sluice gate ");
    const found = results.find(({ source }) => source?.documentId === log);
    expect(found).toMatchObject({
      resultId: expect.stringMatching(`^documentcontent:${log}\\.`),
      resultType: "DocumentContent",
      passageCount: 63,
      clusterName: "Estuary",
      locationName: "Lock <7>",
    });
    expect(found?.passages).toHaveLength(3);
    expect(found?.passages[0]).toMatchObject({
      resultId: found?.resultId,
      snippet: found?.snippet,
      source: found?.source,
    });
    const scores = found?.passages.map(({ score }) => score) ?? [];
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(found?.score).toBe(scores[0]);
    expect(new Set(results.map(({ source }) => source?.documentId)).size).toBe(results.length);
    expect(total).toEqual({ count: results.length, isExact: true });
    expect(nextCursor).toBeNull();
  });

  test("shows more passages on request, in the order and with the scores of the whole search", async () => {
    const { results } = await searchAs(token, "sluice gate ");
    const first = results.find(({ source }) => source?.documentId === log);
    const more = await searchAs(token, "sluice gate ", { documentId: log });
    expect(more.results).toHaveLength(1);
    expect(more.results[0]).toEqual({ ...first, rankPosition: 1, passages: more.results[0]?.passages });
    expect(more.results[0]?.passages).toHaveLength(50);
    expect(more.results[0]?.passages.slice(0, 3)).toEqual(first?.passages);
    expect(more.total).toEqual((await searchAs(token, "sluice gate ")).total);
  });

  test("that only its name finds has a marked title and no position", async () => {
    const { results } = await searchAs(token, "plan");
    expect(results).toEqual([
      expect.objectContaining({
        resultId: `document:${plan}`,
        title: "Sluice & plan.pdf",
        markedTitle: "Sluice &amp; <mark>plan</mark>.pdf",
        snippet: "calm weather",
        source: { documentId: plan, pageNumber: null, chunkIndex: null },
        passages: [],
        passageCount: 0,
      }),
    ]);
    const [other] = (await searchAs(token, "weather", { documentId: log })).results;
    expect(other?.markedTitle).toBe("Daily log.pdf");
    expect(other?.passageCount).toBe(7);
  });

  test("takes reports about its passages, at the position of the document", async () => {
    const { searchId, results } = await searchAs(token, "sluice gate ");
    const at = results.findIndex(({ source }) => source?.documentId === log);
    const passage = results[at]?.passages[2];
    const report = (rankPosition: number) => ({
      searchId,
      resultId: passage?.resultId,
      rankPosition,
      action: "PreviewOpen",
    });
    const send = async (body: object) => (await call("POST", "/v1/search/interactions", { token, body })).status;
    expect(await send(report(at + 1))).toBe(202);
    expect(await send(report(at + 2))).toBe(422);
  });

  test("that the caller may not see gives nothing, and places that they may not see have no name", async () => {
    const guest = await mintMember(organization.id, "guest");
    await mintGrant(tenant, guest.userId, "document", plan, { Documents: "Read" });
    await runThrough("index-shared", [{ target: "document", id: plan }]);
    const [shared] = (await searchAs(guest.token, "plan")).results;
    expect(shared).toMatchObject({ resultId: `document:${plan}`, clusterName: null, locationName: null });
    const hidden = await searchAs(guest.token, "sluice", { documentId: log });
    expect(hidden).toMatchObject({ results: [], total: { count: 1, isExact: true } });
  });
});

test("words stay as they were typed if the client does not want a correction", async () => {
  expect(await searchAs(token, "sluise gate ")).toMatchObject({ correctedTerm: "Sluice gate " });
  const asTyped = await searchAs(token, "sluise gate ", { correct: false });
  expect(asTyped.correctedTerm).toBeNull();
  expect(asTyped.results.every(({ snippet }) => !snippet?.includes("<mark>sluice"))).toBe(true);
});

test("many results are counted exactly, and pages keep the count", async () => {
  const big = await mintOrganization();
  const place = await mintLocation({ organizationId: big.id });
  const ids = Array.from({ length: MANY }, () => newId());
  await env.DB.prepare(
    `INSERT INTO annotations (id, tenant_id, organization_id, cluster_id, location_id, kind, title, metadata, created_at, updated_at)
     SELECT value, ?2, ?2, ?3, ?4, 'note', 'Buoy', '{}', 0, 0 FROM json_each(?1)`,
  )
    .bind(JSON.stringify(ids), big.id, place.clusterId, place.id)
    .run();
  const context = systemContext();
  const index = async (from: number, to: number) =>
    (await indexAssets(context, big.id, "annotation", ids.slice(from, to), newId())).commit();
  const { token: owner } = big.owner;
  for (let n = 0; n < 1_000; n += 200) await index(n, n + 200);
  expect((await searchAs(owner, "buoy ")).total).toEqual({ count: 1_000, isExact: true });
  for (let n = 1_000; n < MANY; n += 200) await index(n, n + 200);
  const first = await searchAs(owner, "buoy ", { limit: 100 });
  expect(first.total).toEqual({ count: MANY, isExact: true });
  const second = await searchAs(owner, "buoy ", { limit: 100, cursor: first.nextCursor ?? "" });
  expect(second.total).toEqual(first.total);
  expect(second.results[0]?.rankPosition).toBe(101);
});
