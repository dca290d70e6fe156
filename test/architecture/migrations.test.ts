import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { SCHEMA_VERSION } from "../../src/platform/db/schema-version";
import { call } from "../support/call";
import released from "./released-migrations.json";

const files = import.meta.glob<string>("../../migrations/*.sql", { query: "?raw", import: "default", eager: true });
const texts = new Map(Object.entries(files).map(([path, text]) => [path.slice(path.lastIndexOf("/") + 1), text]));
const names = [...texts.keys()].sort();

async function checksum(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return new Uint8Array(digest).toHex();
}

test("a released migration never changes: write a new file instead", async () => {
  const present = await Promise.all(
    Object.keys(released).map(async (name) => [name, await checksum(texts.get(name) ?? "")] as const),
  );
  expect(Object.fromEntries(present)).toEqual(released);
});

test("each migration has its own number, and a new migration comes after the released migrations", () => {
  expect(names.filter((name) => !/^\d{4}_[a-z0-9_]+\.sql$/.test(name))).toEqual([]);
  expect(new Set(names.map((name) => name.slice(0, 4))).size).toBe(names.length);
  expect(names.slice(0, Object.keys(released).length)).toEqual(Object.keys(released).sort());
});

test("the service needs the newest migration", () => {
  expect(SCHEMA_VERSION).toBe(names.at(-1));
});

test("readiness says that the database has an older schema than the service", async () => {
  expect((await call("GET", "/readyz")).status).toBe(200);
  await env.DB.prepare("UPDATE d1_migrations SET name = 'later' WHERE name = ?").bind(SCHEMA_VERSION).run();
  try {
    const refused = await call("GET", "/readyz");
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({
      code: "unavailable",
      detail: expect.stringContaining("Apply the migrations"),
    });
  } finally {
    await env.DB.prepare("UPDATE d1_migrations SET name = ? WHERE name = 'later'").bind(SCHEMA_VERSION).run();
  }
});
