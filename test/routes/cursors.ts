import { expect } from "vitest";
import { z } from "zod";
import { expectJson } from "../support/call";
import { mintCluster, mintDocument, mintLocation, mintOrganization } from "../support/factories";
import type { Answer } from "./answers";

const base64url = (text: string): string => btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

/** Cursors that no list has made: no JSON, JSON of another kind, keys of no list, one that is too long. */
export const FORGED_CURSORS: readonly string[] = [
  base64url("not ours"),
  "%25%25%25",
  ...["{}", "[]", "[null]", "[{}]", "[[1]]", "[1,2,3,4,5,6,7,8]", `["${"x".repeat(50)}"`].map(base64url),
];

/** Longer than any cursor may be. */
export const ENDLESS_CURSOR = "x".repeat(4_001);

export interface Foreign {
  /** Cursors of a stranger's lists: one in order of ids, one in order of names. */
  cursors: string[];
  /** What those lists show. */
  ids: string[];
}

/** Lists of somebody who has nothing to do with the world of a suite. */
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

/** That an answer shows nothing of those lists. */
export function expectNothingForeign(answer: Answer, { ids }: Foreign): void {
  for (const id of ids) expect(answer.text).not.toContain(id);
}
