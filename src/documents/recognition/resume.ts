import { and, asc, eq, sql } from "drizzle-orm";
import { beginChange } from "../../platform/db/change";
import { inSet } from "../../platform/db/statements";
import { complete, continueLater, type JobHandler } from "../../platform/jobs/handlers";
import { queueRecognition } from "../document";
import { RESUMED_DOCUMENTS_PER_SLICE } from "../limits";
import { documentNotDeleted, documents } from "../tables";

/** In the text of the statement, not as parameters: the index of such documents is for this condition only. */
const left = sql`${documents.textStatus} IN ('recognition-off', 'recognition-limit')`;

/** Queues the scans of an organization that were left because recognition was off or its jobs were used up. */
export const resumeRecognition: JobHandler<"resume-recognition"> = {
  async run(context, { payload: { organizationId } }) {
    const { workspace } = context;
    const rows = await workspace
      .select({ id: documents.id, version: documents.latestVersion })
      .from(documents)
      .where(and(eq(documents.tenantId, organizationId), left, documentNotDeleted()))
      .orderBy(asc(documents.id))
      .limit(RESUMED_DOCUMENTS_PER_SLICE);
    const ids = rows.map(({ id }) => id);
    const change = beginChange(context, organizationId).add(
      workspace
        .update(documents)
        .set({ textStatus: "recognizing", textDetail: null })
        .where(and(inSet(documents.id, ids), left)),
    );
    for (const { id, version } of rows) queueRecognition(change, { documentId: id, version }, organizationId);
    return rows.length < RESUMED_DOCUMENTS_PER_SLICE ? complete(change) : continueLater(null, { change });
  },
};
