import type { RemovedContents } from "../../access/tables";
import type { Context } from "../../platform/context";
import type { Carried } from "../../platform/db/carry/declare";
import { asStatement, countStatement, type TakenRow, takeStatement } from "../../platform/db/carry/statements";
import { rowsOf, runBatch } from "../../platform/db/database";
import type { RemovedKind } from "../messages";

/** Kinds of the receipt: the table that is counted, and its column with the size in bytes. */
const COUNTED: Readonly<Record<RemovedKind, { table: string; size: string | null }>> = {
  members: { table: "memberships", size: null },
  clusters: { table: "clusters", size: null },
  locations: { table: "locations", size: null },
  documents: { table: "documents", size: null },
  documentVersions: { table: "document_versions", size: "size_bytes" },
  annotations: { table: "annotations", size: null },
  reports: { table: "reports", size: null },
  reportTemplates: { table: "report_templates", size: null },
  cameras: { table: "cameras", size: null },
  images: { table: "camera_frames", size: "charged_bytes" },
  shareLinks: { table: "camera_shares", size: null },
  grants: { table: "grants", size: null },
  invitations: { table: "invitations", size: null },
  brandingFiles: { table: "branding_assets", size: "size_bytes" },
};

/** Counts what there is in a workspace, by kind. A kind without rows is left out. */
export async function countContents(
  { workspace }: Pick<Context, "workspace">,
  tables: readonly Carried[],
  workspaceId: string,
): Promise<RemovedContents[]> {
  const kinds = Object.entries(COUNTED).flatMap(([kind, { table, size }]) => {
    const declared = tables.find(({ id }) => id === table);
    return declared === undefined ? [] : [{ kind, asked: countStatement(declared, workspaceId, size) }];
  });
  const results = await runBatch(
    workspace,
    kinds.map(({ asked }) => asStatement(asked)),
  );
  return kinds.flatMap(({ kind }, n) => {
    const [row] = rowsOf<{ count: number; bytes: number | null }>(results[n]);
    return row === undefined || row.count === 0 ? [] : [{ kind, count: row.count, bytes: row.bytes }];
  });
}

/** Reads the first rows of each of these tables that belong to a workspace. */
export async function readFirst(
  { workspace }: Pick<Context, "workspace">,
  tables: readonly Carried[],
  workspaceId: string,
): Promise<(readonly TakenRow[])[]> {
  const results = await runBatch(
    workspace,
    tables.map((table) => asStatement(takeStatement(table, workspaceId))),
  );
  return results.map((result) => rowsOf<TakenRow>(result));
}
