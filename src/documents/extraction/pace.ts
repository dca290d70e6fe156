/**
 * Maximum work between two yields, characters or bytes that a parser reads. The clock of the deployed service stops
 * while it computes, so work is counted: the slowest parser takes some 0.1 seconds for this much.
 */
const MAX_WORK = 32 * 1024;

/** Work since the last yield of this isolate. All slices of an isolate share its thread. */
let work = 0;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Counts work, and lets the other requests of the isolate run when there was enough of it. */
export async function breathe(units: number): Promise<void> {
  work += units;
  if (work < MAX_WORK) return;
  work = 0;
  await pause(0);
}

/** Time after which a slice that has not ended no longer keeps others from running, milliseconds. Its request was stopped. */
const MAX_SLICE_MS = 60_000;
/** Time that a slice waits for its turn in one run of its job, and between two looks, milliseconds. */
const [MAX_TURN_MS, LOOK_MS] = [20_000, 20];

/** Time after which a job looks again whether its isolate is free, milliseconds. */
export const TURN_DELAY_MS = 1_000;

/** The slice that runs in this isolate. */
let running: { since: number } | null = null;

/**
 * Runs a slice alone in its isolate: slices side by side share its memory and its thread. Each request waits with its
 * own clock, because a request that was stopped wakes nobody.
 * @returns the result of `slice`; null if its turn did not come
 */
export async function alone<T>(slice: () => Promise<T>): Promise<T | null> {
  for (let waited = 0; running !== null && Date.now() - running.since < MAX_SLICE_MS; waited += LOOK_MS) {
    if (waited >= MAX_TURN_MS) return null;
    await pause(LOOK_MS);
  }
  const own = { since: Date.now() };
  running = own;
  try {
    return await slice();
  } finally {
    if (running === own) running = null;
  }
}
