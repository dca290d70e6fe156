import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeEach, describe, expect, test, vi } from "vitest";
import { cameraFolder } from "../../../gateway/src/camera/camera";
import { Papers } from "../../../gateway/src/camera/identity";
import { pair } from "../../../gateway/src/commands/pair";
import { makeFolder } from "../../../gateway/src/files";
import { Budget } from "../../../gateway/src/service/budget";
import { Service } from "../../../gateway/src/service/client";
import { fullJitter, MAX_BACKOFF_MS, Waiting } from "../../../gateway/src/service/waiting";
import { isProtected, settingsSchema } from "../../../gateway/src/settings";

const never = new AbortController().signal;
const root = mkdtempSync(join(tmpdir(), "client-"));
const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
  rmSync(root, { recursive: true, force: true });
});

async function listen(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return (server.address() as AddressInfo).port;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;
const serve = async (handler: Handler) => `http://127.0.0.1:${await listen(createServer(handler))}`;
const say =
  (status: number, body: unknown, headers: Record<string, string> = {}): Handler =>
  (_request, response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };
const problem = (status: number, code: string, headers: Record<string, string> = {}) =>
  say(
    status,
    { type: `urn:problem:${code}`, title: "", status, detail: "why", code },
    { "content-type": "application/problem+json", ...headers },
  );

describe("an answer", () => {
  const ask = async (handler: Handler) => new Service(await serve(handler), "svccam1.a.b", never).status(randomUUID());

  test.each<[string, Handler, object]>([
    ["a page of a captive portal", say(200, "<html>", { "content-type": "text/html" }), { reason: "stranger" }],
    ["JSON of somebody else", say(200, { signIn: true }), { reason: "stranger" }],
    ["a redirect", say(302, "", { location: "/elsewhere" }), { reason: "stranger" }],
    ["a refusal of somebody else", say(401, { error: "sign in" }), { reason: "stranger" }],
    ["a refusal of the service", problem(404, "not-found"), { status: 404, code: "not-found" }],
    ["a limit", problem(429, "rate-limited", { "retry-after": "7" }), { reason: "limited", retryAfterMs: 7_000 }],
    ["an outage", problem(503, "unavailable", { "retry-after": "2" }), { reason: "failing", retryAfterMs: 2_000 }],
    ["a gateway's error", say(502, "bad gateway"), { reason: "failing" }],
    ["no room", problem(507, "storage-full"), { name: "Problem", code: "storage-full" }],
    ["a cut connection", (request) => void request.socket.destroy(), { reason: "network" }],
    ["an endless answer", say(200, "x".repeat(300_000)), { reason: "network" }],
  ])("%s is classified correctly", async (_what, handler, expected) => {
    await expect(ask(handler)).rejects.toMatchObject(expected);
  });

  test("that is not available stops every call of the device for the time that it asks for", async () => {
    const service = new Service(await serve(problem(503, "busy", { "retry-after": "7" })), "svccam1.a.b", never);
    expect(service.budget.take(true)).toBe(0);
    await expect(service.status("x")).rejects.toMatchObject({ retryAfterMs: 7_000 });
    const ms = service.budget.take(true);
    expect(ms).toBeGreaterThan(0);
    expect(ms).toBeLessThanOrEqual(7_000);
  });

  test.each(["announcement", "other call"])(
    "that limits an %s postpones new uploads, and no other call",
    async (call) => {
      const answer = problem(429, "rate-limited", { "retry-after": "7" });
      const service = new Service(await serve(answer), "svccam1.a.b", never);
      const announcement = {} as Parameters<typeof service.announce>[0];
      const refused = call === "announcement" ? service.announce(announcement) : service.complete("x");
      const reason = call === "announcement" ? "postponed" : "limited";
      await expect(refused).rejects.toMatchObject({ reason, retryAfterMs: 7_000 });
      expect(service.budget.take(true)).toBe(0);
      const ms = service.budget.begin(4);
      expect(ms).toBeGreaterThan(0);
      expect(ms).toBeLessThanOrEqual(7_000);
      service.budget.resume();
      expect(service.budget.begin(4)).toBe(0);
    },
  );

  test("over TLS needs a trusted certificate, with any environment variables", async () => {
    const pem = (name: string) => readFileSync(`test/fixtures/tls/untrusted-${name}.pem`);
    const heard = vi.fn();
    const server = createTlsServer({ key: pem("key"), cert: pem("certificate") }, heard);
    const port = await listen(server);
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    const service = new Service(`https://localhost:${port}`, "svccam1.a.b", never);
    await expect(service.configuration(null)).rejects.toMatchObject({ reason: "network" });
    vi.unstubAllEnvs();
    expect(heard).not.toHaveBeenCalled();
  });
});

describe("the credential", () => {
  test("is sent to the service, and never to the object store", async () => {
    const seen: [string | undefined, string | undefined][] = [];
    const url = await serve((request, response) => {
      seen.push([request.url, request.headers.authorization]);
      request.resume().on("end", () => response.end());
    });
    const file = join(root, "image.jpg");
    writeFileSync(file, "bytes");
    const service = new Service(url, "svccam1.a.b", never);
    await expect(service.status("x")).rejects.toMatchObject({ reason: "stranger" });
    expect(await service.put(`${url}/objects/1`, { "content-type": "image/jpeg" }, file, 5)).toBe("sent");
    expect(seen).toEqual([
      ["/v1/camera-ingestion/uploads/x", "Bearer svccam1.a.b"],
      ["/objects/1", undefined],
    ]);
  });

  test("is sent without TLS only to this machine", async () => {
    expect(isProtected(new URL("http://service.test"))).toBe(false);
    expect(isProtected(new URL("http://127.0.0.1.service.test"))).toBe(false);
    expect(isProtected(new URL("http://127.0.0.1:8787"))).toBe(true);
    const settings = { stateFolder: "/state", cameras: [{ name: "a", source: { type: "folder", path: "/in" } }] };
    expect(settingsSchema.safeParse({ ...settings, service: "http://service.test" }).success).toBe(false);
    expect(settingsSchema.safeParse({ ...settings, service: "https://service.test" }).success).toBe(true);
    await expect(new Service("http://service.test", "svccam1.a.b", never).status("x")).rejects.toMatchObject({
      reason: "network",
    });
  });
});

test("an older service that does not know the expected camera is asked without it", async () => {
  const stateFolder = mkdtempSync(join(root, "state-"));
  const asked: object[] = [];
  const redeemed = { cameraId: randomUUID(), credentialId: randomUUID(), assignmentGeneration: 1 };
  const service = await serve((request, response) => {
    request.on("data", (part) => asked.push(JSON.parse(part)));
    request.on("end", () => {
      if (asked.length % 2 === 1) problem(400, "validation-failed")(request, response);
      else say(200, redeemed)(request, response);
    });
  });
  const cameras = [{ name: "gate", source: { type: "folder", path: "/in" } }];
  const papers = new Papers(cameraFolder(stateFolder, "gate"));
  makeFolder(cameraFolder(stateFolder, "gate"));
  const known = { service, cameraId: redeemed.cameraId, credentialId: randomUUID(), credential: "svccam1.a.b" };
  papers.setIdentity(known);
  const again = () =>
    pair(settingsSchema.parse({ service, stateFolder, cameras }), "gate", async () => "ABCDEFGH", never);
  await again();
  expect(asked).toEqual([
    expect.objectContaining({ cameraId: redeemed.cameraId }),
    expect.not.objectContaining({ cameraId: expect.anything() }),
  ]);
  expect(papers.identity()).toMatchObject({ cameraId: redeemed.cameraId, credentialId: redeemed.credentialId });
  papers.setIdentity({ ...known, cameraId: randomUUID() });
  await expect(again()).rejects.toThrow(/former device has no access/);
  expect(papers.identity()).toMatchObject({ credentialId: known.credentialId });
});

describe("pauses", () => {
  test("are random up to a bound that doubles to at most five minutes", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 200 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (failures, drawn) => {
          const ms = fullJitter(failures, () => drawn);
          expect(ms).toBe(drawn * Math.min(MAX_BACKOFF_MS, 1_000 * 2 ** (failures - 1)));
        },
      ),
    );
  });

  test("end early on an event, and fail when they are stopped", async () => {
    const waiting = new Waiting();
    const resting = waiting.rest(1e9, never);
    waiting.wake();
    await resting;
    const stop = new AbortController();
    const stopped = waiting.rest(1e9, stop.signal);
    stop.abort(new Error("stopped"));
    await expect(stopped).rejects.toThrow("stopped");
    await expect(waiting.rest(1e9, stop.signal)).rejects.toThrow("stopped");
  });
});

describe("the budget", () => {
  let now = 0;
  beforeEach(() => {
    now = 0;
  });

  test("limits requests and uploads in any minute to the service's limits", () => {
    const steps = fc.array(fc.record({ ms: fc.nat(5_000), isUrgent: fc.boolean() }), { minLength: 50, maxLength: 300 });
    fc.assert(
      fc.property(steps, (given) => {
        now = 0;
        const budget = new Budget(() => now);
        budget.limit(30);
        const [asked, begun]: [number[], number[]] = [[], []];
        for (const { ms, isUrgent } of given) {
          now += ms;
          if (budget.take(isUrgent) === 0) asked.push(now);
          if (budget.begin(4) === 0) begun.push(now);
        }
        for (const at of asked)
          expect(asked.filter((other) => other >= at && other < at + 60_000).length).toBeLessThanOrEqual(30);
        for (const at of begun)
          expect(begun.filter((other) => other >= at && other < at + 60_000).length).toBeLessThanOrEqual(4);
      }),
    );
  });

  test("waits for its pause, and at least for the time of Retry-After", () => {
    const budget = new Budget(() => now);
    while (budget.take(false) === 0);
    const ms = budget.take(false);
    now += ms - 1;
    expect(budget.take(false)).toBeGreaterThan(0);
    now += 1.001;
    expect(budget.take(false)).toBe(0);
    budget.close(10_000);
    expect(budget.take(true)).toBe(10_000);
  });
});
