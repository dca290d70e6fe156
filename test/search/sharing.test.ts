import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { suggestionsResponse } from "../../src/search/schemas";
import { call, expectJson } from "../support/call";
import {
  mintAnnotation,
  mintCluster,
  mintDocument,
  mintGrant,
  mintLocation,
  mintOrganization,
  mintPerson,
} from "../support/factories";
import { endedJobs, runThrough } from "../support/jobs";
import { eventually } from "../support/patience";
import { found, indexTenant, searchAs } from "./searching";

const ALL = { ClusterView: "Read", LocationView: "Read", LocationBundles: "Read", Documents: "Read" } as const;

/**
 * An organization with one cluster, whose location has a document and an annotation. They are indexed before the
 * first share.
 */
async function library() {
  const organization = await mintOrganization();
  const tenant = { organizationId: organization.id };
  const clusterId = await mintCluster(tenant, { name: "Viaduct north" });
  const location = await mintLocation(tenant, { clusterId, name: "Viaduct pier" });
  const documentId = await mintDocument(tenant, location, ["viaduct girders"], { fileName: "Viaduct.pdf" });
  const annotationId = await mintAnnotation(tenant, location, { title: "Viaduct rust" });
  await indexTenant(organization.id);
  const everything = [
    `document:${documentId}`,
    `documentcontent:${documentId}.0`,
    `location:${location.id}`,
    `cluster:${clusterId}`,
    `spatialmetadata:${annotationId}`,
  ].sort();
  return { organization, tenant, clusterId, location, documentId, everything, guest: await mintPerson() };
}

const scopes = async (id: string): Promise<number> =>
  (await env.DB.prepare("SELECT count(*) AS n FROM search_scopes WHERE scope_id = ?").bind(id).first<number>("n")) ??
  -1;

describe("a shared resource", () => {
  test("is found and suggested with its contents until the last grant ends", async () => {
    const { organization, clusterId, everything, guest } = await library();
    const { token } = organization.owner;
    const path = `/v1/spatial/clusters/${clusterId}/grants`;
    const share = async () => {
      const body = { email: guest.email, capabilities: ALL };
      const answer = await call("POST", path, { token, body });
      expect(answer.status).toBe(201);
      const { id } = await answer.json<{ id: string }>();
      await eventually(async () => expect((await found(guest.token, "viaduct ")).sort()).toEqual(everything));
      return id;
    };
    const grantId = await share();
    const { suggestions } = await expectJson(suggestionsResponse, 200, "POST", "/v1/search/suggestions", {
      token: guest.token,
      body: { term: "gird" },
    });
    expect(suggestions.map(({ text }) => text)).toEqual(["girders"]);
    expect((await searchAs(guest.token, "viaduckt ")).correctedTerm).toBe("Viaduct ");
    expect((await call("DELETE", `${path}/${grantId}`, { token })).status).toBe(204);
    expect(await found(guest.token, "viaduct ")).toEqual([]);
    expect(await scopes(clusterId)).toBe(0);
    await share();
  });

  test("is found once, whichever access paths lead to it", async () => {
    const { tenant, clusterId, location, documentId, everything, guest } = await library();
    await mintGrant(tenant, guest.userId, "location", location.id, ALL);
    await mintGrant(tenant, guest.userId, "document", documentId, { Documents: "Read" });
    for (const [target, id] of [
      ["location", location.id],
      ["document", documentId],
    ] as const)
      await runThrough("index-shared", [{ target, id }]);
    const single = await searchAs(guest.token, "viaduct girder ");
    await mintGrant(tenant, guest.userId, "cluster", clusterId, ALL);
    await runThrough("index-shared", [{ target: "cluster", id: clusterId }]);
    const nested = await searchAs(guest.token, "viaduct girder ");
    const text = (results: typeof nested.results) =>
      results.flatMap(({ passages }) => passages.map(({ resultId }) => resultId));
    expect(text(nested.results)).toEqual(text(single.results));
    expect(text(nested.results)).toEqual([`documentcontent:${documentId}.0`]);
    expect((await found(guest.token, "viaduct ")).sort()).toEqual(everything);
  });

  test("gains contents that are moved in and loses contents that are moved out, at once", async () => {
    const { organization, tenant, clusterId, location, documentId, guest } = await library();
    const { token } = organization.owner;
    const elsewhere = await mintLocation(tenant, { name: "Depot" });
    await mintGrant(tenant, guest.userId, "cluster", elsewhere.clusterId, { Documents: "Read" });
    await runThrough("index-shared", [{ target: "cluster", id: elsewhere.clusterId }]);
    expect(await found(guest.token, "girder ")).toEqual([]);
    const move = (path: string, body: object) => call("PATCH", path, { token, body });
    const appears = () =>
      eventually(async () => expect(await found(guest.token, "girder ")).toEqual([`documentcontent:${documentId}.0`]));

    expect((await move(`/v1/documents/${documentId}`, { locationId: elsewhere.id })).status).toBe(200);
    await appears();
    expect((await move(`/v1/documents/${documentId}`, { locationId: location.id })).status).toBe(200);
    expect(await found(guest.token, "girder ")).toEqual([]);

    const place = `/v1/spatial/locations/${location.id}`;
    expect((await move(place, { clusterId: elsewhere.clusterId })).status).toBe(200);
    await appears();
    expect((await move(place, { clusterId })).status).toBe(200);
    expect(await found(guest.token, "girder ")).toEqual([]);
    await endedJobs(organization.id, "index-shared");
  });
});
