import { DomainError } from "./errors";

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
  if (work >= MAX_WORK) await letOthersRun();
}

/** Lets the other requests of the isolate run, before or after a call of a tenth of a second and more. */
export async function letOthersRun(): Promise<void> {
  work = 0;
  await pause(0);
}

/** Work in pieces of less than `MAX_WORK` each. It yields the units of each piece, and returns its result. */
export type Pieces<T> = Generator<number, T, void>;

/** Work of small pieces that is counted together: a promise for each of them would cost more than the piece. */
export const COUNTED_TOGETHER = 1024;

/** Runs work in pieces, and lets the other requests of the isolate run between them. @throws the errors of the work. */
export async function inPieces<T>(pieces: Pieces<T>): Promise<T> {
  let units = 0;
  for (;;) {
    const { done, value } = pieces.next();
    if (done === true) return value;
    units += value;
    if (units < COUNTED_TOGETHER) continue;
    await breathe(units);
    units = 0;
  }
}

/** Runs work in pieces without a pause, where nobody waits for the thread. @throws the errors of the work. */
export function atOnce<T>(pieces: Pieces<T>): T {
  for (;;) {
    const { done, value } = pieces.next();
    if (done === true) return value;
  }
}

/** Time after which work that has not ended no longer keeps others from running, milliseconds. Its request was stopped. */
const MAX_TURN_MS = 60_000;
/** Time that a request waits for its turn, and between two looks, milliseconds. */
const [MAX_WAIT_MS, LOOK_MS] = [20_000, 20];
/** Time after which a job or a client should look again whether the isolate is free, seconds. */
const BUSY_RETRY_SECONDS = 1;

/** Other work of the same kind kept the isolate busy. The same call can succeed a moment later. */
export class IsolateBusy extends DomainError {
  constructor() {
    super("unavailable", "The service reads other files at the moment. Send the request again.", {
      retryAfter: BUSY_RETRY_SECONDS,
    });
    this.name = "IsolateBusy";
  }
}

/**
 * Makes a function that runs its work alone among its other calls in this isolate: side by side, they would share its memory.
 * Each request waits with its own clock, because a request that was stopped wakes nobody. The function throws IsolateBusy if
 * its turn did not come.
 */
export function oneAtATime(): <T>(run: () => Promise<T>) => Promise<T> {
  let running: { since: number } | null = null;
  return async (run) => {
    for (let waited = 0; running !== null && Date.now() - running.since < MAX_TURN_MS; waited += LOOK_MS) {
      if (waited >= MAX_WAIT_MS) throw new IsolateBusy();
      await pause(LOOK_MS);
    }
    const own = { since: Date.now() };
    running = own;
    try {
      return await run();
    } finally {
      if (running === own) running = null;
    }
  };
}

/** Runs a slice that holds a whole file: an extraction of text, or the derivatives of a large picture. */
export const alone = oneAtATime();

/** Decodes a JPEG or WebP, which takes up to 102 MB with the file. It may run within a slice, and beside no other decoding. */
export const decodeAlone = oneAtATime();
