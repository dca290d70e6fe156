import { expect } from "vitest";
import { z } from "zod";
import { expectJson } from "../support/call";
import { mintCluster, mintDocument, mintLocation, mintOrganization } from "../support/factories";
import type { Answer } from "./answers";

const base64url = (text: string): string => btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

/** Invalid cursors: no JSON, JSON of another shape, keys of no list, and one that is too long. */
export const FORGED_CURSORS: readonly string[] = [
  base64url("not ours"),
  "%25%25%25",
  ...["{}", "[]", "[null]", "[{}]", "[[1]]", "[1,2,3,4,5,6,7,8]", `["${"x".repeat(50)}"`].map(base64url),
];

/** Longer than the maximum length of a cursor. */
export const ENDLESS_CURSOR = "x".repeat(4_001);

export interface Foreign {
  /** Cursors of another user's lists: one ordered by id, one ordered by name. */
  cursors: string[];
  /** The content of those lists. */
  ids: string[];
}

/** Lists of a user outside the world of a suite. */
export async function foreignCursors(): Promise<Foreign> {
  const { id: organizationId, owner } = await mintOrganization();
  const tenant = { organizationId };
  const location = await mintLocation(tenant, { clusterId: await mintCluster(tenant) });
  const ids = [await mintCluster(tenant), location.clusterId];
  for (const fileName of ["one.txt", "two.txt"]) ids.push(await mintDocument(tenant, location, [], { fileName }));
  const page = z.object({ nextCursor: z.string() });
  const cursorOf = async (path: string) => (await expectJson(page, 200, "GET", `${path}?limit=1`, owner)).nextCursor;
  const cursors = [
    await cursorOf("/v1/spatial/clusters"),
    await cursorOf(`/v1/spatial/locations/${location.id}/documents`),
  ];
  return { cursors, ids: [...ids, organizationId, owner.userId] };
}

/** Checks that an answer has nothing of those lists. */
export function expectNothingForeign(answer: Answer, { ids }: Foreign): void {
  for (const id of ids) expect(answer.text).not.toContain(id);
}
