import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import type { z } from "zod";
import { documents } from "../../src/documents/tables";
import { openDatabases } from "../../src/platform/db/database";
import { type SearchResponse, searchResponse } from "../../src/search/schemas";
import { annotations, clusters, locations } from "../../src/workspace/tables";
import { expectJson } from "../support/call";
import { mintDocument, mintLocation, mintOrganization } from "../support/factories";
import { runThrough } from "../support/jobs";

type Request = z.input<typeof import("../../src/search/schemas").searchBody>;

/** Searches as somebody. */
export const searchAs = (token: string, term: string, more: Partial<Request> = {}): Promise<SearchResponse> =>
  expectJson(searchResponse, 200, "POST", "/v1/search", { token, body: { term, ...more } });

/** The ids of the results of a user, in order. The passages of a document follow it. */
export const found = async (token: string, term: string, more: Partial<Request> = {}): Promise<string[]> => {
  const { results } = await searchAs(token, term, more);
  return [...new Set(results.flatMap(({ resultId, passages }) => [resultId, ...passages.map((p) => p.resultId)]))];
};

/** Indexes everything of a tenant through the real jobs. */
export async function indexTenant(tenantId: string): Promise<void> {
  const { workspace: db } = openDatabases(env.DB);
  const ids = async (table: typeof clusters | typeof locations | typeof annotations | typeof documents) =>
    (await db.select({ id: table.id }).from(table).where(eq(table.tenantId, tenantId))).map(({ id }) => id);
  const documentIds = await ids(documents);
  await Promise.all([
    runThrough("index-asset", [
      ...(await ids(clusters)).map((id) => ({ type: "cluster" as const, id })),
      ...(await ids(locations)).map((id) => ({ type: "location" as const, id })),
      ...(await ids(annotations)).map((id) => ({ type: "annotation" as const, id })),
      ...documentIds.map((id) => ({ type: "document" as const, id })),
    ]),
    runThrough(
      "index-document",
      documentIds.map((documentId) => ({ documentId })),
    ),
  ]);
}

/** Creates documents of one passage each. The function that it returns searches a term, and returns their indexes. */
export async function library(texts: readonly string[]) {
  const organization = await mintOrganization();
  const tenant = { organizationId: organization.id };
  const location = await mintLocation(tenant, { name: "Site" });
  const ids = await Promise.all(texts.map((text) => mintDocument(tenant, location, [text])));
  await indexTenant(organization.id);
  return async (term: string): Promise<number[]> => {
    const { results } = await searchAs(organization.owner.token, term, { scope: { resultTypes: ["DocumentContent"] } });
    return [...new Set(results.map(({ source }) => ids.indexOf(source?.documentId ?? "")))].sort();
  };
}
