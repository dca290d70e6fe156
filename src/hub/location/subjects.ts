import { sql } from "drizzle-orm";
import { cameraAssignments } from "../../cameras/tables";
import { documentExists, documents } from "../../documents/tables";
import { type Composed, rowsOf } from "../../platform/db/database";
import { inPlaceholder, reusable } from "../../platform/db/statements";
import type { Subject } from "../../platform/ports";
import { reportNotDeleted, reports } from "../../reports/tables";
import { annotations } from "../../workspace/tables";

const atLocation = sql.placeholder("locationId");

/** Each kind has its own condition for being at a location. The location itself is checked with the access. */
const present = reusable<"locationId" | Subject["type"]>(
  () => sql`SELECT 'annotation' AS type, ${annotations.id} AS id FROM ${annotations}
      WHERE ${inPlaceholder(annotations.id, "annotation")} AND ${annotations.locationId} = ${atLocation}
    UNION ALL SELECT 'document', ${documents.id} FROM ${documents}
      WHERE ${inPlaceholder(documents.id, "document")} AND ${documents.locationId} = ${atLocation} AND ${documentExists()}
    UNION ALL SELECT 'camera', ${cameraAssignments.cameraId} FROM ${cameraAssignments}
      WHERE ${inPlaceholder(cameraAssignments.cameraId, "camera")} AND ${cameraAssignments.locationId} = ${atLocation}
    UNION ALL SELECT 'report', ${reports.id} FROM ${reports}
      WHERE ${inPlaceholder(reports.id, "report")} AND ${reports.locationId} = ${atLocation} AND ${reportNotDeleted()}`,
);

/** The statement that reads which of these subjects exist at a location now. */
export function selectPresent(locationId: string, subjects: readonly Subject[]): Composed {
  const idsOf = (type: Subject["type"]) =>
    JSON.stringify([...new Set(subjects.flatMap((subject) => (subject.type === type ? subject.id : [])))]);
  return present({
    locationId,
    annotation: idsOf("annotation"),
    document: idsOf("document"),
    camera: idsOf("camera"),
    report: idsOf("report"),
  });
}

/** Whether the result of `selectPresent` has a subject. */
export function presenceIn(result: D1Result | undefined): (subject: Subject) => boolean {
  const keyOf = ({ type, id }: Subject) => `${type} ${id}`;
  const found = new Set(rowsOf<Subject>(result).map(keyOf));
  return (subject) => found.has(keyOf(subject));
}
