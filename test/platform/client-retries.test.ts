import { exports } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { type ClientOptions, createClient, dataOf, ProblemError, waitFor } from "../../client/src/index";
import { isRead } from "../../client/src/retries";
import { allRows } from "../routes/tables";
import { BASE_URL } from "../support/call";
import { mintOrganization } from "../support/factories";

/* The repeats of the client, over a network that fails as each test says. */

/** What happens to a request: its answer is lost, it never arrives, or another program answers. */
type Fate = "answered" | "answer lost" | "never arrives" | Response;

interface Sent {
  method: string;
  key: string | null;
}

/** A client whose requests have these fates, one after the other; later ones are answered. */
async function newClient(fates: Fate[], options: Partial<ClientOptions> = {}) {
  const { id: organizationId, owner } = await mintOrganization();
  const sent: Sent[] = [];
  const client = createClient({
    baseUrl: BASE_URL,
    personalAccessToken: owner.token,
    fetch: async (request) => {
      sent.push({ method: request.method, key: request.headers.get("idempotency-key") });
      const fate = fates.shift() ?? "answered";
      if (fate instanceof Response) return fate;
      if (fate === "never arrives") throw new TypeError("fetch failed");
      const response = await exports.default.fetch(request);
      if (fate === "answered") return response;
      await response.body?.cancel();
      throw new TypeError("fetch failed");
    },
    ...options,
  });
  const names = async () =>
    (await dataOf(client.api.GET("/v1/spatial/clusters", { params: { query: { organizationId } } }))).items.map(
      ({ name }) => name,
    );
  const create = (signal?: AbortSignal) =>
    dataOf(
      client.api.POST("/v1/spatial/clusters", {
        body: { organizationId, name: "North yard" },
        ...(signal !== undefined && { signal }),
      }),
    );
  return { client, sent, create, names, organizationId };
}

const busy = (status: number, retryAfter: string | null = "0", code = "unavailable"): Response =>
  Response.json(
    { code, detail: "Later." },
    {
      status,
      headers: {
        "content-type": "application/problem+json",
        ...(retryAfter !== null && { "retry-after": retryAfter }),
      },
    },
  );

const thrownBy = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => expect.fail("nothing was thrown"),
    (thrown: unknown) => thrown,
  );

describe("repeats", () => {
  test("make a change once, although its answers were lost", async () => {
    const { sent, create, names } = await newClient(["answer lost", "answer lost"]);
    expect(await create()).toMatchObject({ name: "North yard" });
    expect(sent).toHaveLength(3);
    expect(new Set(sent.map(({ key }) => key)).size).toBe(1);
    expect(sent[0]?.key).toMatch(/^[\x21-\x7e]{20,200}$/);
    expect(await names()).toEqual(["North yard"]);
  });

  test("have another key for another request, and the caller's own one", async () => {
    const { client, sent, create, organizationId } = await newClient([]);
    await create();
    await create();
    await dataOf(
      client.api.POST("/v1/spatial/clusters", {
        body: { organizationId, name: "South yard" },
        headers: { "idempotency-key": "mine-1" },
      }),
    );
    expect(new Set(sent.map(({ key }) => key)).size).toBe(3);
    expect(sent[2]?.key).toBe("mine-1");
  });

  test.each([429, 503])("follow an answer %i, and wait for its Retry-After", async (status) => {
    const timers = vi.spyOn(globalThis, "setTimeout");
    const { sent, names } = await newClient([busy(status), busy(status, "1")]);
    expect(await names()).toEqual([]);
    expect(sent).toHaveLength(3);
    expect(timers.mock.calls.map(([, ms]) => ms)).toEqual(expect.arrayContaining([0, 1_000]));
    timers.mockRestore();
  });

  test("wait while the first request still runs", async () => {
    const { sent, create, names } = await newClient([busy(409, "0", "request-in-progress")]);
    await create();
    expect(sent).toHaveLength(2);
    expect(await names()).toEqual(["North yard"]);
  });

  test.each([
    ["another conflict", busy(409, "0", "conflict")],
    ["a refusal", busy(403)],
    ["a fault", busy(500)],
  ])("do not follow %s", async (_, answer) => {
    const { sent, create } = await newClient([answer]);
    expect(await thrownBy(create())).toBeInstanceOf(ProblemError);
    expect(sent).toHaveLength(1);
  });

  test("end after the attempts, with the last answer", async () => {
    const { sent, names } = await newClient([busy(503), busy(503), busy(503), busy(503)]);
    expect(await thrownBy(names())).toMatchObject({ status: 503, retryAfter: 0 });
    expect(sent).toHaveLength(4);
    const two = await newClient(["never arrives", "never arrives"], { retries: { attempts: 2 } });
    expect(await thrownBy(two.names())).toBeInstanceOf(TypeError);
    expect(two.sent).toHaveLength(2);
  });

  test.each([["61"], [new Date(Date.now() + 3_600_000).toUTCString()]])(
    "do not begin to wait longer than the bound: %s",
    async (retryAfter) => {
      const { sent, names } = await newClient([busy(429, retryAfter)]);
      const refused = await thrownBy(names());
      expect((refused as ProblemError).retryAfter).toBeGreaterThan(60);
      expect(sent).toHaveLength(1);
    },
  );

  test("read a Retry-After that is a date, and try again at once if it has passed", async () => {
    const { sent, names } = await newClient([busy(503, new Date(Date.now() - 1_000).toUTCString())]);
    expect(await names()).toEqual([]);
    expect(sent).toHaveLength(2);
  });

  test("end with the signal of the request while they wait", async () => {
    const { sent, create } = await newClient([busy(503, "50")]);
    const stop = new AbortController();
    const call = thrownBy(create(stop.signal));
    stop.abort(new Error("enough"));
    expect(String(await call)).toContain("enough");
    expect(sent.length).toBeLessThan(2);
  });

  test("of a PATCH that names a revision get the answer of its own change", async () => {
    const { client, sent, create, names } = await newClient(["answered", "answer lost"]);
    const { id: clusterId, revision } = await create();
    const changed = await dataOf(
      client.api.PATCH("/v1/spatial/clusters/{clusterId}", {
        params: { path: { clusterId } },
        body: { name: "Other", baseRevision: revision },
      }),
    );
    expect(changed).toMatchObject({ name: "Other", revision: revision + 1 });
    expect(await names()).toEqual(["Other"]);
    expect(sent[1]?.key).toMatch(/^[\x21-\x7e]{20,200}$/);
    expect(sent[2]?.key).toBe(sent[1]?.key);
  });

  test("of a PUT that names a revision have a key, and others need none", async () => {
    const { client, sent, organizationId } = await newClient(["answered", "answer lost"]);
    const put = (slogan: string, baseRevision?: number) =>
      dataOf(
        client.api.PUT("/v1/orgs/{organizationId}/branding", {
          params: { path: { organizationId } },
          body: { slogan, ...(baseRevision !== undefined && { baseRevision }) },
        }),
      );
    const { revision } = await put("First");
    expect(await put("Second", revision)).toMatchObject({ slogan: "Second", revision: revision + 1 });
    expect(sent.map(({ key }) => key)).toEqual([null, sent[1]?.key, sent[1]?.key]);
    expect(sent[1]?.key).not.toBeNull();
  });

  test("are off with `retries: false`, and so are keys", async () => {
    const { sent, create } = await newClient(["never arrives"], { retries: false });
    expect(await thrownBy(create())).toBeInstanceOf(TypeError);
    expect(sent).toEqual([{ method: "POST", key: null }]);
  });

  test("of a search need no key", async () => {
    const { client, sent } = await newClient(["never arrives"]);
    await dataOf(client.api.POST("/v1/search", { body: { term: "crane", limit: 10 } }));
    expect(sent).toEqual([
      { method: "POST", key: null },
      { method: "POST", key: null },
    ]);
  });
});

test("a POST without a key is one whose repeat stores nothing", () => {
  const reads = allRows.filter(({ route }) => {
    const [method = "", path = ""] = route.split(" ");
    return isRead({ method, url: `${BASE_URL}${path}` });
  });
  expect(reads.length).toBeGreaterThan(5);
  expect(reads.filter(({ answersAnew }) => !answersAnew)).toEqual([]);
});

describe("waiting for work", () => {
  test("asks at its Location until it has ended", async () => {
    const { client, organizationId } = await newClient([]);
    const states: string[] = [];
    const ended = waitFor(
      client,
      client.api.POST("/v1/orgs/{organizationId}/exports", { params: { path: { organizationId } }, body: {} }),
      { onProgress: ({ status }) => states.push(status) },
    );
    const { status, downloadUrl } = await ended;
    expect({ status, last: states.at(-1) }).toEqual({ status: "ready", last: "ready" });
    expect(downloadUrl).toContain("/v1/");
  });

  test("throws what the service refused", async () => {
    const { client } = await newClient([]);
    const params = { path: { reportId: crypto.randomUUID() } };
    const refused = thrownBy(waitFor(client, client.api.POST("/v1/reports/{reportId}/generate-pdf", { params })));
    expect(await refused).toMatchObject({ status: 404 });
  });

  const started = (location: string): Response =>
    Response.json({ status: "queued" }, { status: 202, headers: { location, "retry-after": "1" } });
  const begin = (fates: Fate[]) =>
    newClient(fates).then(({ client, sent, organizationId }) => ({
      sent,
      client,
      starting: client.api.POST("/v1/orgs/{organizationId}/exports", {
        params: { path: { organizationId } },
        body: {},
      }),
    }));

  test.each(["https://other.example/steal", "//other.example/steal", "/\\other.example", "jobs/1"])(
    "sends no token to %s",
    async (location) => {
      const { client, starting, sent } = await begin([started(location)]);
      expect(String(await thrownBy(waitFor(client, starting)))).toContain("no path of the service");
      expect(sent).toHaveLength(1);
    },
  );

  test("ends after its time, and with its signal", async () => {
    const slow = await begin([started("/v1/auth/me")]);
    expect(await thrownBy(waitFor(slow.client, slow.starting, { timeoutSeconds: 0.05 }))).toMatchObject({
      name: "TimeoutError",
    });
    const left = await begin([started("/v1/auth/me")]);
    const stopped = waitFor(left.client, left.starting, { signal: AbortSignal.abort(new Error("enough")) });
    expect(String(await thrownBy(stopped))).toContain("enough");
  });
});
