import type { JobHandlers } from "../platform/jobs/handlers";
import { expireCredentials } from "./expire-credentials";

/** The work this feature does in the background. */
export const accessJobs = { "expire-credentials": expireCredentials } satisfies Partial<JobHandlers>;
