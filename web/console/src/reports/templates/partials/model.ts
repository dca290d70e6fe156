import {
  dataOf,
  eachItem,
  type ReportPartial,
  type ReportPartialSummary,
  type ReportPartialWithUses,
} from "../../../../../../client/src/index.ts";
import { collect } from "../../../platform/listed.ts";
import { api } from "../../../platform/session.ts";

const PAGE_SIZE = 100;
const [all, one] = [
  "/v1/reports/partials/organizations/{organizationId}",
  "/v1/reports/partials/organizations/{organizationId}/{name}",
] as const;

export const readPartials = (organizationId: string): Promise<ReportPartialSummary[]> =>
  collect(
    eachItem((cursor) =>
      dataOf(api.GET(all, { params: { path: { organizationId }, query: { limit: PAGE_SIZE, cursor } } })),
    ),
  );

export const readPartial = (organizationId: string, name: string): Promise<ReportPartialWithUses> =>
  dataOf(api.GET(one, { params: { path: { organizationId, name } } }));

/** Saves a shared part. `after` is the revision that it replaces; null for a new one. */
export const savePartial = (
  organizationId: string,
  name: string,
  source: string,
  after: number | null,
): Promise<ReportPartial> =>
  dataOf(
    api.PUT(one, {
      params: { path: { organizationId, name } },
      body: { source, ...(after !== null && { baseRevision: after }) },
    }),
  );

export async function deletePartial({ organizationId, name, revision }: ReportPartialSummary): Promise<void> {
  const params = { path: { organizationId, name } };
  await dataOf(api.DELETE(one, { params, headers: { "if-match": `"${revision}"` } }));
}
