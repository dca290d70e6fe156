/**
 * One queue each, so that no sort of work waits behind another: `live` is what people hear of, side by side; `light` may
 * hold some MB, one after the other in a batch; the rest fills an isolate, alone in a batch.
 */
export const JOB_LANES = ["live", "light", "extraction", "verification", "printing"] as const;
export type JobLane = (typeof JOB_LANES)[number];

/**
 * Jobs of one workspace that are in a lane's queue at once; the others stand in line in the table, and each takes the
 * place of one that ends. So a newcomer waits behind this many of each other workspace, not behind all they have.
 * Live work has no such limit: a slice takes milliseconds, and events of one moment belong into one batch.
 */
export const SLOTS: Readonly<Record<JobLane, number>> = {
  live: Number.POSITIVE_INFINITY,
  light: 10,
  extraction: 5,
  verification: 5,
  printing: 2,
};
