import { z } from "@hono/zod-openapi";
import { and, asc, eq, gt, sql } from "drizzle-orm";
import { beginChange } from "../../platform/db/change";
import { inSet } from "../../platform/db/statements";
import { complete, continueLater, type JobHandler } from "../../platform/jobs/handlers";
import { queueRecognition } from "../document";
import { queueExtraction } from "../extraction";
import { RESUMED_DOCUMENTS_PER_SLICE } from "../limits";
import { documentNotDeleted, documents, recognizedPages } from "../tables";

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

const walkSchema = z.strictObject({ after: z.string() });

/** Whether pages of the latest version were recognized, with words or without. */
const hasRecognizedPages = sql<number>`EXISTS (SELECT 1 FROM ${recognizedPages}
  WHERE ${recognizedPages.documentId} = ${documents.id} AND ${recognizedPages.version} = ${documents.latestVersion})`.mapWith(
  Boolean,
);

/**
 * Reads the recognized scans of an organization again, from their files. It walks through all documents once, so a scan that
 * becomes recognized meanwhile is not read a third time.
 */
export const recognizeAgain: JobHandler<"recognize-again"> = {
  async run(context, { payload: { organizationId }, state }) {
    const { after } = state === null ? { after: "" } : walkSchema.parse(state);
    const rows = await context.workspace
      .select({ id: documents.id, version: documents.latestVersion, hasScans: hasRecognizedPages })
      .from(documents)
      .where(and(eq(documents.tenantId, organizationId), gt(documents.id, after), documentNotDeleted()))
      .orderBy(asc(documents.id))
      .limit(RESUMED_DOCUMENTS_PER_SLICE);
    const change = beginChange(context, organizationId);
    for (const { id, version, hasScans } of rows)
      if (hasScans)
        queueExtraction(change, { documentId: id, version }, { tenantId: organizationId, recognizesAgain: true });
    const last = rows.at(-1);
    return last === undefined || rows.length < RESUMED_DOCUMENTS_PER_SLICE
      ? complete(change)
      : continueLater({ after: last.id } satisfies z.infer<typeof walkSchema>, { change });
  },
};
