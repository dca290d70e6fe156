import { and, eq, inArray } from "drizzle-orm";
import type { Context } from "../../../platform/context";
import { reportJobs } from "../../tables";

/** What a job goes through, in order; its progress counts those that are behind it. */
export const STEPS = ["waiting", "rendering", "printing", "storing"] as const;
export type Step = (typeof STEPS)[number];

/** A job that has not ended. */
export const isOpen = inArray(reportJobs.status, ["queued", "running"]);

/** Shows that the job has come to a step. */
export async function enterStep({ db }: Context, jobId: string, step: Step): Promise<void> {
  await db
    .update(reportJobs)
    .set({ status: "running", progressDone: STEPS.indexOf(step) })
    .where(and(eq(reportJobs.id, jobId), isOpen));
}
