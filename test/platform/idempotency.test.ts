import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { IDEMPOTENCY_RETENTION_MS } from "../../src/platform/http/idempotency";
import { newId } from "../../src/platform/ids";
import { call, problem } from "../support/call";
import { mintMember, mintOrganization, mintPerson, mintToken } from "../support/factories";
import { mintSignedIn, PASSWORD } from "../support/sessions";

const create = (token: string, key: string, name = "Once", more: Record<string, string> = {}) =>
  call("POST", "/v1/orgs", { token, body: { name }, headers: { "idempotency-key": key, ...more } });
const post = (path: string, body: object, key: string, token?: string) =>
  call("POST", path, { token, body, headers: { "idempotency-key": key } });

/** An organization whose members invite others: the answer contains a secret that is shown only once. */
async function inviting() {
  const { id: organizationId, owner } = await mintOrganization();
  const invite = async (token: string, email: string, key: string) => {
    const answer = await post(`/v1/orgs/${organizationId}/members`, { email, role: "guest" }, key, token);
    return invitationAnswer.parse(await answer.json()).invitation;
  };
  return { owner, organizationId, invite };
}
const invitationAnswer = z.object({ invitation: z.object({ token: z.string(), link: z.string() }) });

const organizationsOf = async (userId: string): Promise<number> =>
  (await env.DB.prepare("SELECT count(*) AS n FROM memberships WHERE user_id = ?").bind(userId).first<number>("n")) ??
  0;
const codeOf = async (response: Response) => problem.parse(await response.json()).code;
const keys = () =>
  env.DB.prepare("SELECT id, request_hash, status, answer FROM idempotency_keys").all<Record<string, string | null>>();
const setKeys = (set: string) => env.DB.prepare(`UPDATE idempotency_keys SET ${set}`).run();
const setMarks = (set: string) => env.DB.prepare(`UPDATE committed_requests SET ${set}`).run();
/**
 * This acts as if the worker of the last request had died between its change and its answer, longer ago than the answer
 * can take.
 */
async function loseAnswers(): Promise<void> {
  await setKeys("status = 'claimed', answer = NULL");
  await setMarks("committed_at = 0");
}

describe("a request under an Idempotency-Key", () => {
  test("runs once: its repeat gets the first answer", async () => {
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

  test("is independent of the same key of another caller", async () => {
    const [one, two] = [await mintPerson(), await mintPerson()];
    const key = newId();
    const [first, second] = [await create(one.token, key), await create(two.token, key)];
    expect(second.headers.get("idempotency-replayed")).toBeNull();
    expect(await second.text()).not.toBe(await first.text());
  });

  test("is not answered for a more restricted credential of the same user", async () => {
    const { userId, token } = await mintPerson();
    const narrow = await mintToken(userId, { capabilities: { Documents: "Read" } });
    const key = newId();
    expect((await create(token, key)).status).toBe(201);
    expect((await create(narrow.token, key)).status).toBe(403);
  });

  test("that is sent many times at once runs once", async () => {
    const { token, userId } = await mintPerson();
    const key = newId();
    const answers = await Promise.all(Array.from({ length: 12 }, () => create(token, key)));
    const statuses = new Set(answers.map(({ status }) => status));
    expect(statuses).toContain(201);
    expect([...statuses].every((status) => status === 201 || status === 409)).toBe(true);
    for (const refused of answers.filter(({ status }) => status === 409)) {
      expect(await codeOf(refused)).toBe("request-in-progress");
      expect(refused.headers.get("retry-after")).not.toBeNull();
    }
    expect(await organizationsOf(userId)).toBe(1);
    expect((await create(token, key)).status).toBe(201);
  });

  test("that changes a revision runs once, and another revision is another request", async () => {
    const { token } = await mintPerson();
    const { id, revision } = z
      .object({ id: z.string(), revision: z.int() })
      .parse(await (await create(token, newId())).json());
    const key = newId();
    const rename = (name: string, ifMatch: string) =>
      call("PATCH", `/v1/orgs/${id}`, {
        token,
        body: { name },
        headers: { "idempotency-key": key, "if-match": ifMatch },
      });
    const first = await rename("Renamed", `"${revision}"`);
    const again = await rename("Renamed", `"${revision}"`);
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(await again.text()).toBe(await first.text());
    expect([again.headers.get("idempotency-replayed"), again.headers.get("etag")]).toEqual([
      "true",
      first.headers.get("etag"),
    ]);
    const other = await rename("Renamed", `"${revision + 1}"`);
    expect([other.status, await codeOf(other)]).toEqual([422, "idempotency-key-reused"]);
    await loseAnswers();
    const lost = await rename("Renamed", `"${revision}"`);
    expect([lost.status, await codeOf(lost)]).toEqual([409, "response-unavailable"]);
  });

  test("that is refused releases its key", async () => {
    const { token } = await mintPerson();
    const key = newId();
    expect((await create(token, key, "")).status).toBe(400);
    expect((await create(token, key, "Mended")).status).toBe(201);
  });

  test("whose worker died after the change gets the answer of that change, with its ids and secrets", async () => {
    const { token, userId } = await mintPerson();
    const key = newId();
    const first = await create(token, key);
    await loseAnswers();
    const again = await create(token, key);
    expect([again.status, await again.text()]).toEqual([201, await first.text()]);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(await organizationsOf(userId)).toBe(1);
    expect((await create(token, key)).headers.get("idempotency-replayed")).toBe("true");
  });

  test("whose claim expired after the change gets the answer of that change", async () => {
    const { token, userId } = await mintPerson();
    const key = newId();
    const first = await create(token, key);
    await setKeys("status = 'claimed', answer = NULL, claimed_until = 0");
    const again = await create(token, key);
    expect([again.status, await again.text()]).toEqual([201, await first.text()]);
    expect(await organizationsOf(userId)).toBe(1);
  });

  test("that lost its key to another try gets the answer of the try that committed", async () => {
    const { token, userId } = await mintPerson();
    const key = newId();
    const first = await create(token, key);
    // The mark of the change decides, in the database of the change: the keys know nothing of that try.
    await env.DB.prepare("DELETE FROM idempotency_keys").run();
    const again = await create(token, key);
    expect([again.status, await again.text()]).toEqual([201, await first.text()]);
    expect(await organizationsOf(userId)).toBe(1);
    expect((await create(token, key)).headers.get("idempotency-replayed")).toBe("true");
  });

  test.each([
    [
      "a token",
      async (key: string) => {
        const { token } = await mintSignedIn();
        return () => post("/v1/auth/tokens", { name: "Once" }, key, token);
      },
    ],
    [
      "a registration",
      async (key: string) => {
        const body = { email: `${newId()}@people.test`, password: PASSWORD, displayName: "Once" };
        return () => post("/v1/auth/register", body, key);
      },
    ],
    [
      "an accepted invitation",
      async (key: string) => {
        const { owner, invite } = await inviting();
        const invited = await mintPerson({ emailVerifiedAt: null });
        const { token } = await invite(owner.token, invited.email, newId());
        return () => post("/v1/invitations/accept", { token }, key, invited.token);
      },
    ],
    [
      "a registration by invitation",
      async (key: string) => {
        const { owner, invite } = await inviting();
        const email = `${newId()}@people.test`;
        const { token } = await invite(owner.token, email, newId());
        const body = { email, password: PASSWORD, displayName: "Once", invitation: token };
        return () => post("/v1/auth/register", body, key);
      },
    ],
  ])("whose worker died after the change gets its answer: %s", async (_, prepare) => {
    const send = await prepare(newId());
    const first = await send();
    expect(first.status).toBeLessThan(300);
    await loseAnswers();
    const again = await send();
    expect([again.status, await again.text()]).toEqual([first.status, await first.text()]);
  });

  test("whose answer another version of the code would compose gets no answer, and is not run again", async () => {
    const { token, userId } = await mintPerson();
    const [lost, kept] = [newId(), newId()];
    await create(token, lost);
    await loseAnswers();
    const first = await create(token, kept);
    for (const set of [setKeys, setMarks]) await set("claim_token = 'an-older-version' || claim_token");
    const refused = await create(token, lost);
    expect([refused.status, await codeOf(refused)]).toEqual([409, "response-unavailable"]);
    // A kept answer does not depend on the code.
    expect(await (await create(token, kept)).text()).toBe(await first.text());
    expect(await organizationsOf(userId)).toBe(2);
  });

  test("that is still running makes its repeat wait", async () => {
    const { token } = await mintPerson();
    const key = newId();
    await create(token, key);
    await setKeys("status = 'claimed', answer = NULL");
    const early = await create(token, key);
    expect([early.status, await codeOf(early), early.headers.get("retry-after")]).toEqual([
      409,
      "request-in-progress",
      "2",
    ]);
  });

  test("is not answered again for a token that was restricted meanwhile", async () => {
    const session = await mintSignedIn();
    const made = await post("/v1/auth/tokens", { name: "Wide" }, newId(), session.token);
    const { id, token } = (await made.json()) as { id: string; token: string };
    const key = newId();
    const invited = async () => post(`/v1/orgs/${organizationId}/members`, { email, role: "guest" }, key, token);
    const { id: organizationId } = (await (await create(token, newId())).json()) as { id: string };
    const email = `${newId()}@people.test`;
    expect((await invited()).status).toBe(201);
    expect((await invited()).status).toBe(201);
    const narrowed = await call("PATCH", `/v1/auth/tokens/${id}`, {
      token: session.token,
      body: { capabilities: { Documents: "Read" } },
    });
    expect(narrowed.status).toBe(200);
    for (const prepare of [() => setKeys("created_at = created_at"), loseAnswers]) {
      await prepare();
      const again = await invited();
      expect([403, 404]).toContain(again.status);
      expect(await again.text()).not.toContain(email);
    }
  });

  test("is not answered again for a removed member", async () => {
    const { owner, organizationId, invite } = await inviting();
    const admin = await mintMember(organizationId, "admin");
    const [key, email] = [newId(), `${newId()}@people.test`];
    const { link } = await invite(admin.token, email, key);
    expect((await invite(admin.token, email, key)).link).toBe(link);
    const removed = await call("DELETE", `/v1/orgs/${organizationId}/members/${admin.userId}`, { token: owner.token });
    expect(removed.status).toBe(204);
    const again = await post(`/v1/orgs/${organizationId}/members`, { email, role: "guest" }, key, admin.token);
    expect([again.status, await codeOf(again)]).toEqual([404, "not-found"]);
  });

  test("without a change stores no answer: each repeat reads the current data", async () => {
    const { token } = await mintPerson();
    const { results: before } = await keys();
    const answer = await post("/v1/search", { term: "harbour" }, newId(), token);
    expect(answer.status).toBe(200);
    expect((await keys()).results).toHaveLength(before.length);
  });

  test("that crashed before its change can be repeated after its claim expires", async () => {
    const { token, userId } = await mintPerson();
    const key = newId();
    await create(token, key);
    await env.DB.prepare("DELETE FROM memberships WHERE user_id = ?").bind(userId).run();
    await env.DB.prepare("DELETE FROM committed_requests").run();
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

  test("counts as new after the retention", async () => {
    const { token } = await mintPerson();
    const key = newId();
    await create(token, key);
    for (const set of [setKeys, setMarks]) await set(`created_at = created_at - ${IDEMPOTENCY_RETENTION_MS}`);
    expect((await create(token, key, "Another")).status).toBe(201);
  });

  test("stores neither the key nor its answer in readable form", async () => {
    const { token } = await mintPerson();
    const key = newId();
    const made = await (await create(token, key, "A name nobody else has")).text();
    const kept = JSON.stringify((await keys()).results);
    for (const secret of [key, "A name nobody else has", JSON.parse(made).id]) expect(kept).not.toContain(secret);
  });

  test("is refused with a key that has other than visible ASCII characters or is too long", async () => {
    const { token } = await mintPerson();
    for (const key of ["two words", "x".repeat(201)]) expect((await create(token, key)).status).toBe(400);
  });
});
