import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "puppeteer-core";
import { afterAll, expect, test } from "vitest";
import { z } from "zod";
import { eventually, LONG_PATIENCE } from "../support/patience";
import { seeded } from "../support/random";
import { openTab } from "./support/browser";
import { servePage } from "./support/bundled-page";
import { browser, service, site, useDesk } from "./support/desk";
import { Editor } from "./support/editor.mjs";

/*
 * People write one report through unmodified y-websocket providers: two in Node, two in pages of another origin, with
 * random edits, disconnects, a PUT, a restart and a loss of access.
 */

let server: Server;

/** The functions of the pages' bundle that the test calls. */
interface PageGlobals {
  Editor: typeof Editor;
  editor: Editor;
}

/** The page of an editor, which the test serves. */
const CODE = `import { Editor } from "./editor.mjs"; globalThis.Editor = Editor;`;
const PAGE = `<title>editor</title><script type="module" src="/editor.js"></script>`;

useDesk({ site: "plain" }, async () => {
  server = await servePage(CODE, PAGE);
});
afterAll(() => server?.close());

/** One interface to an editor in Node or in a page. */
interface Driver {
  edit(by: [number, number, number]): Promise<void>;
  type(text: string): Promise<void>;
  disconnect(): Promise<void>;
  connect(token?: string): Promise<void>;
  said(): Promise<string>;
  synced(): Promise<boolean>;
  closed(): Promise<number[]>;
  destroy(): Promise<void>;
}

const admission = z.looseObject({ token: z.string(), serverUrl: z.string(), roomName: z.string() });
const bootstrap = (reportId: string, token: string) =>
  service.api(admission, "POST", `/v1/reports/${reportId}/collaboration/bootstrap`, token);

async function inNode(reportId: string, token: string): Promise<Driver> {
  const editor = new Editor(await bootstrap(reportId, token));
  return {
    edit: async (by) => editor.edit(by),
    type: async (text) => editor.type(text),
    disconnect: async () => editor.disconnect(),
    connect: async (fresh) => editor.connect(fresh),
    said: async () => editor.said(),
    synced: async () => editor.synced,
    closed: async () => editor.closed,
    destroy: async () => editor.destroy(),
  };
}

async function inPage(reportId: string, token: string): Promise<Driver> {
  const page: Page = await openTab(browser);
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  await page.evaluate(
    (admitted) => {
      const globals = globalThis as unknown as PageGlobals;
      globals.editor = new globals.Editor(admitted);
    },
    await bootstrap(reportId, token),
  );
  return {
    edit: (by) => page.evaluate((how) => (globalThis as unknown as PageGlobals).editor.edit(how), by),
    type: (text) => page.evaluate((what) => (globalThis as unknown as PageGlobals).editor.type(what), text),
    disconnect: () => page.evaluate(() => (globalThis as unknown as PageGlobals).editor.disconnect()),
    connect: (fresh) => page.evaluate((with_) => (globalThis as unknown as PageGlobals).editor.connect(with_), fresh),
    said: () => page.evaluate(() => (globalThis as unknown as PageGlobals).editor.said()),
    synced: () => page.evaluate(() => (globalThis as unknown as PageGlobals).editor.synced),
    closed: () => page.evaluate(() => (globalThis as unknown as PageGlobals).editor.closed),
    destroy: () => page.close(),
  };
}

const report = z.looseObject({ id: z.string(), revision: z.int(), contentJson: z.record(z.string(), z.unknown()) });

async function newReport(): Promise<string> {
  const template = await service.api(
    z.looseObject({ id: z.string() }),
    "POST",
    "/v1/reports/templates/users/me",
    site.token,
    {
      key: `walk-${crypto.randomUUID()}`,
      displayName: "Walk",
      htmlLayoutTemplate: "",
      contentTemplateJson: { body: "", items: [] },
      bodyFieldPath: "body",
    },
  );
  const body = { templateId: template.id };
  return (await service.api(report, "POST", `/v1/reports/locations/${site.locationId}`, site.token, body)).id;
}

/** All editors and the report's row have the same draft. */
const converged = (drivers: readonly Driver[], reportId: string) =>
  eventually(async () => {
    const all = await Promise.all(drivers.map((driver) => driver.said()));
    expect(new Set(all).size).toBe(1);
    const { contentJson } = await service.api(report, "GET", `/v1/reports/${reportId}`, site.token);
    expect(contentJson).toEqual(JSON.parse(all[0] ?? ""));
  }, LONG_PATIENCE);

test("two in Node and two in browsers write one report through disconnects, a PUT and a restart", async () => {
  const reportId = await newReport();
  const drivers = [
    await inNode(reportId, site.token),
    await inNode(reportId, site.token),
    await inPage(reportId, site.token),
    await inPage(reportId, site.token),
  ];
  const everybodyIn = () =>
    eventually(async () => {
      for (const driver of drivers) expect(await driver.synced()).toBe(true);
    }, LONG_PATIENCE);
  await everybodyIn();
  const random = seeded(20261121);
  const pick = () => drivers[Math.floor(random() * drivers.length)] ?? drivers[0];
  const write = async (edits: number) => {
    for (let n = 0; n < edits; n++) {
      const driver = pick();
      if (random() < 0.05) await driver?.disconnect();
      await driver?.edit([random(), random(), random()]);
      if (random() < 0.1) for (const other of drivers) await other.connect();
    }
    for (const driver of drivers) await driver.connect();
  };
  await write(120);
  await converged(drivers, reportId);

  const before = await service.api(report, "GET", `/v1/reports/${reportId}`, site.token);
  await drivers[0]?.type("typed while the PUT was on its way");
  await service.api(report, "PUT", `/v1/reports/${reportId}`, site.token, {
    contentJson: { ...before.contentJson, reviewed: true },
    baseRevision: before.revision,
  });
  await converged(drivers, reportId);
  const after = JSON.parse((await drivers[1]?.said()) ?? "");
  expect(after.reviewed).toBe(true);

  await service.restart();
  await write(60);
  await everybodyIn();
  await converged(drivers, reportId);
  for (const driver of drivers) await driver.destroy();
});

test("a person whose token is revoked leaves the room, and others do not get their later edits", async () => {
  const reportId = await newReport();
  const made = z.looseObject({ id: z.string(), token: z.string() });
  const borrowed = await service.api(made, "POST", "/v1/auth/tokens", site.token, { name: "Borrowed" });
  const [ada, eve] = [await inNode(reportId, site.token), await inPage(reportId, borrowed.token)];
  await eventually(async () => expect(await eve.synced()).toBe(true), LONG_PATIENCE);
  await eve.type("before");
  await eventually(async () => expect(JSON.parse(await ada.said()).body).toBe("before"), LONG_PATIENCE);
  await service.api(z.unknown(), "DELETE", `/v1/auth/tokens/${borrowed.id}`, site.token);
  await eventually(async () => expect(await eve.closed()).toEqual([4403]), LONG_PATIENCE);
  await eve.type(" after");
  await ada.type(", alone");
  await eventually(async () => {
    const { contentJson } = await service.api(report, "GET", `/v1/reports/${reportId}`, site.token);
    expect(contentJson.body).toBe("before, alone");
  }, LONG_PATIENCE);
  for (const driver of [ada, eve]) await driver.destroy();
});
