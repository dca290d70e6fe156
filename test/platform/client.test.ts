import { exports } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { checksumOf } from "../../client/src/checksum";
import {
  type ClientOptions,
  createClient,
  dataOf,
  eachItem,
  memoryStore,
  ProblemError,
  type SessionTokens,
  TransferError,
} from "../../client/src/index";
import { BASE_URL } from "../support/call";
import { mintCluster, mintLocation, mintOrganization } from "../support/factories";

const password = "correct horse battery staple";

/** A client of the service under test that records its requests. */
function newClient(options: Partial<ClientOptions> = {}) {
  const sent: string[] = [];
  const tokens = memoryStore();
  const client = createClient({
    baseUrl: BASE_URL,
    tokens,
    fetch: (request) => {
      sent.push(`${request.method} ${new URL(request.url).pathname}`);
      return exports.default.fetch(request);
    },
    ...options,
  });
  return { client, sent, tokens };
}

/** A user who is signed in through the client. */
async function signedIn() {
  const email = `${crypto.randomUUID()}@people.test`;
  const made = newClient();
  await dataOf(made.client.api.POST("/v1/auth/register", { body: { email, password, displayName: "Ada" } }));
  await made.client.signIn({ email, password });
  made.sent.length = 0;
  return { ...made, email };
}

const problemOf = (call: Promise<unknown>): Promise<ProblemError> =>
  call.then(
    () => expect.fail("nothing was refused"),
    (thrown) => (thrown instanceof ProblemError ? thrown : expect.fail(String(thrown))),
  );

describe("the session of the client", () => {
  test("renews an access token that ends, once for calls at the same time", async () => {
    const { client, sent, tokens, email } = await signedIn();
    const begun = tokens.read() as SessionTokens;
    tokens.write({ ...begun, expiresAtUtc: new Date(Date.now() + 1_000).toISOString() });
    const profiles = await Promise.all([1, 2, 3].map(() => dataOf(client.api.GET("/v1/auth/me"))));
    expect(profiles.map(({ user }) => user.email)).toEqual([email, email, email]);
    expect(sent.filter((request) => request === "POST /v1/auth/refresh")).toHaveLength(1);
    expect(tokens.read()?.refreshToken).not.toBe(begun.refreshToken);
  });

  test("renews an access token that is refused, and sends the request with its body again", async () => {
    const { client, sent, tokens } = await signedIn();
    const begun = tokens.read() as SessionTokens;
    tokens.write({ ...begun, accessToken: "ended" });
    const cluster = { organizationId: null, name: "North yard" };
    expect(await dataOf(client.api.POST("/v1/spatial/clusters", { body: cluster }))).toMatchObject(cluster);
    expect(sent).toEqual(["POST /v1/spatial/clusters", "POST /v1/auth/refresh", "POST /v1/spatial/clusters"]);
  });

  test("gives an access token that has not ended, for connections", async () => {
    const { client, sent, tokens } = await signedIn();
    const begun = tokens.read() as SessionTokens;
    expect(await client.accessToken()).toBe(begun.accessToken);
    tokens.write({ ...begun, expiresAtUtc: new Date(Date.now() + 1_000).toISOString() });
    expect(await client.accessToken()).toBe(tokens.read()?.accessToken);
    expect(sent).toEqual(["POST /v1/auth/refresh"]);
    tokens.write(null);
    expect(await client.accessToken()).toBeNull();
  });

  test("ends when the service has ended it", async () => {
    const { client, tokens } = await signedIn();
    const begun = tokens.read() as SessionTokens;
    await client.signOut();
    expect(tokens.read()).toBeNull();
    tokens.write(begun);
    expect((await problemOf(dataOf(client.api.GET("/v1/auth/me")))).status).toBe(401);
    expect(tokens.read()).toBeNull();
  });
});

test("a refusal is a typed problem", async () => {
  const { owner } = await mintOrganization();
  const { client } = newClient({ personalAccessToken: owner.token });
  const body = { organizationId: null, name: "" };
  const refused = await problemOf(dataOf(client.api.POST("/v1/spatial/clusters", { body })));
  expect(refused).toMatchObject({ status: 400, code: "validation-failed", retryAfter: null });
  expect(refused.problem?.errors).toContainEqual({ path: "name", message: expect.any(String) });
  expect(refused.message).toContain("name");
});

test("a file is uploaded with its checksum, to the document", async () => {
  const { id: organizationId, owner } = await mintOrganization();
  const { id: locationId } = await mintLocation({ organizationId });
  const { client } = newClient({ personalAccessToken: owner.token });
  const file = new Blob(["The tide gauge reads four metres."], { type: "text/plain" });
  const told: [number, number][] = [];
  const document = await client.uploadDocument(
    { locationId, file, fileName: "gauge.txt", path: "tides" },
    { onProgress: (...progress) => told.push(progress) },
  );
  expect(document).toMatchObject({ locationId, fileName: "gauge.txt", path: "tides", sizeBytes: file.size });
  expect(told.at(-1)).toEqual([file.size, file.size]);
  const params = { path: { documentId: document.id } };
  const { url } = await dataOf(
    client.api.GET("/v1/documents/{documentId}/download", { params, headers: { accept: "application/json" } }),
  );
  expect(await (await exports.default.fetch(url)).text()).toBe(await file.text());
});

test("an upload that the object store refuses says its reason and the id of its request", async () => {
  const { id: organizationId, owner } = await mintOrganization();
  const { id: locationId } = await mintLocation({ organizationId });
  const { client } = newClient({
    personalAccessToken: owner.token,
    // The bytes are damaged on their way.
    fetch: (request) =>
      exports.default.fetch(request.method === "PUT" ? new Request(request, { body: "12345" }) : request),
  });
  const refused = await client.uploadDocument({ locationId, file: new Blob(["12344"]), fileName: "gauge.txt" }).then(
    () => expect.fail("nothing was refused"),
    (thrown) => (thrown instanceof TransferError ? thrown : expect.fail(String(thrown))),
  );
  expect(refused).toMatchObject({ status: 400, reason: expect.stringContaining("SHA-256") });
  expect(refused.requestId).toMatch(/^[\da-f-]{36}$/);
});

test("the reason of a refused transfer is plain text", () => {
  const body = (text: string) => `<Error><Message>${text}</Message><RequestId>a&amp;b</RequestId></Error>`;
  const reasons: [xml: string, text: string][] = [
    ["&lt;A&gt; &amp; &quot;B&quot; isn&apos;t", '<A> & "B" isn\'t'],
    ["caf&#233; &#x1F6A2;", "café 🚢"],
    ["&amp;lt;", "&lt;"],
    ["&nope; &#9999999; & 5", "&nope; &#9999999; & 5"],
  ];
  for (const [xml, text] of reasons)
    expect(new TransferError({ status: 400, body: body(xml) })).toMatchObject({ reason: text, requestId: "a&b" });
});

test("the checksum of a large file is computed in slices", async () => {
  const sizes: number[] = [];
  class Watched extends Blob {
    override arrayBuffer(): Promise<ArrayBuffer> {
      sizes.push(this.size);
      return super.arrayBuffer();
    }
    override slice(from?: number, to?: number): Blob {
      return new Watched([super.slice(from, to)]);
    }
  }
  const bytes = Uint8Array.from({ length: 9 * 1024 * 1024 + 1 }, (_, i) => (i * i) % 251);
  const digest = Buffer.from(await crypto.subtle.digest("SHA-256", bytes)).toString("hex");
  expect(await checksumOf(new Watched([bytes]))).toBe(digest);
  expect(sizes.length).toBe(3);
  expect(Math.max(...sizes)).toBe(4 * 1024 * 1024);
});

test("a list is read item by item, a page at a time", async () => {
  const { id: organizationId, owner } = await mintOrganization();
  const { client, sent } = newClient({ personalAccessToken: owner.token });
  const ids = new Set(await Promise.all([1, 2, 3, 4, 5].map(() => mintCluster({ organizationId }))));
  const clusters = eachItem((cursor) =>
    dataOf(client.api.GET("/v1/spatial/clusters", { params: { query: { organizationId, limit: 2, cursor } } })),
  );
  expect((await clusters.next()).value?.id).toSatisfy((id: string) => ids.delete(id));
  expect(sent).toHaveLength(1);
  for await (const { id } of clusters) expect(ids.delete(id)).toBe(true);
  expect(ids.size).toBe(0);
  expect(sent).toHaveLength(3);
});
