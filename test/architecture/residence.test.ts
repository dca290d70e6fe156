import { expect, test } from "vitest";
import { directWrites, type Files } from "./house";

/** The source files: path in src → text. */
const sources: Files = Object.fromEntries(
  Object.entries(import.meta.glob<string>("../../src/**/*.ts", { query: "?raw", import: "default", eager: true })).map(
    ([path, text]) => [path.replace("../../src/", ""), text],
  ),
);

/** Files with a change that concerns no workspace, each with the reason. */
const WITHOUT_WORKSPACE: Readonly<Record<string, string>> = {
  "access/people.ts": "copies an account, and opens the personal workspace itself",
  "administration/jobs/jobs.ts": "runs jobs of any workspace again: each job that it queues adds its workspace",
  "administration/moves/copy.ts": "copies rows of a move, whose guard is in each change",
  "administration/sizes/sizes.ts": "queues an event about a database for administrators of the service",
  "administration/moves/hold.ts": "sets the states of the workspaces of a move",
  "administration/moves/remove.ts": "removes rows of a move, whose guard is in each change",
  "notifications/marks.ts": "marks notifications of several workspaces: a guard requires that none of these moves",
  "notifications/record.ts":
    "a workspace can be deleted before its event is delivered: a guard requires that it does not move",
  "platform/jobs/handlers.ts": "a job of the whole service has no workspace",
  "platform/jobs/run.ts": "deletes the row of a job whose workspace is deleted",
  "search/admin/tasks.ts": "queues a job of the whole service",
  "search/indexing/backfill.ts": "a slice of a job of the whole service: each job that it queues adds its workspace",
  "search/indexing/merge.ts": "merges segments of the whole index, and changes no row of a workspace",
  "search/telemetry.ts":
    "a search is of a person and counts for organizations: conditions require that none of these moves",
  "workspace/organizations/organizations.ts": "creates the workspace",
};

const DECLARES = "platform/db/residence.ts";

/** Files that use the sign for no workspace, and files that make a change without `beginChange`. */
const withoutWorkspace = (files: Files): string[] =>
  Object.entries(files)
    .filter(([file]) => file !== DECLARES && file !== "platform/db/change.ts")
    .filter(([, text]) => /\bNO_WORKSPACE\b/.test(text.replace(/^import [^;]*;/gm, "")) || /\bnew Change\b/.test(text))
    .map(([file]) => file);

test("a change that concerns no workspace has a reason", () => {
  expect(withoutWorkspace(sources).sort()).toEqual(Object.keys(WITHOUT_WORKSPACE).sort());
});

test("a change without a workspace is found", () => {
  const seeds: Files = {
    "search/a.ts": 'import { NO_WORKSPACE } from "../platform/db/residence";\nbeginChange(context, NO_WORKSPACE);',
    "search/b.ts": "const change = new Change(context, context.workspace, side);",
    "search/c.ts": 'import { NO_WORKSPACE } from "../platform/db/residence";\nbeginChange(context, tenantId);',
  };
  expect(withoutWorkspace(seeds)).toEqual(["search/a.ts", "search/b.ts"]);
});

/** Files that write outside of changes, and only rows of no workspace (requests, credentials, ended work) or of one that arrives. */
const WRITES_NO_WORKSPACE = [
  "access/jobs.ts",
  "backups/import.ts",
  "backups/nightly.ts",
  "backups/restore.ts",
  "backups/take.ts",
  "platform/db/change.ts",
  "platform/http/idempotency.ts",
  "platform/http/rate-limit.ts",
  "platform/jobs/expire-requests.ts",
];

/** Files that write outside of changes, and do not name the condition that the workspace is here or does not move. */
const unguardedWrites = (files: Files): string[] =>
  directWrites(files).filter(
    (file) => !WRITES_NO_WORKSPACE.includes(file) && !/\bis(?:Here|Unmoved)\(/.test(files[file] ?? ""),
  );

test("a write outside of a change has the condition that its workspace is here", () => {
  expect(unguardedWrites(sources)).toEqual([]);
});

test("a write without the condition is found", () => {
  const write = "await workspace.update(documents).set({ path })";
  const seeds: Files = {
    "documents/tables.ts": 'export const documents = workspaceTable("documents", {});',
    "documents/a.ts": `${write}.where(eq(documents.id, id));`,
    "documents/b.ts": `${write}.where(and(eq(documents.id, id), isHere(documents.tenantId)));`,
    "documents/c.ts": "await runBatch(workspace, [sql`DELETE FROM documents WHERE id = 1`]);",
  };
  expect(unguardedWrites(seeds)).toEqual(["documents/a.ts", "documents/c.ts"]);
});
