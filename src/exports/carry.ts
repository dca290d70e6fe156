import { carried, ownedBy, through } from "../platform/db/carry/declare";
import { workspaceExportPages, workspaceExports } from "./tables";

/** Exports of a workspace move with it: their files are in the bucket. A backup does not have them. */
export const movedExports = [
  carried(workspaceExports, ownedBy("tenant_id")),
  carried(workspaceExportPages, through("workspace_exports", "export_id")),
];
