import { sql } from "drizzle-orm";
import { runBatch } from "../platform/db/database";
import { complete, continueLater, type JobHandlers, type RecurringHandler } from "../platform/jobs/handlers";
import { DAY } from "../platform/time";
import { mailPasswordReset, verifyAddress } from "./accounts";
import { SESSION_RETENTION_MS, TOKEN_RETENTION_MS } from "./limits";
import { copyPerson } from "./people";
import { prunePointerJob, pruneWorkspace } from "./pointers";
import { mailSecondFactor } from "./second-factor";
import { walkPointers } from "./walk";

/** Retention of ended registrations, milliseconds. No request lasts that long. */
const ENDED_REGISTRATION_RETENTION_MS = DAY;

/** Number of rows of each table that one slice deletes. */
export const EXPIRY_BATCH_SIZE = 500;

/**
 * Deletes ended sessions, refresh tokens, reset links, challenges of passkeys, personal access tokens and registrations after their retention.
 * The refresh tokens of a session go first, so the deletion of the session cascades to few rows.
 */
const expireCredentials: RecurringHandler<"expire-credentials"> = {
  side: "directory",
  hasWork: ({ now }) => sql`EXISTS (SELECT 1 FROM refresh_tokens WHERE expires_at <= ${now})
    OR EXISTS (SELECT 1 FROM password_resets WHERE expires_at <= ${now})
    OR EXISTS (SELECT 1 FROM passkey_challenges WHERE expires_at <= ${now})
    OR EXISTS (SELECT 1 FROM ended_registrations WHERE ended_at <= ${now - ENDED_REGISTRATION_RETENTION_MS})
    OR EXISTS (SELECT 1 FROM sessions WHERE expires_at <= ${now - SESSION_RETENTION_MS})
    OR EXISTS (SELECT 1 FROM access_tokens WHERE revoked_at <= ${now - TOKEN_RETENTION_MS})
    OR EXISTS (SELECT 1 FROM access_tokens WHERE expires_at <= ${now - TOKEN_RETENTION_MS})`,
  async run({ directory, now }) {
    const sessionsBefore = now - SESSION_RETENTION_MS;
    const tokensBefore = now - TOKEN_RETENTION_MS;
    const results = await runBatch(directory, [
      sql`DELETE FROM refresh_tokens WHERE secret_hash IN
        (SELECT secret_hash FROM refresh_tokens WHERE expires_at <= ${now} LIMIT ${EXPIRY_BATCH_SIZE})`,
      sql`DELETE FROM password_resets WHERE secret_hash IN
        (SELECT secret_hash FROM password_resets WHERE expires_at <= ${now} LIMIT ${EXPIRY_BATCH_SIZE})`,
      sql`DELETE FROM passkey_challenges WHERE challenge_hash IN
        (SELECT challenge_hash FROM passkey_challenges WHERE expires_at <= ${now} LIMIT ${EXPIRY_BATCH_SIZE})`,
      sql`DELETE FROM ended_registrations WHERE id IN
        (SELECT id FROM ended_registrations WHERE ended_at <= ${now - ENDED_REGISTRATION_RETENTION_MS} LIMIT ${EXPIRY_BATCH_SIZE})`,
      sql`DELETE FROM sessions WHERE id IN
        (SELECT id FROM sessions WHERE expires_at <= ${sessionsBefore} LIMIT ${EXPIRY_BATCH_SIZE})`,
      sql`DELETE FROM access_tokens WHERE id IN
        (SELECT id FROM access_tokens WHERE revoked_at <= ${tokensBefore} LIMIT ${EXPIRY_BATCH_SIZE})`,
      sql`DELETE FROM access_tokens WHERE id IN
        (SELECT id FROM access_tokens WHERE expires_at <= ${tokensBefore} LIMIT ${EXPIRY_BATCH_SIZE})`,
    ]);
    return results.some((result) => result.meta.changes >= EXPIRY_BATCH_SIZE) ? continueLater(null) : complete();
  },
};

/** The job handlers of this feature. */
export const accessJobs = {
  "copy-person": copyPerson,
  "expire-credentials": expireCredentials,
  "mail-password-reset": mailPasswordReset,
  "mail-second-factor": mailSecondFactor,
  "prune-pointer": prunePointerJob,
  "prune-workspace": pruneWorkspace,
  "verify-address": verifyAddress,
  "walk-pointers": walkPointers,
} satisfies Partial<JobHandlers>;
