import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { KEPT_MS } from "../../src/platform/http/idempotency";
import { newId } from "../../src/platform/ids";
import { call, problem } from "../support/call";
import { mintPerson, mintToken } from "../support/factories";

const create = (token: string, key: string, name = "Once", more: Record<string, string> = {}) =>
  call("POST", "/v1/orgs", { token, body: { name }, headers: { "idempotency-key": key, ...more } });
const organizationsOf = async (userId: string): Promise<number> =>
  (await env.DB.prepare("SELECT count(*) AS n FROM memberships WHERE user_id = ?").bind(userId).first<number>("n")) ??
  0;
const codeOf = async (response: Response) => problem.parse(await response.json()).code;
const keys = () =>
  env.DB.prepare("SELECT id, request_hash, status, answer FROM idempotency_keys").all<Record<string, string | null>>();
const setKeys = (set: string) => env.DB.prepare(`UPDATE idempotency_keys SET ${set}`).run();

describe("a request under an Idempotency-Key", () => {
  test("is carried out once: its repeat gets the first answer", async () => {
    const { token, userId } = await mintPerson();
    const key = newId();
    const [first, again] = [await create(token, key), await create(token, key)];
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(await again.text()).toBe(await first.text());
    expect(again.headers.get("etag")).toBe(first.headers.get("etag"));
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(again.headers.get("x-content-type-options")).toBe("nosniff");
    expect(await organizationsOf(userId)).toBe(1);
  });

  test("is refused when the key was used for another body or another path", async () => {
    const { token } = await mintPerson();
    const key = newId();
    await create(token, key);
    const other = await create(token, key, "Another");
    expect([other.status, await codeOf(other)]).toEqual([422, "idempotency-key-reused"]);
    const elsewhere = await call("POST", "/v1/spatial/clusters", {
      token,
      body: { name: "Once" },
      headers: { "idempotency-key": key },
    });
    expect(elsewhere.status).toBe(422);
  });

  test("does not meet the same key of another caller", async () => {
    const [one, two] = [await mintPerson(), await mintPerson()];
    const key = newId();
    const [first, second] = [await create(one.token, key), await create(two.token, key)];
    expect(second.headers.get("idempotency-replayed")).toBeNull();
    expect(await second.text()).not.toBe(await first.text());
  });

  test("is not answered to a narrower credential of the same person", async () => {
    const { userId, token } = await mintPerson();
    const narrow = await mintToken(userId, { capabilities: { Documents: "Read" } });
    const key = newId();
    expect((await create(token, key)).status).toBe(201);
    expect((await create(narrow.token, key)).status).toBe(403);
  });

  test("sent many times at once does its work once", async () => {
    const { token, userId } = await mintPerson();
    const key = newId();
    const answers = await Promise.all(Array.from({ length: 12 }, () => create(token, key)));
    const statuses = new Set(answers.map(({ status }) => status));
    expect(statuses).toContain(201);
    expect([...statuses].every((status) => status === 201 || status === 409)).toBe(true);
    expect(await organizationsOf(userId)).toBe(1);
    expect((await create(token, key)).status).toBe(201);
  });

  test("that was refused leaves its key free", async () => {
    const { token } = await mintPerson();
    const key = newId();
    expect((await create(token, key, "")).status).toBe(400);
    expect((await create(token, key, "Mended")).status).toBe(201);
  });

  test("whose answer was lost after the work says so instead of doing it again", async () => {
    const { token, userId } = await mintPerson();
    const key = newId();
    await create(token, key);
    await setKeys("status = 'committed', answer = NULL");
    const again = await create(token, key);
    expect([again.status, await codeOf(again)]).toEqual([409, "answer-lost"]);
    expect(await organizationsOf(userId)).toBe(1);
  });

  test("that died before its work may be sent again, once its claim has run out", async () => {
    const { token, userId } = await mintPerson();
    const key = newId();
    await create(token, key);
    await env.DB.prepare("DELETE FROM memberships WHERE user_id = ?").bind(userId).run();
    await setKeys("status = 'claimed', answer = NULL");
    const early = await create(token, key);
    expect([early.status, await codeOf(early), early.headers.get("retry-after")]).toEqual([
      409,
      "request-in-progress",
      "2",
    ]);
    await setKeys("claimed_until = 0");
    expect((await create(token, key)).status).toBe(201);
    expect(await organizationsOf(userId)).toBe(1);
  });

  test("counts as new after its time", async () => {
    const { token } = await mintPerson();
    const key = newId();
    await create(token, key);
    await setKeys(`created_at = created_at - ${KEPT_MS}`);
    expect((await create(token, key, "Another")).status).toBe(201);
  });

  test("keeps neither the key nor its answer readable", async () => {
    const { token } = await mintPerson();
    const key = newId();
    const made = await (await create(token, key, "A name nobody else has")).text();
    const kept = JSON.stringify((await keys()).results);
    for (const secret of [key, "A name nobody else has", JSON.parse(made).id]) expect(kept).not.toContain(secret);
  });

  test("is refused with a key that is no visible ASCII or too long", async () => {
    const { token } = await mintPerson();
    for (const key of ["two words", "x".repeat(201)]) expect((await create(token, key)).status).toBe(400);
  });
});
