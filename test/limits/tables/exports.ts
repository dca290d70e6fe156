import { BOUNDS_WORK, DIVIDES_WORK, type LimitTable } from "../row.ts";

export const exportsLimits: LimitTable<typeof import("../../../src/exports/limits")> = {
  MAX_EXPORTED_FILES: {
    page: "count | Exports of workspaces | documents, versions and images of an export",
    held: "cameras",
  },
  MAX_NAMED_EXPORT_CAMERAS: {
    page: "count | Exports of workspaces | cameras that a request names",
    held: "inputs",
  },
  MAX_PREPARATION_MS: { page: "time | Exports of workspaces | preparation of an export", held: "lifetimes" },
  WORKSPACE_EXPORT_LIFETIME_MS: { page: "time | Exports of workspaces | lifetime of an export", held: "lifetimes" },
  DOWNLOAD_ADDRESS_LIFETIME_MS: {
    page: "time | Exports of workspaces | lifetime of a download address",
    held: "lifetimes",
  },
  ENDED_WORKSPACE_EXPORT_RETENTION: { held: "lifetimes" },
  EXPORTS_PER_WORKSPACE: { page: "rate | Exports of workspaces | exports of one workspace", held: "rates" },
  EXPORT_OBJECTS_GRACE_MS: { held: "exports/exports.test.ts > releases its objects when it ends" },
  ENDED_EXPORTS_PER_SLICE: DIVIDES_WORK,
  DOCUMENTS_PER_SLICE: DIVIDES_WORK,
  IMAGES_PER_SLICE: DIVIDES_WORK,
  READ_BYTES_PER_SLICE: BOUNDS_WORK,
  TEXT_BYTES_PER_SLICE: BOUNDS_WORK,
  MAX_ROWS_FILE_BYTES: { unheld: "It divides the rows of a large table into files." },
  MAX_EXPORTED_FOLDER_LENGTH: { held: "exports/names.test.ts > MAX_EXPORTED_FOLDER_LENGTH" },
  MAX_EXPORTED_NAME_LENGTH: { held: "exports/names.test.ts > MAX_EXPORTED_NAME_LENGTH" },
  MAX_EXPORTED_PATH_LENGTH: { held: "exports/names.test.ts > MAX_EXPORTED_PATH_LENGTH" },
  MAX_LISTED_NAMESAKES: { held: "exports/names.test.ts > MAX_LISTED_NAMESAKES" },
  MAX_EXPORT_TICKET_LENGTH: { held: "bounds" },
};
