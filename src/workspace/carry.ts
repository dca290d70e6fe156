import { carried, ownedBy } from "../platform/db/carry/declare";
import { annotations, clusters, invitations, jobUsage, locations, trash, trashEntries } from "./tables";

export const workspaceTables = [
  carried(invitations, { ...ownedBy("organization_id"), secrets: ["secret_hash", "mailed_hash"] }),
  carried(clusters, ownedBy("tenant_id")),
  carried(locations, ownedBy("tenant_id")),
  carried(trash, { ...ownedBy("tenant_id"), key: ["row.kind", "row.id"] }),
  carried(trashEntries, { ...ownedBy("tenant_id"), key: ["row.kind", "row.id"] }),
  carried(annotations, { ...ownedBy("tenant_id"), follows: ["title", "body", "position", "metadata"] }),
  carried(jobUsage, ownedBy("tenant_id")),
];
