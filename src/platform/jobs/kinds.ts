import { z } from "@hono/zod-openapi";
import { eventSchema } from "../events";
import { LANGUAGES } from "../languages/languages";
import { DAY, HOUR, MINUTE, SECOND } from "../time";

export interface JobKindSpec<Payload extends z.ZodType = z.ZodType> {
  payload: Payload;
  lane: JobLane;
  /** Tries before the job ends as failed. */
  maxAttempts: number;
  /** Lifetime of a lease, milliseconds. A running worker renews it; a worker that does not counts as dead. */
  leaseMs: number;
  /** Period of a recurring job, milliseconds. The sweeper queues it at most once in each period, if there is work. */
  everyMs?: number;
}

const kind = <P extends z.ZodType>(
  payload: P,
  lane: JobLane,
  more: Partial<Omit<JobKindSpec, "payload" | "lane">> = {},
): JobKindSpec<P> => ({
  payload,
  lane,
  maxAttempts: 6,
  leaseMs: lane === "live" || lane === "delivery" || lane === "light" ? 30 * SECOND : 60 * SECOND,
  ...more,
});

const nothing = z.strictObject({});
const recurring = (everyMs: number, maxAttempts = 3) => ({ ...kind(nothing, "light", { maxAttempts }), everyMs });

/** Every kind of job: its payload, lane and limits. Handlers live in the feature that owns the work. */
export const JOB_KINDS = {
  "verify-upload": kind(z.strictObject({ uploadId: z.uuid() }), "verification"),
  "verify-capture": kind(z.strictObject({ cameraId: z.uuid(), operationId: z.uuid() }), "verification"),
  "extract-document": kind(
    // `recognizesAgain`: pages that are pictures are read again, also where they have recognized text.
    z.strictObject({ documentId: z.uuid(), version: z.int(), recognizesAgain: z.boolean().optional() }),
    "extraction",
  ),
  "take-out-files": kind(z.strictObject({ documentId: z.uuid(), version: z.int() }), "extraction"),
  "recognize-document": kind(z.strictObject({ documentId: z.uuid(), version: z.int() }), "recognition"),
  // An organization that switched recognition on, or has jobs again.
  "resume-recognition": kind(z.strictObject({ organizationId: z.uuid() }), "light"),
  "recognize-again": kind(z.strictObject({ organizationId: z.uuid() }), "light"),
  // The columns that lists of documents are sorted by, for rows from before these columns.
  "sort-documents": recurring(MINUTE),
  // A folder with more documents than one request changes.
  "change-folder": kind(z.strictObject({ changeId: z.uuid() }), "light", { maxAttempts: 12 }),
  "expire-folders": recurring(24 * HOUR),
  // A mail that came to the address of a location. `isWhole`: without its attachments, which could not be filed.
  "file-arrival": kind(z.strictObject({ arrivalId: z.uuid(), isWhole: z.boolean().optional() }), "extraction"),
  "answer-arrival": kind(z.strictObject({ arrivalId: z.uuid() }), "light"),
  "expire-arrivals": recurring(6 * HOUR),
  "derive-images": kind(z.strictObject({ documentId: z.uuid(), version: z.int() }), "extraction"),
  "print-report": kind(z.strictObject({ reportId: z.uuid() }), "printing"),
  "index-document": kind(z.strictObject({ documentId: z.uuid() }), "light"),
  "index-asset": kind(
    z.strictObject({ type: z.enum(["cluster", "location", "document", "annotation"]), id: z.uuid() }),
    "light",
  ),
  // A resource that was shared, or moved into a shared one.
  "index-shared": kind(
    z.strictObject({
      target: z.enum(["cluster", "location", "document"]),
      id: z.uuid(),
      moved: z.boolean().optional(),
    }),
    "light",
  ),
  "backfill-documents": kind(z.strictObject({ readTextAgain: z.boolean().optional() }), "light"),
  "backfill-assets": kind(nothing, "light"),
  "end-report-rooms": kind(z.strictObject({ reportIds: z.array(z.uuid()) }), "light"),
  "expire-searches": recurring(6 * HOUR),
  // The indexes of guests with many grants.
  "index-guests": recurring(MINUTE, 12),
  "merge-index": recurring(24 * HOUR),
  "delete-tree": kind(
    z.strictObject({ type: z.enum(["document", "location", "cluster", "report", "report-template"]), id: z.uuid() }),
    "light",
    { maxAttempts: 12 },
  ),
  "empty-trash": recurring(HOUR),
  // A mail to each owner: the organization is deleted, or removed.
  "mail-owners": kind(z.strictObject({ organizationId: z.uuid(), about: z.enum(["deleted", "removed"]) }), "light"),
  // Tells the administrators that a database has a level: in their inboxes, and with a mail to each.
  "tell-database-level": kind(
    z.strictObject({ database: z.string(), percent: z.union([z.literal(60), z.literal(80)]) }),
    "light",
  ),
  // The rest of the deletion of an account.
  "delete-account": kind(z.strictObject({ userId: z.uuid() }), "light", { maxAttempts: 12 }),
  // It runs beside the workspace, whose own jobs end with it.
  "remove-workspace": kind(z.strictObject({ workspaceId: z.uuid() }), "light", { maxAttempts: 12 }),
  // Moves workspaces to another database. It runs in the directory, and takes its place in no workspace.
  "move-workspace": kind(z.strictObject({ number: z.int(), moveId: z.uuid() }), "light", { maxAttempts: 12 }),
  announce: kind(z.strictObject({ event: eventSchema }), "live", { maxAttempts: 8 }),
  // Sends what waits for one webhook.
  "send-webhooks": kind(z.strictObject({ webhookId: z.uuid() }), "delivery", { maxAttempts: 12 }),
  "wake-webhooks": recurring(MINUTE, 12),
  "expire-webhook-deliveries": recurring(6 * HOUR),
  "expire-notifications": recurring(24 * HOUR),
  "purge-objects": recurring(5 * MINUTE, 12),
  "expire-uploads": recurring(MINUTE),
  "expire-captures": recurring(HOUR),
  "clean-frames": recurring(HOUR, 12),
  "clear-staging": recurring(DAY, 12),
  "expire-credentials": recurring(60 * MINUTE),
  // A new account or name, to the workspace side. Without it, a person has no personal workspace.
  "copy-person": kind(z.strictObject({ userId: z.uuid() }), "light", { maxAttempts: 12 }),
  // A person who lost a membership or a grant, and a deleted workspace, when there are several databases.
  "prune-pointer": kind(z.strictObject({ userId: z.uuid(), workspaceId: z.uuid() }), "light", { maxAttempts: 12 }),
  "prune-workspace": kind(z.strictObject({ workspaceId: z.uuid() }), "light", { maxAttempts: 12 }),
  // What existed before there were several databases.
  "walk-pointers": recurring(10 * MINUTE, 12),
  // A person who used the mailed link of an invitation.
  "verify-address": kind(z.strictObject({ userId: z.uuid() }), "light"),
  // The link of a share that waits for a person.
  "mail-waiting-share": kind(z.strictObject({ invitationId: z.uuid(), language: z.enum(LANGUAGES) }), "light"),
  // The shares that have waited for the address that this person has proven now.
  "give-waiting-shares": kind(z.strictObject({ userId: z.uuid() }), "light"),
  // An invitation that was reserved for a registration.
  "settle-invitation": kind(
    z.strictObject({
      invitationId: z.uuid(),
      registrationId: z.uuid(),
      userId: z.uuid(),
      mustBeVerified: z.boolean(),
    }),
    "light",
    { maxAttempts: 12 },
  ),
  // Queued for every requested address, so that nothing shows whether it has an account.
  /** `language` is that of the browser that asked. Absent: a job of an earlier version. */
  "mail-password-reset": kind(z.strictObject({ email: z.string(), language: z.enum(LANGUAGES).optional() }), "light"),
  // Tells a person by mail what happened to the passkeys and the second factor of the account.
  "mail-second-factor": kind(
    z.strictObject({
      userId: z.uuid(),
      about: z.enum(["on", "off", "code-used", "codes-replaced", "passkey-added", "passkey-removed"]),
    }),
    "light",
  ),
  "watch-cameras": recurring(MINUTE),
  "expire-sharing": recurring(60 * MINUTE),
  "expire-camera-shares": recurring(24 * HOUR),
  "prepare-export": kind(z.strictObject({ exportId: z.uuid() }), "light"),
  "expire-exports": recurring(6 * HOUR),
  "prepare-workspace-export": kind(z.strictObject({ exportId: z.uuid() }), "light"),
  "expire-workspace-exports": recurring(6 * HOUR),
  // A step of the nightly backup needs as much memory as the text of a document.
  "take-backup": { ...kind(nothing, "extraction", { maxAttempts: 12 }), everyMs: HOUR },
  "watch-backups": recurring(HOUR),
  "watch-databases": recurring(HOUR),
  "expire-requests": recurring(10 * MINUTE),
  "expire-jobs": recurring(10 * MINUTE),
} as const satisfies Record<string, JobKindSpec>;

export type JobKind = keyof typeof JOB_KINDS;
export type JobPayload<K extends JobKind> = z.infer<(typeof JOB_KINDS)[K]["payload"]>;

/** The kinds that the sweeper queues. All have the same empty payload. */
export type RecurringKind = {
  [K in JobKind]: (typeof JOB_KINDS)[K] extends { everyMs: number } ? K : never;
}[JobKind];

export const isRecurringKind = (name: string): name is RecurringKind =>
  isJobKind(name) && (JOB_KINDS[name] as JobKindSpec).everyMs !== undefined;

export const isJobKind = (name: string): name is JobKind => Object.hasOwn(JOB_KINDS, name);

/**
 * The lanes. Each has its own queue, so no sort of work waits for another. `live` jobs notify users and run in
 * parallel. `delivery` jobs wait for other people's servers, in parallel. `light` jobs need some MB and run one after another. Each of the other jobs needs a whole isolate and a
 * separate batch.
 */
export const JOB_LANES = [
  "live",
  "delivery",
  "light",
  "extraction",
  "verification",
  "printing",
  "recognition",
] as const;
export type JobLane = (typeof JOB_LANES)[number];

/**
 * The number of jobs of one workspace in a lane's queue at the same time. Its other jobs wait in the table, and each is
 * admitted when one ends. So a new workspace waits for at most this many jobs of each other workspace.
 * The live lane has no such limit: a slice takes milliseconds, and simultaneous events belong into one batch.
 */
export const SLOTS_PER_WORKSPACE: Readonly<Record<JobLane, number>> = {
  live: Number.POSITIVE_INFINITY,
  // Addresses of one organization that do not answer hold this many places until their timeout.
  delivery: 4,
  light: 10,
  extraction: 5,
  verification: 5,
  printing: 2,
  // A photo does not wait behind a long scan of the same workspace.
  recognition: 2,
};
