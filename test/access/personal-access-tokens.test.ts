import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { newId } from "../../src/platform/ids";
import { call, expectJson, problem } from "../support/call";
import { addMember, mintCluster, mintGrant, mintOrganization, mintPerson, mintToken } from "../support/factories";
import { eventually, PATIENCE } from "../support/patience";
import { mintSession, mintSignedIn, statusOf } from "../support/sessions";

const token = z.object({
  id: z.string(),
  name: z.string(),
  organizationIds: z.array(z.string()).nullable(),
  capabilities: z.record(z.string(), z.string()).nullable(),
  revision: z.int(),
  expiresAtUtc: z.string().nullable(),
  lastUsedAtUtc: z.string().nullable(),
});
const created = token.extend({ token: z.string() });
const page = z.object({ items: z.array(token), nextCursor: z.string().nullable() });
const PATH = "/v1/auth/tokens";

const make = (session: string, body: object = {}, headers: Record<string, string> = {}) =>
  expectJson(created, 201, "POST", PATH, { token: session, body: { name: "export", ...body }, headers });

describe("a personal access token", () => {
  test("is read with its revision, which the next change can send", async () => {
    const { token: session } = await mintSignedIn();
    const path = `${PATH}/${(await make(session)).id}`;
    const etag = (await call("GET", path, { token: session })).headers.get("etag") ?? "";
    expect((await call("GET", path, { token: session, headers: { "if-none-match": etag } })).status).toBe(304);
    const change = () => call("PATCH", path, { token: session, body: { name: "x" }, headers: { "if-match": etag } });
    expect([(await change()).status, (await change()).status]).toEqual([200, 412]);
  });

  test("is created, listed without its secret, used, and revoked at once", async () => {
    const person = await mintSignedIn();
    const made = await make(person.token);
    expect(made.token).toMatch(/^svcpat1\.[0-9a-f]{32}\.[0-9a-f]{64}$/);
    expect(await statusOf(made.token)).toBe(200);
    const listed = await expectJson(page, 200, "GET", PATH, { token: person.token });
    expect(listed.items.find(({ id }) => id === made.id)).toMatchObject({ name: "export", organizationIds: null });
    expect(JSON.stringify(listed)).not.toContain(made.token.split(".")[2]);
    expect((await call("DELETE", `${PATH}/${made.id}`, { token: person.token })).status).toBe(204);
    const dead = await expectJson(problem, 401, "GET", "/v1/auth/me", { token: made.token });
    expect(dead.code).toBe("credential-revoked");
    await expectJson(problem, 404, "DELETE", `${PATH}/${made.id}`, { token: person.token });
    await expectJson(problem, 404, "GET", `${PATH}/${made.id}`, { token: person.token });
  });

  test("cannot manage tokens or sessions itself", async () => {
    const { token: pat, userId } = await mintPerson();
    const { id } = await mintToken(userId);
    for (const [method, path, body] of [
      ["GET", PATH],
      ["POST", PATH, { name: "more" }],
      ["PATCH", `${PATH}/${id}`, { name: "more" }],
      ["DELETE", `${PATH}/${id}`],
      ["GET", "/v1/auth/sessions"],
      ["DELETE", `/v1/auth/sessions/${newId()}`],
      ["POST", "/v1/auth/logout"],
    ] as const)
      expect([path, (await call(method, path, { token: pat, body })).status]).toEqual([path, 403]);
  });

  test("is visible only to its owner", async () => {
    const [mine, theirs] = [await mintSignedIn(), await mintSignedIn()];
    const made = await make(mine.token);
    for (const [method, body] of [["GET"], ["PATCH", { name: "taken" }], ["DELETE"]] as const)
      await expectJson(problem, 404, method, `${PATH}/${made.id}`, { token: theirs.token, body });
    expect(await statusOf(made.token)).toBe(200);
  });

  test("can name organizations of a membership or grant; others are refused, existing or not", async () => {
    const [home, shared, foreign] = [await mintOrganization(), await mintOrganization(), await mintOrganization()];
    const person = await mintSignedIn();
    await addMember(home.id, person.userId, "guest");
    const tenant = { organizationId: shared.id };
    await mintGrant(tenant, person.userId, "cluster", await mintCluster(tenant), { Documents: "Read" });
    const made = await make(person.token, { organizationIds: [home.id, shared.id, home.id] });
    expect(made.organizationIds).toEqual([home.id, shared.id]);
    const refusals = await Promise.all(
      [foreign.id, newId()].map((id) =>
        expectJson(problem, 422, "POST", PATH, { token: person.token, body: { name: "x", organizationIds: [id] } }),
      ),
    );
    expect(refusals[0]?.detail).toBe(refusals[1]?.detail);
    await expectJson(problem, 400, "POST", PATH, { token: person.token, body: { name: "x", organizationIds: [] } });
  });

  test("is restricted from the next request on after an update of its restrictions", async () => {
    const { id, owner } = await mintOrganization();
    const session = await mintSession(owner.userId);
    const made = await make(session.token);
    const memberships = async () =>
      z
        .object({ memberships: z.array(z.unknown()) })
        .parse(await (await call("GET", "/v1/auth/me", { token: made.token })).json()).memberships.length;
    expect(await memberships()).toBe(1);
    const edit = (body: object, status = 200) =>
      expectJson(z.object({}).loose(), status, "PATCH", `${PATH}/${made.id}`, { token: session.token, body });
    expect(await edit({ capabilities: { Documents: "Read" } })).toMatchObject({ revision: 2 });
    expect(await memberships()).toBe(0);
    expect(await edit({ capabilities: null, organizationIds: [id], name: "renamed" })).toMatchObject({
      name: "renamed",
      revision: 3,
    });
    expect(await memberships()).toBe(1);
    await edit({ name: "late", baseRevision: 2 }, 409);
    await edit({ expiresAtUtc: "2020-01-01T00:00:00Z" }, 422);
  });

  test("keeps an organization that its owner has left, and can drop it", async () => {
    const { id } = await mintOrganization();
    const person = await mintSignedIn();
    await addMember(id, person.userId, "member");
    const made = await make(person.token, { organizationIds: [id] });
    await env.DB.prepare("DELETE FROM memberships WHERE user_id = ?").bind(person.userId).run();
    const options = { token: person.token, body: { name: "kept", organizationIds: [id] } };
    await expectJson(token, 200, "PATCH", `${PATH}/${made.id}`, options);
    await expectJson(token, 200, "PATCH", `${PATH}/${made.id}`, { ...options, body: { organizationIds: null } });
    await expectJson(problem, 422, "PATCH", `${PATH}/${made.id}`, options);
  });

  test("ends at its expiry, which can have any offset and can be changed", async () => {
    const person = await mintSignedIn();
    const made = await make(person.token, { expiresAtUtc: "2030-01-01T02:00:00+02:00" });
    expect(made.expiresAtUtc).toBe("2030-01-01T00:00:00.000Z");
    await env.DB.prepare("UPDATE access_tokens SET expires_at = ? WHERE id = ?").bind(Date.now(), made.id).run();
    const dead = await expectJson(problem, 401, "GET", "/v1/auth/me", { token: made.token });
    expect(dead.code).toBe("credential-expired");
    await expectJson(token, 200, "PATCH", `${PATH}/${made.id}`, { token: person.token, body: { expiresAtUtc: null } });
    expect(await statusOf(made.token)).toBe(200);
  });

  test("records its last use once in five minutes", async () => {
    const person = await mintSignedIn();
    const made = await make(person.token);
    const lastUsed = async () =>
      (await expectJson(token, 200, "GET", `${PATH}/${made.id}`, { token: person.token })).lastUsedAtUtc;
    expect(await lastUsed()).toBeNull();
    await statusOf(made.token);
    const first = await vi.waitUntil(lastUsed, { timeout: PATIENCE });
    await statusOf(made.token);
    await statusOf(made.token);
    expect(await lastUsed()).toBe(first);
    await env.DB.prepare("UPDATE access_tokens SET last_used_at = last_used_at - 300001 WHERE id = ?")
      .bind(made.id)
      .run();
    await statusOf(made.token);
    await eventually(async () => expect(Date.parse((await lastUsed()) ?? "")).toBeGreaterThan(Date.now() - 60_000));
  });

  test("exists at most a hundred times per user, even with concurrent requests", async () => {
    const person = await mintSignedIn();
    for (let i = 0; i < 97; i++) await mintToken(person.userId);
    // mintSignedIn has created one.
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => call("POST", PATH, { token: person.token, body: { name: "x" } })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 422, 422, 422]);
  });

  test("created with an Idempotency-Key has the same secret in the answer to a repeat", async () => {
    const person = await mintSignedIn();
    const headers = { "idempotency-key": "make-one-token" };
    const first = await make(person.token, {}, headers);
    expect(await make(person.token, {}, headers)).toEqual(first);
    const secret = first.token.split(".")[2] ?? "";
    const { results } = await env.DB.prepare("SELECT * FROM idempotency_keys").all();
    expect(results).not.toEqual([]);
    expect(JSON.stringify(results)).not.toContain(secret);
    const listed = await expectJson(page, 200, "GET", PATH, { token: person.token });
    expect(listed.items.filter(({ name }) => name === "export")).toHaveLength(1);
  });

  test("leaves an audit row for every change", async () => {
    const person = await mintSignedIn();
    const made = await make(person.token);
    const path = `${PATH}/${made.id}`;
    await expectJson(token, 200, "PATCH", path, { token: person.token, body: { name: "renamed" } });
    await call("DELETE", path, { token: person.token });
    const { results } = await env.DB.prepare(
      "SELECT action, actor_user_id, actor_kind, credential_id FROM audit_entries WHERE subject_id = ? ORDER BY id",
    )
      .bind(made.id)
      .all();
    const by = { actor_user_id: person.userId, actor_kind: "session", credential_id: person.sessionId };
    expect(results).toEqual(["token.created", "token.changed", "token.revoked"].map((action) => ({ action, ...by })));
  });
});
