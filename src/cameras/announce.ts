import type { Change } from "../platform/db/change";
import type { CameraRow } from "./find";

/** Tells live views of a location what became of a camera there. */
export function announceCamera(
  change: Change,
  { id, tenantId, revision }: Pick<CameraRow, "id" | "tenantId" | "revision">,
  locationId: string,
  action: "created" | "updated" | "deleted" = "updated",
): void {
  change.announce({ type: "state-updated", locationId, subject: "camera", subjectId: id, action, revision }, tenantId);
}
