import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { contextIn } from "../../../src/platform/context";
import { topologyOf } from "../../../src/platform/db/topology";
import { bucketOf, callSeveral, migrateSeveral, severalContext } from "../../support/databases";
import {
  addressOf,
  completeSeveral,
  contentOf,
  keysIn,
  locationOf,
  putSeveral,
  startSeveral,
  uploadSeveral,
} from "../../support/several-objects";

beforeAll(migrateSeveral);

const other = (name: string): string => (name === "first" ? "second" : "first");

describe("the buckets in the settings", () => {
  const databases = (more: object, rest: object = {}) => ({
    ...{ DB: env.DB, D1_SECOND: env.D1_SECOND, BUCKET_SECOND: env.BUCKET_SECOND, ...rest },
    DATABASES: JSON.stringify([
      { name: "first", binding: "DB" },
      { name: "second", binding: "D1_SECOND", ...more },
    ]),
  });

  test("a database has its bucket, or the one of the service", () => {
    const { buckets } = topologyOf(databases({ bucket: "BUCKET_SECOND" }));
    expect(buckets.get("second")?.bucket).toBe(env.BUCKET_SECOND);
    expect(buckets.has("first")).toBe(false);
    expect(topologyOf(databases({ bucket: "BUCKET" })).buckets.size).toBe(0);
  });

  test.each([
    ["a bucket that is not there", { bucket: "MISSING" }, {}, "no R2 bucket has the binding MISSING"],
    ["a database in place of a bucket", { bucket: "DB" }, {}, "no R2 bucket has the binding DB"],
    ["an address without a bucket", { s3Bucket: "files-eu" }, {}, "but no bucket"],
    ["no address, with S3", { bucket: "BUCKET_SECOND" }, { OBJECT_STORE: "s3" }, "second needs s3Bucket"],
  ])("are refused: %s", (_, more, rest, message) => {
    expect(() => topologyOf(databases(more, rest))).toThrow(message);
  });

  test("two addresses of one bucket are refused", () => {
    const DATABASES = JSON.stringify([
      { name: "first", binding: "DB", bucket: "BUCKET_SECOND", s3Bucket: "files-one" },
      { name: "second", binding: "D1_SECOND", bucket: "BUCKET_SECOND", s3Bucket: "files-two" },
    ]);
    expect(() => topologyOf({ ...databases({}), DATABASES })).toThrow("different s3Bucket");
  });
});

describe("a context", () => {
  test("has the bucket of its database, and none before it has chosen a database", async () => {
    const context = severalContext();
    await expect(async () => context.objects.head("a")).rejects.toThrow("in which database");
    for (const name of ["first", "second"]) {
      const there = contextIn(context, name);
      await there?.objects.write(`of-${name}`, new Uint8Array(3), { contentType: "a/b", sizeBytes: 3 });
      expect((await bucketOf(name).head(`of-${name}`))?.size).toBe(3);
      expect(await bucketOf(other(name)).head(`of-${name}`)).toBeNull();
    }
    const directory = contextIn(context, "directory");
    await expect(async () => directory?.objects.head("a")).rejects.toThrow("in which database");
  });
});

describe.each(["first", "second"])("an organization in %s", (place) => {
  test("has its documents, pictures and sent bytes in the bucket of its database alone", async () => {
    const { token, organizationId, locationId } = await locationOf(place);
    const file = { fileName: "Log.txt", bytes: "sapphire lens" };
    const started = await startSeveral(token, locationId, file);
    const isNamed = new URL(started.uploadUrl).searchParams.has("x-bucket");
    expect(isNamed).toBe(place === "second");
    expect((await putSeveral(started, file.bytes)).status).toBe(200);
    const staged = `staging/${started.uploadId}`;
    expect(await keysIn(place, staged)).toEqual([staged]);
    expect(await keysIn(other(place), staged)).toEqual([]);
    const { id } = await completeSeveral(token, locationId, started.uploadId);
    const keys = await keysIn(place, `${organizationId}/`);
    expect(keys).toHaveLength(1);
    expect(await keysIn(other(place), `${organizationId}/`)).toEqual([]);
    expect(await contentOf(id, token)).toBe(file.bytes);
  });

  test("shows nothing at an address that names another bucket", async () => {
    const { token, locationId } = await locationOf(place);
    const { id } = await uploadSeveral(token, locationId, { fileName: "Log.txt", bytes: "sapphire lens" });
    const url = new URL(await addressOf(id, token));
    url.searchParams.set("x-bucket", "BUCKET_THIRD");
    expect((await callSeveral("GET", url.href)).status).toBe(403);
  });
});

test("readiness asks each bucket", async () => {
  const { stores } = severalContext();
  expect(stores.all).toHaveLength(2);
  expect((await callSeveral("GET", "/readyz")).status).toBe(200);
  const broken = new Proxy(env.BUCKET_SECOND, {
    get: (target, name) =>
      name === "head" ? () => Promise.reject(new Error("away (10001)")) : Reflect.get(target, name),
  });
  const answer = await callSeveral("GET", "/readyz", { bindings: { BUCKET_SECOND: broken } });
  expect(answer.status).toBe(503);
  expect(z.object({ code: z.string() }).parse(await answer.json()).code).toBe("unavailable");
});
