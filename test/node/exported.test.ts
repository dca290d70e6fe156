import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadCarry } from "../../scripts/backup/carry.mjs";
import { isExport, withExport } from "../../scripts/backup/exported.mjs";
import { BYTES, FILE, type Given, given, membersOf, ORGANIZATION, zipOf } from "./support/exported";

/* What `npm run restore -- <file>.zip` refuses before it opens a database of the service. */

const folder = mkdtempSync(join(tmpdir(), "exported-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let carry: Awaited<ReturnType<typeof loadCarry>>;
beforeAll(async () => {
  carry = await loadCarry();
}, 60_000);

async function read(zip: Uint8Array): Promise<{ id: string; rows: number; objects: number; missing: number }> {
  const path = join(folder, "export.zip");
  writeFileSync(path, zip);
  expect(isExport(path)).toBe(true);
  return withExport(path, carry, async ({ id, manifest }) => ({ id, ...manifest }));
}
const spoiled = (change: (export_: Given) => void): Buffer => {
  const whole = given(carry);
  change(whole);
  return zipOf(membersOf(whole));
};
const rowOf = ({ rows }: Given, table: string) => rows[table]?.[0] ?? {};

test("an export is a backup of one workspace, and its files are counted", async () => {
  expect(await read(spoiled(() => {}))).toMatchObject({ id: ORGANIZATION, workspaces: 1, objects: 1, missing: 0 });
});

describe("an export is refused", () => {
  const other = "019bb000-0000-7123-8456-000000000001";
  const rows: [string, string, (one: Given) => void][] = [
    ["of another format", "its format is not", ({ manifest }) => (manifest.format = "workspace-export/2")],
    ["of a later version", "its schema is 9999_x.sql", ({ manifest }) => (manifest.schemaVersion = "9999_x.sql")],
    ["of a person", "data of a person", ({ manifest }) => (manifest.organizationId = null)],
    ["without a row", "has 0 rows, and export.json says 1", ({ rows }) => (rows.clusters = [])],
    ["with a row more", "has 2 rows", ({ rows }) => rows.clusters?.push({ ...rows.clusters[0] })],
    [
      "with a row twice",
      "a row twice",
      ({ rows, manifest }) => {
        rows.clusters?.push({ ...rows.clusters[0] });
        (manifest.rows as Record<string, number>).clusters = 2;
      },
    ],
    ["without its schema", "this version does not know", ({ schema }) => (schema.$defs.passwords = { properties: {} })],
    [
      "with a secret",
      "does not know invitations.secret_hash",
      ({ schema }) => {
        if (schema.$defs.invitations) schema.$defs.invitations.properties.secret_hash = {};
      },
    ],
    ["with a column more", "has other columns", (one) => (rowOf(one, "clusters").more = 1)],
    ["with a text as a number", "of another type in created_at", (one) => (rowOf(one, "clusters").created_at = "1")],
    ["with a role that is none", "breaks a rule", (one) => (rowOf(one, "memberships").role = "king")],
    ["with a place that is not there", "breaks a rule", (one) => (rowOf(one, "locations").cluster_id = other)],
    [
      "with a row of another workspace",
      "rows of another workspace",
      (one) => (rowOf(one, "clusters").tenant_id = other),
    ],
    [
      "with a member of another organization",
      "breaks a rule",
      (one) => (rowOf(one, "memberships").organization_id = other),
    ],
    [
      "with the key of another workspace",
      "is of another workspace",
      (one) => (rowOf(one, "document_versions").object_key = `${other}/x/documents/v00000001/plan.txt`),
    ],
    ["with a wrong size", "has another size", (one) => (rowOf(one, "document_versions").size_bytes = 5)],
    ["with fewer files", "it has 0 files", (one) => (one.files = {})],
  ];
  test.each(rows)("%s", async (_, words, change) => {
    await expect(read(spoiled(change))).rejects.toThrow(words);
  });

  const zips: [string, string, () => Uint8Array][] = [
    [
      "that leaves its folder",
      'with the name "../plan.txt"',
      () => spoiled((one) => (one.files = { "../plan.txt": BYTES })),
    ],
    ["with an absolute name", "with the name", () => spoiled((one) => (one.files = { "/etc/plan": BYTES }))],
    ["with a name of Windows", "with the name", () => spoiled((one) => (one.files = { "documents\\..\\x": BYTES }))],
    ["with a name twice", "twice", () => zipOf([...membersOf(given(carry)), ["export.json", BYTES]])],
    ["that is compressed", "is compressed", () => zipSync(Object.fromEntries(membersOf(given(carry))), { level: 9 })],
    ["that ends early", "is no export", () => spoiled(() => {}).subarray(0, -30)],
    ["with bytes after its end", "is no export", () => Buffer.concat([spoiled(() => {}), BYTES])],
    ["with bytes before it", "not where its", () => Buffer.concat([BYTES, spoiled(() => {})])],
    ["that is empty", "too short", () => new Uint8Array(0)],
    [
      "whose file was changed",
      "another sum",
      () => {
        const zip = spoiled(() => {});
        zip.writeUInt8(33, zip.indexOf(FILE) + FILE.length + 12);
        return zip;
      },
    ],
    [
      "two of whose files share bytes",
      "shares bytes",
      () => {
        const zip = spoiled((one) => (one.files = { [FILE]: BYTES, "documents/b.txt": BYTES }));
        // The second entry of the directory names the place of the first file.
        zip.writeUInt32LE(0, zip.lastIndexOf("documents/b.txt") - 4);
        return zip;
      },
    ],
    [
      "that says a file is large",
      "is compressed",
      () => {
        const zip = spoiled(() => {});
        zip.writeUInt32LE(0x7fff_ffff, zip.lastIndexOf(FILE) - 22);
        return zip;
      },
    ],
  ];
  test.each(zips)("%s", async (_, words, make) => {
    await expect(read(make())).rejects.toThrow(words);
  });
});
