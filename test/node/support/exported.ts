import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import type { loadCarry } from "../../../scripts/backup/carry.mjs";
import { centralHeader, endRecords, localHeader } from "../../../src/platform/zip/records";

/** A small export of an organization, with the service's own records of a ZIP, which tests can spoil. */

type Carry = Awaited<ReturnType<typeof loadCarry>>;
type Row = Record<string, unknown>;

export const ORGANIZATION = "019aa000-0000-7123-8456-000000000001";
const id = (n: number) => `019aa000-0000-7123-8456-${String(n).padStart(12, "0")}`;
const [OWNER, CLUSTER, LOCATION, DOCUMENT] = [id(2), id(3), id(4), id(5)];
export const BYTES = new TextEncoder().encode("The contents of a file.");
const SUM = createHash("sha256").update(BYTES).digest("hex");
export const FILE = "documents/North/Quay/plan.txt";

export interface Given {
  manifest: Row;
  schema: { $defs: Record<string, { properties: Row }> };
  rows: Record<string, Row[]>;
  files: Record<string, Uint8Array>;
}

/** What a small organization exports. */
export function given(carry: Carry): Given {
  const values: Record<string, Row[]> = {
    people: [{ id: OWNER, email: "owner@people.test", display_name: "Owner" }],
    organizations: [{ id: ORGANIZATION, name: "Harbour", sign_in_requirement: "none" }],
    memberships: [{ organization_id: ORGANIZATION, user_id: OWNER, role: "owner" }],
    clusters: [{ id: CLUSTER, tenant_id: ORGANIZATION, name: "North" }],
    locations: [{ id: LOCATION, tenant_id: ORGANIZATION, cluster_id: CLUSTER, name: "Quay" }],
    documents: [
      {
        ...{ id: DOCUMENT, tenant_id: ORGANIZATION, cluster_id: CLUSTER, location_id: LOCATION, path: "" },
        ...{ file_name: "plan.txt", text_status: "pending", kind: "text", latest_version: 1 },
      },
    ],
    document_versions: [
      {
        ...{
          document_id: DOCUMENT,
          version: 1,
          object_key: `${ORGANIZATION}/${DOCUMENT}/documents/v00000001/plan.txt`,
        },
        ...{ file_name: "plan.txt", content_type: "text/plain", size_bytes: BYTES.length, checksum_sha256: SUM },
        derivative_status: "none",
      },
    ],
  };
  const tables = carry.EXPORTED.workspace;
  const filled = Object.fromEntries(
    Object.entries(values).map(([table, rows]) => {
      const columns = tables.find((one) => one.id === table)?.columns ?? [];
      const defaults = columns.map(({ name, isNullable, type }) => [
        name,
        isNullable ? null : type === "integer" && !/^is_|^in_/.test(name) ? 1 : type === "text" ? "" : 0,
      ]);
      return [table, rows.map((row) => ({ ...Object.fromEntries(defaults), ...row }))];
    }),
  );
  return {
    manifest: {
      ...{ format: "workspace-export/1", exportId: id(9), organizationId: ORGANIZATION, personId: null },
      ...{ createdAtUtc: "2026-11-29T00:00:00Z", schemaVersion: carry.SCHEMA_VERSION, images: null, files: 1 },
      missingFiles: 0,
      rows: Object.fromEntries(Object.entries(filled).map(([table, rows]) => [table, rows.length])),
    },
    schema: {
      $defs: Object.fromEntries(
        tables.map(({ id: table, columns }) => [
          table,
          { properties: Object.fromEntries(columns.map(({ name }) => [name, {}])) },
        ]),
      ),
    },
    rows: filled,
    files: { [FILE]: BYTES },
  };
}

const encoder = new TextEncoder();

/** The members of the export in their order. */
export const membersOf = ({ manifest, schema, rows, files }: Given): [string, Uint8Array][] => [
  ...Object.entries(files),
  ...Object.entries(rows).map(([table, all]): [string, Uint8Array] => [
    `data/${table}.ndjson`,
    encoder.encode(all.map((row) => `${JSON.stringify(row)}\n`).join("")),
  ]),
  ["data/schema.json", encoder.encode(JSON.stringify(schema))],
  ["export.json", encoder.encode(JSON.stringify(manifest))],
];

/** A ZIP with these members. */
export function zipOf(members: readonly [string, Uint8Array][]): Buffer {
  let offset = 0;
  const [contents, directory]: [Uint8Array[], Uint8Array[]] = [[], []];
  for (const [name, bytes] of members) {
    const member = { name, sizeBytes: bytes.length, crc32: crc32(bytes), modifiedAt: 0 };
    directory.push(centralHeader(member, offset));
    const header = localHeader(member);
    contents.push(header, bytes);
    offset += header.length + bytes.length;
  }
  const sizeBytes = directory.reduce((sum, { length }) => sum + length, 0);
  return Buffer.concat([...contents, ...directory, endRecords({ members: members.length, offset, sizeBytes })]);
}
