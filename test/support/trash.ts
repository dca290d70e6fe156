import { eq } from "drizzle-orm";
import { z } from "zod";
import { trash, trashEntries } from "../../src/workspace/tables";
import { trashedSchema } from "../../src/workspace/trash/list";
import { call, expectJson } from "./call";
import { testDatabase } from "./statements";
import { runToEnd } from "./storage";

export type Kind = "document" | "location" | "cluster" | "report" | "report-template";

const PATHS: Readonly<Record<Kind, string>> = {
  document: "/v1/documents",
  location: "/v1/spatial/locations",
  cluster: "/v1/spatial/clusters",
  report: "/v1/reports",
  "report-template": "/v1/reports/templates",
};

export const pathOf = (kind: Kind, id: string): string => `${PATHS[kind]}/${id}`;

export const remove = (token: string, kind: Kind, id: string): Promise<Response> =>
  call("DELETE", pathOf(kind, id), { token });

export const purge = (token: string, kind: Kind, id: string): Promise<Response> =>
  call("DELETE", `${pathOf(kind, id)}?purge=true`, { token });

export const restore = (token: string, kind: Kind, id: string): Promise<Response> =>
  call("POST", `${pathOf(kind, id)}/restore`, { token });

const page = z.object({ items: z.array(trashedSchema), nextCursor: z.string().nullable() });

/** The trash entries that a caller sees. */
export const trashOf = (token: string, query = "") => expectJson(page, 200, "GET", `/v1/trash?${query}`, { token });

export const idsInTrash = async (token: string, query = ""): Promise<string[]> =>
  (await trashOf(token, query)).items.map(({ id }) => id);

/** Makes the recovery window of a resource end. */
export async function endWindow(id: string, purgeAt = 1): Promise<void> {
  for (const table of [trash, trashEntries])
    await testDatabase().update(table).set({ purgeAt }).where(eq(table.resourceId, id));
}

/** Runs the hourly job that removes resources whose recovery window has ended. */
export const emptyTrash = (): Promise<void> => runToEnd("empty-trash");
