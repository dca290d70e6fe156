import type { JobHandlers } from "../platform/jobs/handlers";
import { expireCredentials } from "./expire-credentials";
import { mailPasswordReset } from "./resets/resets";

/** The work this feature does in the background. */
export const accessJobs = {
  "expire-credentials": expireCredentials,
  "mail-password-reset": mailPasswordReset,
} satisfies Partial<JobHandlers>;
