import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import type { Browser } from "puppeteer-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { localSecrets } from "../../scripts/secrets.mjs";
import { freePort } from "../../scripts/service/options.mjs";
import { copyPreparedState, preparedWorker } from "../../scripts/service/prepared.mjs";
import { serve } from "../../scripts/service/serve.mjs";
import { LONG_PATIENCE } from "../support/patience";
import { openBrowser, openTab } from "./support/browser";

const stateDir = mkdtempSync(join(tmpdir(), "reference-"));
let service: Awaited<ReturnType<typeof serve>>;
let browser: Browser;

beforeAll(async () => {
  copyPreparedState(stateDir);
  const port = await freePort();
  service = await serve({ ...preparedWorker, port, stateDir, secretsFile: localSecrets(stateDir) });
  browser = await openBrowser();
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
  rmSync(stateDir, { recursive: true, force: true });
});

test("/openapi.json is a valid OpenAPI 3.1 document", async () => {
  const description = (await (await fetch(`${service.url}/openapi.json`)).json()) as Record<string, unknown>;
  const validator = new Validator();
  const { valid, errors } = await validator.validate(description);
  expect(errors ?? []).toEqual([]);
  expect(valid).toBe(true);
  expect(validator.version).toBe("3.1");
});

describe("the reference page", () => {
  test("shows every operation, sends no request to another host and violates no rule of its policy", async () => {
    const { paths } = (await (await fetch(`${service.url}/openapi.json`)).json()) as { paths: Record<string, object> };
    const operations = Object.values(paths).reduce((sum, methods) => sum + Object.keys(methods).length, 0);
    const page = await openTab(browser);
    const [requests, complaints]: [string[], string[]] = [[], []];
    page.on("request", (request) => requests.push(request.url()));
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(String(error)));
    const response = await page.goto(`${service.url}/docs`, { waitUntil: "networkidle0" });
    expect(response?.headers()["content-security-policy"]).toContain(
      `default-src 'none'; script-src ${service.url}/docs/; style-src ${service.url}/docs/;`,
    );
    await page.waitForSelector(".opblock");
    // A long description is drawn when it is scrolled into view.
    const seen = new Set<string>();
    await page.mouse.move(400, 300);
    await vi.waitFor(
      async () => {
        for (const id of await page.$$eval(".opblock", (blocks) =>
          blocks.map((block) => block.getAttribute("id") ?? ""),
        ))
          seen.add(id);
        await page.mouse.wheel({ deltaY: 400 });
        expect(seen.size).toBe(operations);
      },
      { timeout: LONG_PATIENCE, interval: 50 },
    );
    // The page draws scrolled parts again, so the test clicks when nothing moves any more.
    await page.locator(".opblock-post .opblock-summary-control").click();
    await page.waitForSelector(".opblock-body .execute");
    expect(requests.filter((url) => !url.startsWith(`${service.url}/`) && !url.startsWith("data:"))).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test("has no other files", async () => {
    for (const path of ["/docs/absent.js", "/docs/..%2fpage.html", "/page.html", "/docs/page.html"])
      expect((await fetch(`${service.url}${path}`)).status, path).toBe(404);
  });
});
