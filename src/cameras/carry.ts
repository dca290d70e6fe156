import { carried, ownedBy, through } from "../platform/db/carry/declare";
import { cameraExportPages, cameraExports } from "./exports/tables";
import {
  cameraAssignments,
  cameraCleanups,
  cameraConditions,
  cameraCredentials,
  cameraEnrollments,
  cameraFrames,
  cameraHealth,
  cameraPlaces,
  cameraShares,
  cameras,
} from "./tables";

/** The folder of a frame's objects, as `captures.ts` names it. */
const OPERATION = ["1, 8", "9, 4", "13, 4", "17, 4", "21"]
  .map((part) => `substr(hex(row.operation), ${part})`)
  .join(" || '-' || ");
const FOLDER = `'captures/' || parent.tenant_id || '/' || parent.camera_id || '/' || lower(${OPERATION}) || '/'`;

/** Exports of images move with their workspace. A backup does not have them. */
export const movedExportsOfImages = [
  carried(cameraExports, through("cameras", "camera_id")),
  carried(cameraExportPages, {
    parent: {
      rows: "cameras AS camera CROSS JOIN camera_exports AS parent ON parent.camera_id = camera.id",
      key: "parent.id",
      where: (workspace) => `camera.tenant_id = ${workspace}`,
      column: "export_id",
    },
    slice: 20,
  }),
];

export const camerasTables = [
  // A frame sets when the first image of its camera expires.
  carried(cameras, { ...ownedBy("tenant_id"), written: "again" }),
  // A trigger adds the place of an assignment if it is missing, under another number: the frames refer to the number.
  carried(cameraPlaces, { ...through("cameras", "camera_id"), numbers: { place: "camera_places" } }),
  carried(cameraAssignments, through("cameras", "camera_id")),
  carried(cameraFrames, {
    parent: {
      rows: (workspace) => `(SELECT p.place, p.tenant_id, p.camera_id FROM cameras AS c
        CROSS JOIN camera_places AS p ON p.camera_id = c.id WHERE c.tenant_id = ${workspace} ORDER BY p.place LIMIT -1) AS parent`,
      key: "parent.place",
      where: null,
      column: "place",
      isOrdered: true,
    },
    // A verdict, a deletion and a clean-up change the status or one of the times too.
    follows: ["announced_id", "generation", "is_estimated", "size_bytes", "checksum", "crc32"].concat([
      "width",
      "height",
      "preview_width",
      "preview_height",
      "tolerated",
      "reason_code",
      "reason_detail",
    ]),
    numbers: { place: "camera_places" },
    objects: `CASE WHEN row.charged_bytes = 0 THEN NULL
      WHEN row.status = 'completed' THEN json_array(${FOLDER} || 'original.jpg', ${FOLDER} || 'thumbnail.jpg')
      WHEN row.status = 'rejected' THEN json_array(${FOLDER} || 'rejected') END`,
  }),
  carried(cameraShares, { ...ownedBy("organization_id"), secrets: ["secret_hash", "passcode_hash"] }),
  carried(cameraEnrollments, { ...through("cameras", "camera_id"), secrets: ["code_hash"] }),
  carried(cameraCredentials, { ...through("cameras", "camera_id"), secrets: ["secret_hash"] }),
  carried(cameraConditions, through("cameras", "camera_id")),
  carried(cameraCleanups, ownedBy("organization_id")),
  carried(cameraHealth, { ...through("cameras", "camera_id"), written: "after" }),
];
