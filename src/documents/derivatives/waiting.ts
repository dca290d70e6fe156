import { and, eq, type SQL } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { documentNotDeleted, documents, documentVersions } from "../tables";

/** The version that derivatives are of. */
export interface VersionOf {
  documentId: string;
  version: number;
}

export const isVersion = ({ documentId, version }: VersionOf): SQL | undefined =>
  and(eq(documentVersions.documentId, documentId), eq(documentVersions.version, version));

/** A picture that waits for its derivatives, with its tenant; null when it does not, or its document is gone. */
export async function waitingPicture({ db }: Context, of: VersionOf) {
  const [found] = await db
    .select({ version: documentVersions, tenantId: documents.tenantId })
    .from(documentVersions)
    .innerJoin(documents, and(eq(documents.id, documentVersions.documentId), documentNotDeleted()))
    .where(and(isVersion(of), eq(documentVersions.derivativeStatus, "pending")));
  return found ?? null;
}
