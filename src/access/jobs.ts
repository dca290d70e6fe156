import { sql } from "drizzle-orm";
import { runBatch } from "../platform/db/database";
import { complete, continueLater, type JobHandler, type JobHandlers } from "../platform/jobs/handlers";
import { DAY } from "../platform/time";
import { mailPasswordReset } from "./accounts";

/** How long ended credentials stay, so that their refusal says why. */
const SESSION_RETENTION_MS = 7 * DAY;
const TOKEN_RETENTION_MS = 90 * DAY;
/** Rows of each table that one slice deletes. */
export const EXPIRY_BATCH_SIZE = 500;

/**
 * Deletes sessions, refresh tokens, reset links and personal access tokens that ended long ago, a batch a slice.
 * A session outlives its refresh tokens, so that deleting it takes only the few that are left.
 */
const expireCredentials: JobHandler<"expire-credentials"> = {
  async run({ db, now }) {
    const sessionsBefore = now - SESSION_RETENTION_MS;
    const tokensBefore = now - TOKEN_RETENTION_MS;
    const results = await runBatch(db, [
      sql`DELETE FROM refresh_tokens WHERE secret_hash IN
        (SELECT secret_hash FROM refresh_tokens WHERE expires_at < ${now} LIMIT ${EXPIRY_BATCH_SIZE})`,
      sql`DELETE FROM password_resets WHERE secret_hash IN
        (SELECT secret_hash FROM password_resets WHERE expires_at < ${now} LIMIT ${EXPIRY_BATCH_SIZE})`,
      sql`DELETE FROM sessions WHERE id IN
        (SELECT id FROM sessions WHERE expires_at < ${sessionsBefore} LIMIT ${EXPIRY_BATCH_SIZE})`,
      sql`DELETE FROM access_tokens WHERE id IN
        (SELECT id FROM access_tokens WHERE revoked_at < ${tokensBefore} LIMIT ${EXPIRY_BATCH_SIZE})`,
      sql`DELETE FROM access_tokens WHERE id IN
        (SELECT id FROM access_tokens WHERE expires_at < ${tokensBefore} LIMIT ${EXPIRY_BATCH_SIZE})`,
    ]);
    return results.some((result) => result.meta.changes >= EXPIRY_BATCH_SIZE) ? continueLater(null) : complete();
  },
};

/** The work this feature does in the background. */
export const accessJobs = {
  "expire-credentials": expireCredentials,
  "mail-password-reset": mailPasswordReset,
} satisfies Partial<JobHandlers>;
