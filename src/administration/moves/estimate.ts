import type { Context } from "../../platform/context";
import { asStatement } from "../../platform/db/carry/statements";
import { rowsOf, runBatch } from "../../platform/db/database";

/** What there is to move. */
interface Contents {
  /** Rows of the tables that are large: images, files, texts, uploads, events and the audit trail. */
  rows: number;
  /** Passages of texts, of 1,200 characters at most. The index of each is built in the target. */
  passages: number;
  /** Objects: files, and two of each image. Between two buckets they are compared while the workspaces are closed. */
  objects: number;
}

const counted = (from: string, column: string): string =>
  `(SELECT count(*) FROM ${from} WHERE ${column} IN (SELECT id FROM named))`;

const FRAMES = counted(
  "cameras c CROSS JOIN camera_places p ON p.camera_id = c.id CROSS JOIN camera_frames f ON f.place = p.place",
  "c.tenant_id",
);
const OTHERS = [
  counted("documents d CROSS JOIN text_sections t ON t.document_id = d.id", "d.tenant_id"),
  counted("uploads", "tenant_id"),
  counted("notification_events", "organization_id"),
  counted("audit_entries", "organization_id"),
];

/** The statement of `countWorkspaces`, also for the command of the operator. Its parameter is a JSON array of ids. */
export const CONTENTS_SQL = `WITH named (id) AS MATERIALIZED (SELECT value FROM json_each(?1))
  SELECT frames + files + others AS "rows", 2 * frames + files AS "objects", passages FROM (
  SELECT ${FRAMES} AS frames, ${counted("stored_objects", "tenant_id")} AS files, ${OTHERS.join(" + ")} AS others, (
    SELECT coalesce(sum(e.passage_count), 0) FROM documents d
    CROSS JOIN search_entries e ON e.resource_id = d.id AND e.type = 'text' AND e.version = d.text_version
    WHERE d.tenant_id IN (SELECT id FROM named)) AS passages)`;

/** Counts what there is in some workspaces. */
export async function countWorkspaces(
  { workspace }: Pick<Context, "workspace">,
  workspaces: readonly string[],
): Promise<Contents> {
  const asked = { sql: CONTENTS_SQL, params: [JSON.stringify(workspaces)] };
  const [result] = await runBatch(workspace, [asStatement(asked)]);
  return rowsOf<Contents>(result)[0] ?? { rows: 0, passages: 0, objects: 0 };
}

/** What a move does in a second, measured with local databases. */
const ROWS_A_SECOND = 4_000;
const PASSAGES_A_SECOND = 600;
/** Objects that are in both buckets: each page of their keys is read from both. */
const OBJECTS_A_SECOND = 20_000;
/** The slices of a small move, and the time for which routes are remembered, seconds. */
const AT_LEAST_SECONDS = 8;

/**
 * About how long a move closes workspaces to changes, seconds. Their objects are copied before; meanwhile the buckets are compared once more.
 * @param hasTwoBuckets whether the databases have different buckets
 */
export const secondsOf = ({ rows, passages, objects }: Contents, hasTwoBuckets: boolean): number =>
  Math.ceil(
    AT_LEAST_SECONDS +
      rows / ROWS_A_SECOND +
      passages / PASSAGES_A_SECOND +
      (hasTwoBuckets ? objects / OBJECTS_A_SECOND : 0),
  );
