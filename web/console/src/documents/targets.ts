import { dataOf, eachItem, type Location } from "../../../../client/src/index.ts";
import { api } from "../platform/session.ts";
import { PERSONAL } from "../platform/workspace.ts";

/** The locations of a workspace to which the person may move documents. */
export async function readTargets(organizationId: string | null): Promise<Location[]> {
  const query = { organizationId: organizationId ?? PERSONAL, limit: 100 };
  const all = eachItem((cursor) =>
    dataOf(api.GET("/v1/spatial/locations", { params: { query: { ...query, cursor } } })),
  );
  const open: Location[] = [];
  for await (const one of all) if (one.capabilities.Documents === "Write") open.push(one);
  return open;
}
