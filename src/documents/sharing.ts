import { eq, sql } from "drizzle-orm";
import { READ } from "../access";
import type { ShareableKind } from "../workspace";
import { documentPath, requireDocument } from "./document";
import { documentExists, documents } from "./tables";

/** Documents, as people share them. */
export const SHAREABLE_DOCUMENTS: ShareableKind = {
  target: "document",
  path: "/v1/documents/{documentId}",
  capability: "Documents",
  requirePath: async (context, id) => documentPath((await requireDocument(context, id, READ)).document),
  exists: (id) => sql`EXISTS (SELECT 1 FROM ${documents} WHERE ${documents.id} = ${id} AND ${documentExists()})`,
  async describe({ db }, id) {
    const { fileName, locationId } = documents;
    const [row] = await db.select({ name: fileName, locationId }).from(documents).where(eq(documents.id, id));
    return row ?? null;
  },
};
