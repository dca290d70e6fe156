import { carried, ownedBy } from "../platform/db/carry/declare";
import { TEMPORARY_PREFIX } from "./stored-objects";
import { locationStorage, storageUsage, storedObjects, uploads } from "./tables";

export const uploadsTables = [
  carried(storedObjects, {
    ...ownedBy("tenant_id"),
    objects: `CASE WHEN row.key >= '${TEMPORARY_PREFIX}' AND row.key < '${TEMPORARY_PREFIX.slice(0, -1)}0' THEN NULL ELSE json_array(row.key) END`,
  }),
  carried(uploads, ownedBy("tenant_id")),
  // Triggers count in these rows whatever is written before.
  carried(locationStorage, { ...ownedBy("tenant_id"), written: "after" }),
  carried(storageUsage, { ...ownedBy("tenant_id"), written: "after" }),
];
