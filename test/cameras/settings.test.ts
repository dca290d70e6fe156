import { and, eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { auditEntries } from "../../src/access/tables";
import { cameraSchema } from "../../src/cameras/management/cameras";
import { SETTING_NAMES, SETTINGS } from "../../src/cameras/settings";
import { IN_A_LANGUAGE } from "../architecture/house";
import { call, expectJson, problem } from "../support/call";
import { mintLocation, mintOrganization, type Person } from "../support/factories";
import { pair } from "../support/pairing";
import { testDatabase } from "../support/statements";

const db = testDatabase();
const anything = z.looseObject({});
const refusal = problem.extend({ errors: z.array(z.object({ path: z.string() })) });
const refusedAs = async (answer: Response) => {
  const { code, errors } = refusal.parse(await answer.json());
  return [answer.status, code, ...errors.map((error) => error.path)];
};
const named = (camera: object): Record<string, unknown> => ({ ...camera });

let owner: Person;
let path: string;
beforeEach(async () => {
  const organization = await mintOrganization();
  owner = organization.owner;
  const { id: locationId } = await mintLocation({ organizationId: organization.id });
  path = `/v1/spatial/locations/${locationId}/cameras`;
});

const create = async () =>
  named(await expectJson(cameraSchema, 201, "POST", path, { token: owner.token, body: { name: "Gate" } }));
const detailsOf = async (id: unknown, action: string): Promise<unknown> => {
  const mine = and(eq(auditEntries.subjectId, String(id)), eq(auditEntries.action, action));
  const [entry] = await db.select().from(auditEntries).where(mine);
  return entry?.details;
};

describe.each(SETTING_NAMES)("the setting %s", (name) => {
  const row: { example: unknown; default?: unknown; device: string | null } = SETTINGS[name];
  const { example, device } = row;

  test("has its default in a new camera, or is required", async () => {
    if (row.default === undefined) {
      const answer = await call("POST", path, { token: owner.token, body: {} });
      expect(await refusedAs(answer)).toEqual([400, "validation-failed", name]);
      return;
    }
    const camera = await create();
    expect(camera[name]).toEqual(row.default);
    expect(await detailsOf(camera.id, "camera.created")).toMatchObject({ [name]: row.default });
    expect(example).not.toEqual(row.default);
  });

  test("changes for the owner, the device, the revision and the audit", async () => {
    const camera = await create();
    const { token: deviceToken } = await pair(owner.token, String(camera.id));
    const configure = () =>
      expectJson(anything, 200, "GET", "/v1/camera-ingestion/configuration", { token: deviceToken });
    const before = await configure();
    expect(Object.keys(before).includes(device ?? name)).toBe(device !== null);

    const body = { baseRevision: 1, [name]: example, confirmRetentionReduction: true };
    const changed = await call("PATCH", `/v1/cameras/${camera.id}`, { token: owner.token, body });
    expect([changed.status, await changed.json()]).toMatchObject([200, { revision: 2, [name]: example }]);
    const read = await expectJson(cameraSchema, 200, "GET", `/v1/cameras/${camera.id}`, owner);
    expect(read).toMatchObject({ revision: 2, [name]: example, configurationPending: true });
    const { serverTimeUtc: _, ...after } = await configure();
    const { serverTimeUtc: __, ...unchanged } = before;
    expect(after).toEqual({ ...unchanged, revision: 2, ...(device === null ? {} : { [device]: example }) });
    expect(await detailsOf(camera.id, "camera.updated")).toEqual({ [name]: example });
  });

  test("refuses a value of another form and names the field", async () => {
    const camera = await create();
    const wrong = { [name]: { wrong: true } };
    const created = await call("POST", path, { token: owner.token, body: { name: "Gate", ...wrong } });
    expect(await refusedAs(created)).toEqual([400, "validation-failed", name]);
    const body = { baseRevision: 1, ...wrong };
    const changed = await call("PATCH", `/v1/cameras/${camera.id}`, { token: owner.token, body });
    expect(await refusedAs(changed)).toEqual([400, "validation-failed", name]);
  });
});

const sources = import.meta.glob<string>(["../../src/**/*.ts", "../../migrations/*.sql"], {
  query: "?raw",
  import: "default",
  eager: true,
});

/** Settings that code of the service acts on, or whose names are common words. The others are kept and passed to the device. */
const ACTED_ON = [
  "name",
  "description",
  "isPaused",
  "captureIntervalMinutes",
  "retentionDays",
  "timeZone",
  "captureWindow",
];

test("at most three files name a setting that is only kept and passed to the device", () => {
  const passed = SETTING_NAMES.filter((name) => !ACTED_ON.includes(name));
  expect(passed).toContain("jpegQuality");
  for (const name of passed) {
    const column = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const mention = new RegExp(`\\b(?:${name}|${column})\\b`);
    const files = Object.entries(sources).flatMap(([file, text]) =>
      mention.test(text) && !IN_A_LANGUAGE.test(file) ? [file] : [],
    );
    expect(files).toContain("../../src/cameras/settings.ts");
    expect(files.length, `${name}: ${files.join(", ")}`).toBeLessThanOrEqual(3);
  }
});
