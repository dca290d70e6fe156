import { describe, expect, test } from "vitest";
import { z } from "zod";
import { CAPABILITIES } from "../../src/platform/capabilities";
import { call, expectJson, problem } from "../support/call";
import { mintCluster, mintGrant, mintLocation, mintMember, mintOrganization, mintPerson } from "../support/factories";

const location = z.object({
  id: z.string(),
  organizationId: z.string().nullable(),
  clusterId: z.string(),
  name: z.string(),
  address: z.string().nullable(),
  latitude: z.number().nullable(),
  longitude: z.number().nullable(),
  timeZone: z.string().nullable(),
  capabilities: z.record(z.string(), z.string()),
  revision: z.int(),
});
const page = z.object({ items: z.array(location), nextCursor: z.string().nullable() });
const annotation = z.object({ id: z.string(), clusterId: z.string(), kind: z.string(), revision: z.int() });

const listed = async ({ token }: { token: string }, query = ""): Promise<string[]> =>
  (await expectJson(page, 200, "GET", `/v1/spatial/locations?limit=100${query}`, { token })).items.map((i) => i.id);

describe("a location", () => {
  test("is created in a cluster, read and changed", async () => {
    const { id: organizationId, owner } = await mintOrganization();
    const clusterId = await mintCluster({ organizationId });
    const body = { clusterId, name: "Gate 3", address: "1 Quay Road", latitude: 59.91, longitude: -10.75 };
    const created = await expectJson(location, 201, "POST", "/v1/spatial/locations", { token: owner.token, body });
    expect(created).toMatchObject({ ...body, timeZone: null, organizationId, revision: 1 });
    const path = `/v1/spatial/locations/${created.id}`;
    const change = { latitude: null, longitude: null, address: null, timeZone: "Europe/Oslo" };
    const changed = await expectJson(location, 200, "PATCH", path, { token: owner.token, body: change });
    expect(changed).toMatchObject({ ...change, name: "Gate 3", revision: 2 });
    const read = await call("GET", path, owner);
    expect(read.headers.get("etag")).toMatch(new RegExp(`^"2\\.[012]{${CAPABILITIES.length}}"$`));
    expect(location.parse(await read.json())).toEqual(changed);
  });

  test("refuses coordinates out of range, half a pair and a time zone that does not exist", async () => {
    const { userId, token } = await mintPerson();
    const clusterId = await mintCluster({ ownerUserId: userId });
    const make = async (fields: object) =>
      (await call("POST", "/v1/spatial/locations", { token, body: { clusterId, name: "A", ...fields } })).status;
    expect(await make({ latitude: 90.1, longitude: 0 })).toBe(400);
    expect(await make({ latitude: 0, longitude: -180.5 })).toBe(400);
    expect(await make({ latitude: "1", longitude: 1 })).toBe(400);
    expect(await make({ latitude: 1 })).toBe(422);
    expect(await make({ longitude: 0, latitude: null })).toBe(422);
    expect(await make({ latitude: -90, longitude: 180 })).toBe(201);
    expect(await make({ timeZone: "Europe/Atlantis" })).toBe(400);
    expect(await make({ timeZone: "europe/oslo" })).toBe(201);
  });

  test("cannot be created without Write of locations, or in a hidden or deleted cluster", async () => {
    const { id: organizationId, owner } = await mintOrganization();
    const clusterId = await mintCluster({ organizationId });
    const gone = await mintCluster({ organizationId }, { deletedAt: Date.now() });
    const make = async ({ token }: { token: string }, of: string) =>
      (await call("POST", "/v1/spatial/locations", { token, body: { clusterId: of, name: "A" } })).status;
    expect(await make(await mintMember(organizationId), clusterId)).toBe(403);
    expect(await make(await mintPerson(), clusterId)).toBe(404);
    expect(await make(owner, gone)).toBe(404);
    const granted = await mintPerson();
    await mintGrant({ organizationId }, granted.userId, "cluster", clusterId, { LocationView: "Write" });
    expect(await make(granted, clusterId)).toBe(201);
  });

  test("with a grant without LocationView shows its contents and hides its own fields", async () => {
    const { id: organizationId } = await mintOrganization();
    const { id, clusterId } = await mintLocation({ organizationId });
    const granted = await mintPerson();
    await mintGrant({ organizationId }, granted.userId, "cluster", clusterId, { LocationBundles: "Read" });
    expect((await call("GET", `/v1/spatial/locations/${id}`, granted)).status).toBe(404);
    expect(await listed(granted)).toEqual([]);
    expect((await call("GET", `/v1/spatial/locations/${id}/annotations`, granted)).status).toBe(200);
  });
});

describe("moving a location", () => {
  test("moves its contents to another cluster of the same workspace", async () => {
    const { id: organizationId, owner } = await mintOrganization();
    const { id } = await mintLocation({ organizationId });
    const target = await mintCluster({ organizationId });
    const { token } = owner;
    const body = { kind: "note", title: "Look" };
    const path = `/v1/spatial/locations/${id}`;
    const note = await expectJson(annotation, 201, "POST", `${path}/annotations`, { token, body });
    await expectJson(location, 200, "PATCH", path, { token, body: { clusterId: target } });
    expect(await listed(owner, `&clusterId=${target}`)).toEqual([id]);
    const moved = await expectJson(annotation, 200, "GET", `/v1/annotations/${note.id}`, { token });
    expect(moved.clusterId).toBe(target);
    const reader = await mintPerson();
    await mintGrant({ organizationId }, reader.userId, "cluster", target, { LocationBundles: "Read" });
    expect((await call("GET", `/v1/annotations/${note.id}`, reader)).status).toBe(200);
  });

  test("is refused to another workspace, and to a cluster without Write", async () => {
    const { id: organizationId, owner } = await mintOrganization();
    const { id } = await mintLocation({ organizationId });
    const move = (token: string, clusterId: string) =>
      call("PATCH", `/v1/spatial/locations/${id}`, { token, body: { clusterId } });
    const personal = await mintCluster({ ownerUserId: owner.userId });
    expect((await move(owner.token, personal)).status).toBe(422);
    const foreign = await mintOrganization();
    expect((await move(owner.token, await mintCluster({ organizationId: foreign.id }))).status).toBe(404);
    const editor = await mintMember(organizationId);
    await mintGrant({ organizationId }, editor.userId, "location", id, { LocationView: "Write" });
    expect((await move(editor.token, await mintCluster({ organizationId }))).status).toBe(403);
  });
});

describe("the list of locations", () => {
  test("contains locations of organizations, of the personal workspace and of grants on clusters and locations", async () => {
    const { id: organizationId, owner } = await mintOrganization();
    const tenant = { organizationId };
    const [one, two, three] = [await mintLocation(tenant), await mintLocation(tenant), await mintLocation(tenant)];
    const guest = await mintMember(organizationId, "guest");
    const own = await mintLocation({ ownerUserId: guest.userId });
    await mintGrant(tenant, guest.userId, "cluster", one.clusterId, { LocationView: "Read" });
    await mintGrant(tenant, guest.userId, "location", one.id, {});
    await mintGrant(tenant, guest.userId, "location", two.id, { Documents: "Read" });
    expect(await listed(guest)).toEqual([one.id, two.id, own.id].sort());
    expect(await listed(guest, "&includeShared=false")).toEqual([own.id]);
    expect(await listed(guest, `&clusterId=${two.clusterId}`)).toEqual([two.id]);
    expect(await listed(guest, `&clusterId=${three.clusterId}`)).toEqual([]);
    expect(await listed(owner, `&organizationId=${organizationId}`)).toEqual([one.id, two.id, three.id].sort());
    expect(await listed(owner, `&organizationId=personal&clusterId=${one.clusterId}`)).toEqual([]);
  });
});

describe("an annotation", () => {
  const body = { kind: "defect", title: "Crack", body: "3 mm", position: { x: 1, y: 2.5 }, metadata: { depth: 3 } };

  test("is created, read, changed and deleted under LocationBundles", async () => {
    const { id: organizationId } = await mintOrganization();
    const { id: locationId } = await mintLocation({ organizationId });
    const { token } = await mintMember(organizationId, "member");
    const list = `/v1/spatial/locations/${locationId}/annotations`;
    const created = await expectJson(annotation.loose(), 201, "POST", list, { token, body });
    expect(created).toMatchObject({ ...body, locationId, revision: 1 });
    const path = `/v1/annotations/${created.id}`;
    const position = { latitude: 1, longitude: 2, altitude: 30 };
    const change = { position, baseRevision: 1 };
    const changed = await expectJson(annotation.loose(), 200, "PATCH", path, { token, body: change });
    expect(changed).toMatchObject({ title: "Crack", position, revision: 2 });
    expect((await call("PATCH", path, { token, body: change })).status).toBe(409);
    const items = await expectJson(z.object({ items: z.array(annotation) }), 200, "GET", list, { token });
    expect(items.items.map((i) => i.id)).toEqual([created.id]);
    const stale = await call("DELETE", path, { token, headers: { "if-match": '"1"' } });
    expect(stale.status).toBe(412);
    expect((await call("DELETE", path, { token, headers: { "if-match": '"2"' } })).status).toBe(204);
    expect((await call("GET", path, { token })).status).toBe(404);
  });

  test("is hidden from callers who see only the location", async () => {
    const { id: organizationId, owner } = await mintOrganization();
    const { id: locationId } = await mintLocation({ organizationId });
    const list = `/v1/spatial/locations/${locationId}/annotations`;
    const { id } = await expectJson(annotation, 201, "POST", list, { token: owner.token, body });
    const viewer = await mintMember(organizationId, "member", { LocationBundles: "None" });
    expect((await call("GET", list, viewer)).status).toBe(403);
    const hidden = await expectJson(problem, 404, "GET", `/v1/annotations/${id}`, viewer);
    const unknown = await expectJson(problem, 404, "GET", `/v1/annotations/${locationId}`, viewer);
    expect(hidden.detail).toBe(unknown.detail);
    const reader = await mintMember(organizationId, "member", { LocationBundles: "Read" });
    expect((await call("PATCH", `/v1/annotations/${id}`, { token: reader.token, body: { title: "A" } })).status).toBe(
      403,
    );
  });

  test("refuses invalid kinds, positions and bodies", async () => {
    const { userId, token } = await mintPerson();
    const { id } = await mintLocation({ ownerUserId: userId });
    const bad = [
      { kind: "" },
      { kind: "two words" },
      { position: { latitude: 91, longitude: 0 } },
      { position: { latitude: 1 } },
      { position: { x: 1, y: 2, latitude: 3 } },
      { position: [1, 2] },
      { body: "x".repeat(20_001) },
      { metadata: [] },
      { extra: 1 },
    ];
    for (const fields of bad) {
      const sent = { token, body: { ...body, ...fields } };
      expect((await call("POST", `/v1/spatial/locations/${id}/annotations`, sent)).status).toBe(400);
    }
  });
});
