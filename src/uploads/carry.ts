import { carried, ownedBy } from "../platform/db/carry/declare";
import { locationStorage, storageUsage, storedObjects, uploads } from "./tables";

export const uploadsTables = [
  carried(storedObjects, { ...ownedBy("tenant_id"), objects: "json_array(row.key)" }),
  carried(uploads, ownedBy("tenant_id")),
  // Triggers count in these rows whatever is written before.
  carried(locationStorage, { ...ownedBy("tenant_id"), written: "after" }),
  carried(storageUsage, { ...ownedBy("tenant_id"), written: "after" }),
];
