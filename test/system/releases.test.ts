import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { unzipSync } from "fflate";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { sendImage } from "../../scripts/release/device.mjs";
import { openClient } from "../../scripts/seed/client.mjs";
import { eventually, LONG_PATIENCE } from "../support/patience";
import { RunningService } from "./support/running";
import { readState } from "./support/state";

/*
 * Continues the state of each release with the current code, as `npm start` does: the later migrations run over its
 * rows. A state is made by `npm run release-state`, with the code of its release.
 */

const FOLDER = resolve(import.meta.dirname, "../fixtures/releases");
const RELEASES = readdirSync(FOLDER).filter((name) => name.endsWith(".zip"));
const IMAGE = resolve(import.meta.dirname, "../fixtures/jpeg/baseline-444.jpg");

const contentsSchema = z.object({
  email: z.string(),
  password: z.string(),
  token: z.string(),
  search: z.string(),
  organizationId: z.string(),
  locationId: z.string(),
  cameraId: z.string(),
  device: z.string(),
  captureId: z.string(),
  shareToken: z.string(),
});

/** Tables whose rows come and go while the service runs, or are made from others. */
const PASSING = /^(search_|sqlite_|_cf_|jobs$|job_|guards$|rate_windows$|idempotency_keys$|committed_requests$)/;

/** The number of rows of each table in a state. */
const rowsOf = (stateDir: string): Map<string, number> =>
  readState(stateDir, (database) => {
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all() as { name: string }[];
    const counted = tables.flatMap(({ name }) => {
      if (PASSING.test(name)) return [];
      const row = database.prepare(`SELECT count(*) AS rows FROM "${name}"`).get() as { rows: number };
      return [[name, row.rows] as const];
    });
    return new Map(counted);
  });

/** Tables that have fewer rows than before. A migration that moves rows to another table names it here. */
const lostRows = (before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): string[] =>
  [...before].flatMap(([table, rows]) => ((after.get(table) ?? 0) < rows ? [table] : []));

/** Writes the state of a release to a new folder, where the service continues it. */
async function continueRelease(name: string) {
  const { "contents.json": contents, ...files } = unzipSync(readFileSync(join(FOLDER, name)));
  const stateDir = mkdtempSync(join(tmpdir(), "release-"));
  for (const [path, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(stateDir, path)), { recursive: true });
    writeFileSync(join(stateDir, path), bytes, { mode: 0o600 });
  }
  const before = rowsOf(stateDir);
  const service = await RunningService.start({ FIRST_USER_IS_ADMIN: "true" }, {}, undefined, stateDir);
  onTestFinished(() => service.stop());
  return {
    service,
    lost: lostRows(before, rowsOf(stateDir)),
    contents: contentsSchema.parse(JSON.parse(new TextDecoder().decode(contents))),
  };
}

const withItems = z.looseObject({ items: z.array(z.looseObject({ id: z.string() })) });
const listed = z.looseObject({ items: z.array(z.unknown()) });
const withId = z.looseObject({ id: z.string() });

test("the newest release of the changelog has a state", () => {
  const changelog = readFileSync(resolve(import.meta.dirname, "../../CHANGELOG.md"), "utf8");
  const newest = /^## \[?(\d+\.\d+\.\d+)/m.exec(changelog)?.[1];
  expect(newest).toBeDefined();
  expect(RELEASES).toContain(`v${newest}.zip`);
});

test.each(RELEASES)(
  "the state of %s is read, searched, uploaded to and photographed after all later migrations",
  async (name) => {
    const { service, contents, lost } = await continueRelease(name);
    const { email, password, token, organizationId, locationId, cameraId } = contents;
    const applied = service.ask<{ name: string }>("D1Database", "SELECT name FROM d1_migrations ORDER BY name");
    expect(applied.map((row) => row.name)).toEqual(
      readdirSync(resolve(import.meta.dirname, "../../migrations")).sort(),
    );
    expect(service.ask("D1Database", "PRAGMA foreign_key_check")).toEqual([]);
    expect(lost).toEqual([]);

    // People: a password, and a token that was made before.
    const signedIn = z.looseObject({ accessToken: z.string() });
    const account = { email, password };
    const { accessToken } = await service.api(signedIn, "POST", "/v1/auth/login", undefined, account);
    const get = <T extends z.ZodType>(schema: T, path: string, by = accessToken) =>
      service.api(schema, "GET", path, by);
    const send = <T extends z.ZodType>(schema: T, path: string, body: object) =>
      service.api(schema, "POST", path, accessToken, body);
    const headers = { authorization: `Bearer ${accessToken}` };
    const ask = (path: string) => fetch(`${service.url}${path}`, { headers });
    const textOf = async (path: string) => (await ask(path)).text();
    expect((await get(withItems, "/v1/orgs", token)).items.map(({ id }) => id)).toEqual([organizationId]);
    expect((await get(listed, `/v1/orgs/${organizationId}/members`)).items.length).toBeGreaterThan(1);
    expect((await get(listed, "/v1/notifications")).items.length).toBeGreaterThan(0);
    expect((await get(listed, "/v1/trash")).items.length).toBeLessThanOrEqual(1);

    // Documents: their rows, bytes and texts, and new ones.
    const hits = z.looseObject({ results: z.array(z.looseObject({ title: z.string() })) });
    const find = async (term: string) => (await send(hits, "/v1/search", { term })).results.map(({ title }) => title);
    const { items: locations } = await get(withItems, "/v1/spatial/locations");
    const documents = [];
    for (const { id } of locations)
      documents.push(...(await get(withItems, `/v1/spatial/locations/${id}/documents`)).items);
    expect(documents.length).toBeGreaterThan(5);
    for (const { id, sizeBytes } of documents) {
      const headers = { authorization: `Bearer ${accessToken}` };
      const file = await fetch(`${service.url}/v1/documents/${id}/download`, { headers });
      expect([file.status, (await file.arrayBuffer()).byteLength]).toEqual([200, sizeBytes]);
    }
    expect(await find(contents.search)).not.toEqual([]);
    const bytes = Buffer.from("An anemometer was mounted after the update.");
    const upload = { fileName: "update.txt", contentType: "text/plain", bytes };
    await (await openClient(service.url, accessToken).send(locationId, upload)).complete();
    await eventually(async () => expect(await find("anemometer")).toContain("update.txt"), LONG_PATIENCE);
    // The index of before can be made again.
    await send(z.unknown(), "/v1/search/index/backfill", {});
    await eventually(async () => expect(await find(contents.search)).not.toEqual([]), LONG_PATIENCE);

    // Reports: the old reports open with their templates, and a new report opens.
    const { items: reports } = await get(withItems, `/v1/reports?organizationId=${organizationId}`);
    expect(reports.length).toBeGreaterThan(0);
    for (const { id } of reports) expect(await textOf(`/v1/reports/${id}/preview`)).toContain("<h1");
    const template = withId.extend({ templateId: z.string(), contentJson: z.unknown() });
    const { templateId, contentJson, locationId: at } = await get(template, `/v1/reports/${reports[0]?.id}`);
    const made = { templateId, contentJson, title: "After the update" };
    const { id: reportId } = await send(withId, `/v1/reports/locations/${at}`, made);
    expect(await textOf(`/v1/reports/${reportId}/preview`)).toContain("After the update");
    await get(z.looseObject({ brandName: z.string() }), `/v1/orgs/${organizationId}/branding`);

    // Cameras: the archive of before, and an image of the device that was paired before.
    const captures = `/v1/cameras/${cameraId}/captures?locationId=${locationId}`;
    expect((await get(withItems, captures)).items.map(({ id }) => id)).toHaveLength(1);
    await sendImage(service.url, contents.device, readFileSync(IMAGE));
    const { items: images } = await get(withItems, captures);
    expect(images).toHaveLength(2);
    for (const { id, sizeBytes } of images) {
      const { url } = await get(z.looseObject({ url: z.string() }), `/v1/camera-captures/${id}/download`);
      expect((await (await fetch(url)).arrayBuffer()).byteLength).toBe(sizeBytes);
    }
    const visitor = { headers: { "x-camera-share": contents.shareToken } };
    const shared = await fetch(`${service.url}/v1/shared-cameras`, visitor);
    expect(await shared.json()).toMatchObject({ cameras: [{ id: cameraId }] });
  },
);
