import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { newId } from "../../src/platform/ids";
import { suggestionsResponse } from "../../src/search/schemas";
import { search } from "../../src/search/search";
import { searchImpressions } from "../../src/search/tables";
import { insightsSchema } from "../../src/search/telemetry";
import { call, expectJson, problem } from "../support/call";
import { addMember, mintDocument, mintLocation, mintMember, mintOrganization } from "../support/factories";
import { runThrough, systemContext } from "../support/jobs";
import { indexTenant, searchAs } from "./searching";

async function library() {
  const organization = await mintOrganization();
  const tenant = { organizationId: organization.id };
  const location = await mintLocation(tenant);
  await mintDocument(tenant, location, ["The abutment is cracked."], { fileName: "Abutment survey.pdf" });
  await indexTenant(organization.id);
  const member = await mintMember(organization.id);
  return { organization, member };
}

const report = (token: string, body: object) => call("POST", "/v1/search/interactions", { token, body });

describe("the flow of a client", () => {
  test("suggestions, search, interactions, and the insights of administrators", async () => {
    const { organization, member } = await library();
    const { token } = member;
    const { suggestions } = await expectJson(suggestionsResponse, 200, "POST", "/v1/search/suggestions", {
      token,
      body: { term: "abut", scope: { includeShared: true } },
    });
    expect(suggestions[0]?.text).toBe("abutment");

    const { searchId, results } = await searchAs(token, suggestions[0]?.text ?? "");
    expect(results.map(({ resultType }) => resultType)).toEqual(["Document"]);
    const [content] = results[0]?.passages ?? [];
    expect(content).toMatchObject({ snippet: "The <mark>abutment</mark> is cracked.", source: { pageNumber: 1 } });

    const opened = {
      searchId,
      resultId: content?.resultId,
      resultType: "DocumentContent",
      rankPosition: 1,
      action: "DocumentOpen",
      dwellMilliseconds: 1_500,
    };
    expect((await report(token, opened)).status).toBe(202);
    expect((await report(token, { searchId, action: "QueryReformulated", reformulatedTerm: "pier" })).status).toBe(202);
    await searchAs(token, "Quartz");
    await searchAs(token, " quartz ");
    await searchAs(token, "survey");

    const path = `/v1/search/insights?organizationId=${organization.id}`;
    const insights = await expectJson(insightsSchema, 200, "GET", path, { token: organization.owner.token });
    expect(insights).toMatchObject({ searches: 4, clicks: 1, meanClickRank: 1 });
    expect(insights.mostFrequent[0]).toEqual({ term: "quartz", searches: 2, clicks: 0, meanClickRank: null });
    expect(insights.zeroResults.map(({ term }) => term)).toEqual(["quartz"]);
    expect(insights.neverClicked.map(({ term }) => term)).toEqual(["survey"]);
    expect((await call("GET", path, { token })).status).toBe(403);
    const outsider = await mintOrganization();
    expect((await call("GET", path, { token: outsider.owner.token })).status).toBe(404);
    const backwards = `${path}&fromUtc=2026-02-01T00:00:00Z&toUtc=2026-01-01T00:00:00Z`;
    expect((await call("GET", backwards, { token: organization.owner.token })).status).toBe(400);
  });

  test("accepts interactions only for the caller's own search and its results", async () => {
    const { organization, member } = await library();
    const { searchId, results } = await searchAs(member.token, "abutment");
    const [first] = results;
    const valid = { searchId, resultId: first?.resultId, action: "ResultClick" };
    expect((await report(organization.owner.token, valid)).status).toBe(404);
    expect((await report(member.token, { ...valid, searchId: newId() })).status).toBe(404);
    for (const wrong of [
      { ...valid, resultId: `document:${newId()}` },
      { ...valid, resultId: undefined },
      { ...valid, rankPosition: 2 },
      { ...valid, resultType: "Cluster" },
      { searchId, action: "QueryReformulated" },
    ]) {
      const answer = await expectJson(problem, 422, "POST", "/v1/search/interactions", {
        token: member.token,
        body: wrong,
      });
      expect(answer.code).toBe("rule-violated");
    }
    expect((await report(member.token, { ...valid, action: "Liked" })).status).toBe(400);
    expect((await report(member.token, valid)).status).toBe(202);
  });

  test("counts a search only for the organizations that it was made in", async () => {
    const { organization, member } = await library();
    const other = await mintOrganization();
    await addMember(other.id, member.userId, "member");
    await searchAs(member.token, "abutment");
    await searchAs(member.token, "secret plan", { scope: { organizationIds: [organization.id] } });
    const searches = async ({ id, owner }: typeof other) =>
      (await expectJson(insightsSchema, 200, "GET", `/v1/search/insights?organizationId=${id}`, { token: owner.token }))
        .searches;
    expect(await searches(organization)).toBe(2);
    expect(await searches(other)).toBe(0);
  });

  test("a search succeeds when an organization of the caller is deleted meanwhile", async () => {
    const { member, organization } = await library();
    const gone = newId();
    const fact = { role: "member" as const, overrides: {}, cameras: false, externalShares: false };
    const facts = {
      userId: member.userId,
      memberships: [organization.id, gone].map((organizationId) => ({ organizationId, ...fact })),
      grants: [],
      limits: { organizationIds: null, ceiling: null, isProven: true },
      databases: ["first"],
    };
    const caller = {
      kind: "pat" as const,
      tokenId: newId(),
      userId: member.userId,
      isAdmin: false,
      expiresAt: null,
      language: null,
      facts,
    };
    const scope = { includeShared: true, organizationIds: [organization.id, gone] };
    const { searchId, results } = await search({ ...systemContext(), caller }, { term: "abutment", scope, limit: 20 });
    expect(results).toHaveLength(1);
    expect(
      (await report(member.token, { searchId, resultId: results[0]?.resultId, action: "ResultClick" })).status,
    ).toBe(202);
  });

  test("deletes terms after their retention", async () => {
    const { member } = await library();
    const { searchId } = await searchAs(member.token, "abutment");
    const { workspace: db, settings } = systemContext();
    const is = eq(searchImpressions.id, searchId);
    const days = (n: number) => Date.now() - n * 86_400_000;
    await db
      .update(searchImpressions)
      .set({ createdAt: days(settings.SEARCH_TERMS_DAYS - 1) })
      .where(is);
    await runThrough("expire-searches", [{}]);
    expect(await db.select().from(searchImpressions).where(is)).toHaveLength(1);
    await db
      .update(searchImpressions)
      .set({ createdAt: days(settings.SEARCH_TERMS_DAYS + 1) })
      .where(is);
    await runThrough("expire-searches", [{}]);
    expect(await db.select().from(searchImpressions).where(is)).toHaveLength(0);
  });
});
