import { dataOf } from "../../../../../client/src/index.ts";
import { useLoaded } from "../../../../ui/loading.ts";
import { api } from "../../platform/session.ts";

async function readPassage(documentId: string, page: number | null, index: number | null): Promise<string | null> {
  if (index === null || page === null) return null;
  const query = { limit: 100, page };
  const { items } = await dataOf(
    api.GET("/v1/documents/{documentId}/passages", { params: { path: { documentId }, query } }),
  );
  return items.find(({ chunkIndex }) => chunkIndex === index)?.text ?? null;
}

/** The text of one passage of a page; null before it is read, and if there is no page. */
export const usePassage = (documentId: string, page: number | null, index: number | null): string | null =>
  useLoaded(`${documentId} ${page} ${index}`, () => readPassage(documentId, page, index)).data ?? null;
