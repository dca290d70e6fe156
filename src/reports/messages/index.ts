import { and, eq, isNull } from "drizzle-orm";
import { type EventOf, type Message, type MessagesOf, NOWHERE } from "../../events";
import type { Context } from "../../platform/context";
import type { InEachLanguage } from "../../platform/languages/languages";
import { say } from "../../platform/languages/translate";
import { locations } from "../../workspace/tables";
import { reportJobs, reportNotDeleted, reports } from "../tables";
import * as de from "./de";
import * as en from "./en";
import * as es from "./es";
import * as fr from "./fr";

const MESSAGES: InEachLanguage<typeof en.MESSAGES> = {
  en: en.MESSAGES,
  de: de.MESSAGES,
  fr: fr.MESSAGES,
  es: es.MESSAGES,
};

/** Goes to the user who requested the PDF, because they wait for it. */
async function reportPrinted({ workspace }: Context, event: EventOf<"report-printed">): Promise<Message | null> {
  const [row] = await workspace
    .select({ job: reportJobs, title: reports.title, location: locations })
    .from(reportJobs)
    .innerJoin(reports, and(eq(reports.id, reportJobs.reportId), reportNotDeleted()))
    .innerJoin(locations, and(eq(locations.id, reports.locationId), isNull(locations.deletedAt)))
    .where(eq(reportJobs.id, event.jobId));
  if (row === undefined) return null;
  const { job, title, location } = row;
  const isReady = job.status === "succeeded";
  return {
    type: isReady ? "report-pdf-ready" : "report-pdf-failed",
    severity: isReady ? "info" : "error",
    text: (language) => {
      const { pdfReady, pdfFailed, because } = MESSAGES[language];
      return isReady
        ? { title: pdfReady, body: title }
        : { title: pdfFailed, body: because(title, say(job.errorDetail ?? "", language)) };
    },
    origin: {
      type: "report",
      id: job.reportId,
      data: { jobId: job.id, documentId: job.documentId, version: job.documentVersion, code: job.errorCode },
    },
    ...NOWHERE,
    organizationId: location.organizationId,
    clusterId: location.clusterId,
    locationId: location.id,
    audience: { kind: "users", userIds: [job.requestedBy] },
    actorUserId: null,
  };
}

/** The messages of report events. */
export const reportMessages: MessagesOf<"report-printed"> = { "report-printed": reportPrinted };
