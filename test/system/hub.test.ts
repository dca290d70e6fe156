import { createReadStream } from "node:fs";
import { createServer, type Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import * as signalR from "@microsoft/signalr";
import * as messagePack from "@microsoft/signalr-protocol-msgpack";
import type { Browser, Page } from "puppeteer-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { beforeItEnds, eventually, LONG_PATIENCE } from "../support/patience";
import { openBrowser, openTab } from "./support/browser";
import { connect, survivors, walk } from "./support/hub-walk.mjs";
import { newSite, RunningService, type Site } from "./support/running";

const ways = [
  { transport: "WebSockets", protocol: "json" },
  { transport: "WebSockets", protocol: "messagepack" },
  { transport: "WebSockets", protocol: "json", skipNegotiation: true },
  { transport: "ServerSentEvents", protocol: "json" },
  { transport: "LongPolling", protocol: "json" },
  { transport: "LongPolling", protocol: "messagepack" },
] as const;
type Way = (typeof ways)[number];
const nameOf = (way: Way) =>
  `${way.transport}, ${way.protocol}${"skipNegotiation" in way ? ", without negotiation" : ""}`;

let service: RunningService;
let site: Site;
let hidden: Site;
let pages: Server;
let browser: Browser;
let page: Page;
let witness: signalR.HubConnection;
const target = () => ({
  url: service.url,
  token: site.token,
  locationId: site.locationId,
  hiddenId: hidden.locationId,
});

/** Edits the location like a person. Returns the new revision. */
async function edit(): Promise<number> {
  const edited = z.object({ revision: z.int() });
  const body = { description: crypto.randomUUID() };
  return (await service.api(edited, "PATCH", `/v1/spatial/locations/${site.locationId}`, site.token, body)).revision;
}

/** A connection that receives every edit until the service ends. */
async function newWitness(): Promise<signalR.HubConnection> {
  const connection = connect(signalR, messagePack, target(), { transport: "WebSockets", protocol: "json" });
  await connection.start();
  await connection.invoke("JoinLocation", site.locationId);
  return connection;
}

/** Edits the location, and waits until the event was sent to all listeners, so that nobody receives it later. */
async function touch(): Promise<number> {
  const told = new Set<number>();
  const hear = (_: string, { revision }: { revision: number }) => void told.add(revision);
  witness.on("StateUpdated", hear);
  const revision = await edit();
  await eventually(() => expect([...told]).toContain(revision), LONG_PATIENCE);
  witness.off("StateUpdated", hear);
  return revision;
}

const require = createRequire(import.meta.url);
const inBrowser = (module: string, file: string) =>
  join(dirname(require.resolve(`${module}/package.json`)), "dist/browser", file);
const files: Readonly<Record<string, string>> = {
  "/signalr.js": inBrowser("@microsoft/signalr", "signalr.js"),
  "/msgpack.js": inBrowser("@microsoft/signalr-protocol-msgpack", "signalr-protocol-msgpack.js"),
  "/walk.mjs": join(import.meta.dirname, "support/hub-walk.mjs"),
};

/** The functions of the page's script that the test calls. */
interface PageGlobals {
  walkHere(target: object, way: object): ReturnType<typeof walk>;
  surviveHere(target: object, ways: readonly object[]): Promise<void>;
}

const PAGE = `<script src="/signalr.js"></script><script src="/msgpack.js"></script><script type="module">
  import { survivors, walk } from "/walk.mjs";
  globalThis.walkHere = (target, way) => walk(signalR, signalR.protocols.msgpack, target, way, touch);
  globalThis.surviveHere = (target, ways) => {
    globalThis.survivors = survivors(signalR, signalR.protocols.msgpack, target, ways);
    return globalThis.survivors.start();
  };
</script>`;

/** Serves a page of another origin than the service's, with the browser's builds of the official clients. */
async function servePages(): Promise<Server> {
  const server = createServer((request, response) => {
    const file = files[request.url ?? ""];
    response.setHeader("content-type", file === undefined ? "text/html" : "text/javascript");
    if (file === undefined) response.end(PAGE);
    else createReadStream(file).pipe(response);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return server;
}

const originOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

beforeAll(async () => {
  pages = await servePages();
  const origin = originOf(pages);
  service = await RunningService.start({ ALLOWED_ORIGINS: origin });
  [site, hidden] = [await newSite(service), await newSite(service)];
  witness = await newWitness();
  browser = await openBrowser("--disable-background-networking", "--disable-component-update");
  page = await openTab(browser);
  await page.exposeFunction("touch", touch);
  await page.goto(origin);
  await page.waitForFunction("globalThis.surviveHere !== undefined");
});

afterAll(async () => {
  await witness?.stop();
  await browser?.close();
  pages?.close();
  await service?.stop();
});

const walkInPage = (way: Way) =>
  page.evaluate((to, how) => (globalThis as unknown as PageGlobals).walkHere(to, how), target(), way);

function expectWalked(seen: Awaited<ReturnType<typeof walk>>): void {
  const [first, , third] = seen.revisions;
  expect(seen).toMatchObject({
    locationId: site.locationId,
    denied: expect.stringContaining("HubException: There is no such location"),
    unknown: "Unknown hub method 'Dance'",
    bad: "Failed to invoke 'JoinLocation' due to an error on the server.",
    heard: [first, third],
    ended: expect.stringContaining("The maximum message size of 32768B was exceeded"),
  });
}

describe.each(ways.map((way) => [nameOf(way), way] as const))("over %s", (_, way) => {
  test("the client in Node signs in, joins and receives events", async () => {
    expectWalked(await walk(signalR, messagePack, target(), way, touch));
  });

  test("the client in a browser, on a page of another origin, signs in, joins and receives events", async () => {
    expectWalked(await walkInPage(way));
  });
});

test("a page of an origin that is not configured is refused", async () => {
  const other = await openTab(browser);
  const server = await servePages();
  await other.goto(originOf(server));
  const blocked = await other.evaluate(
    (url, token) =>
      fetch(`${url}/sync-hub/negotiate?negotiateVersion=1`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}` },
      }).then(
        () => "let in",
        () => "blocked",
      ),
    service.url,
    site.token,
  );
  expect(blocked).toBe("blocked");
  await other.close();
  server.close();
});

/**
 * Clients in Node and in the page, which have joined. `strike` ends their connections. All of them reconnect, join
 * again and receive events.
 */
async function expectSurvival(ways: readonly Way[], to: object, strike: () => Promise<unknown>): Promise<void> {
  const inNode = survivors(signalR, messagePack, { ...target(), ...to }, ways);
  await inNode.start();
  const there = { ...target(), ...to };
  await page.evaluate((at, how) => (globalThis as unknown as PageGlobals).surviveHere(at, how), there, ways);
  await strike();
  await Promise.all([inNode.rejoin(), page.evaluate("survivors.rejoin()")]);
  const revision = await edit();
  const expected = ways.map(() => revision);
  expect(await inNode.heard()).toEqual(expected);
  expect(await page.evaluate("survivors.heard()")).toEqual(expected);
  await Promise.all([inNode.stop(), page.evaluate("survivors.stop()")]);
}

test("when a token expires, every client reconnects by itself with the next one", async () => {
  const made = z.object({ id: z.string(), token: z.string() });
  const brief = await service.api(made, "POST", "/v1/auth/tokens", site.token, { name: "Brief" });
  // The service refuses an end if it has passed when the service reads the request.
  const endSoon = (endsAt: number) =>
    service
      .api(z.object({}), "PATCH", `/v1/auth/tokens/${brief.id}`, site.token, {
        expiresAtUtc: new Date(endsAt).toISOString(),
      })
      .catch(() => null);
  await expectSurvival(ways, { token: brief.token, nextToken: site.token }, () => beforeItEnds(endSoon));
});

test("after a crash of the service, every client reconnects by itself, joins again and receives the next event", async () => {
  await expectSurvival(ways, {}, () => service.restart());
});
