import { eq } from "drizzle-orm";
import { organizations, users } from "../../access/tables";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { SCHEMA_VERSION } from "../../platform/db/schema-version";
import {
  complete,
  continueLater,
  countQueries,
  JobFailure,
  type JobHandler,
  type Outcome,
} from "../../platform/jobs/handlers";
import { DEFAULT_LANGUAGE } from "../../platform/languages/languages";
import { toUtc, toUtcOrNull } from "../../platform/time";
import { zipSize } from "../../platform/zip/archive";
import { findExport, isUnfinished, releaseExport } from "../exports";
import { WORKSPACE_EXPORT_LIFETIME_MS } from "../limits";
import { readPages } from "../manifest";
import { MESSAGES } from "../messages";
import { type WorkspaceExportRow, workspaceExports } from "../tables";
import { addDocuments } from "./documents";
import { addImages } from "./images";
import { addToIndex } from "./pages";
import { choosePlaces, type Places } from "./places";
import { addRows, type ExportedTables, schemaOf, tablesOf } from "./rows";
import { BEGIN, type Place, type PreparationState, preparationState } from "./state";
import { Writer } from "./writer";

async function titleOf({ workspace }: Context, { organizationId, language }: WorkspaceExportRow): Promise<string> {
  if (organizationId === null) return MESSAGES[language ?? DEFAULT_LANGUAGE].ownData;
  const [found] = await workspace.select().from(organizations).where(eq(organizations.id, organizationId));
  return found?.name ?? "";
}

async function readPlaces({ objects }: Context, key: string | null): Promise<Places> {
  const found = key === null ? null : await objects.read(key);
  if (found === null)
    throw new JobFailure("files-removed", "Files of the preparation were removed. Start a new export.");
  return new Response(found.body).json();
}

/** What the export has, for programs. */
const manifestOf = (row: WorkspaceExportRow, state: PreparationState): string =>
  `${JSON.stringify(
    {
      format: "workspace-export/1",
      exportId: row.id,
      organizationId: row.organizationId,
      personId: row.organizationId === null ? row.tenantId : null,
      createdAtUtc: toUtc(row.createdAt),
      schemaVersion: SCHEMA_VERSION,
      images: row.hasImages
        ? { cameraIds: row.cameraIds, fromUtc: toUtcOrNull(row.fromAt), toUtc: toUtcOrNull(row.toAt) }
        : null,
      files: state.files,
      missingFiles: state.missing,
      rows: state.rows,
    },
    null,
    1,
  )}\n`;

/** Runs steps until the slice has enough work, the ZIP is complete, or its queries are many. */
async function runSlice(
  context: Context,
  row: WorkspaceExportRow,
  begin: PreparationState,
  tables: ExportedTables,
): Promise<Outcome> {
  const isSpent = countQueries(context);
  const writer = new Writer(context, row, begin);
  const chosen = tablesOf(context, tables, row.organizationId === null);
  let places: Places | null = null;
  let { place, missing, rows, places: placesKey } = begin;
  while (place.step !== "end" && !writer.isFull && !isSpent()) {
    if (place.step === "places") {
      places = await choosePlaces(context, row);
      placesKey = await writer.keep(new TextEncoder().encode(JSON.stringify(places)));
      place = { step: "documents", location: 0, after: null };
    } else if (place.step === "documents") {
      places ??= await readPlaces(context, placesKey);
      const added: { place: Place; missing: number } = await addDocuments(writer, places, place);
      [place, missing] = [added.place, missing + added.missing];
    } else if (place.step === "images") {
      places ??= await readPlaces(context, placesKey);
      place = await addImages(writer, places, place);
    } else if (place.step === "rows") {
      const added: { place: Place; rows: Record<string, number> } = await addRows(writer, chosen, place, rows);
      [place, rows] = [added.place, added.rows];
      // The index reads all pages, so the page of this slice must be written before.
      if (place.step === "index") break;
    } else if (place.step === "index") {
      place = await addToIndex(writer, place, await titleOf(context, row), missing);
    } else {
      writer.text("data/schema.json", schemaOf(chosen));
      writer.text("export.json", manifestOf(row, { ...begin, missing, rows }));
      place = { step: "end" };
    }
  }
  const change = beginChange(context, row.tenantId);
  const state = await writer.finish(change, { place, missing, rows, places: placesKey });
  const done = state.files + Object.keys(state.rows).length;
  change.add(context.workspace.update(workspaceExports).set({ status: "preparing", done }).where(isUnfinished(row.id)));
  return continueLater(state, { change });
}

/** Whether the workspace is deleted, and waits for its removal. */
async function isDeleted({ workspace, directory }: Context, { organizationId, tenantId }: WorkspaceExportRow) {
  if (organizationId === null) {
    const [person] = await directory.select({ id: users.id }).from(users).where(eq(users.id, tenantId));
    return person === undefined;
  }
  const [organization] = await workspace.select().from(organizations).where(eq(organizations.id, organizationId));
  return organization?.deletedAt !== null;
}

/** Publishes a complete manifest. From here on the size and every byte of the ZIP are fixed. */
async function publish(context: Context, row: WorkspaceExportRow, state: PreparationState): Promise<Outcome> {
  const { workspace, now } = context;
  const totalBytes = zipSize(await readPages(context, row.id));
  const change = beginChange(context, row.tenantId)
    .add(
      workspace
        .update(workspaceExports)
        .set({
          ...{ status: "ready", fileCount: state.files, totalBytes, readyAt: now },
          expiresAt: now + WORKSPACE_EXPORT_LIFETIME_MS,
        })
        .where(isUnfinished(row.id)),
    )
    .announce({ type: "workspace-export-ready", exportId: row.id }, row.tenantId);
  releaseExport(context, change, row, WORKSPACE_EXPORT_LIFETIME_MS);
  return complete(change);
}

/** Prepares an export, some files per slice. An export that has ended meanwhile is not changed. */
export const prepareWorkspaceExport = (tables: ExportedTables): JobHandler<"prepare-workspace-export"> => ({
  async run(context, { payload, state }) {
    const row = await findExport(context, payload.exportId);
    if (row === null) return complete();
    if (row.status !== "queued" && row.status !== "preparing") return complete();
    if (row.expiresAt <= context.now)
      throw new JobFailure("given-up", "The preparation took too long. Request fewer images.");
    // The removal would delete what a preparation still writes.
    if (await isDeleted(context, row)) throw new JobFailure("deleted", "What the export is of was deleted.");
    const from = state === null ? BEGIN : preparationState.parse(state);
    return from.place.step === "end" ? publish(context, row, from) : runSlice(context, row, from, tables);
  },

  async failed(context, { payload }, change, { code, detail }) {
    const row = await findExport(context, payload.exportId);
    if (row === null) return;
    change.add(
      context.workspace
        .update(workspaceExports)
        .set({ status: "failed", errorCode: code, errorDetail: detail })
        .where(isUnfinished(row.id)),
    );
    releaseExport(context, change, row);
  },
});
