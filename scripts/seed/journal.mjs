import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { writePrivately } from "../secrets.mjs";

/**
 * The journal of the seeding, in a file that only this user can read. A recorded step does not run again, and an
 * interrupted step is repeated with the same `Idempotency-Key`.
 * @param {string} file
 */
export function openJournal(file) {
  const held = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : { id: randomUUID(), steps: {} };
  return {
    /** Whether a step has run. */
    hasRun: (name) => name in held.steps,
    /**
     * Runs a step once. `work` gets the headers that make its request repeatable.
     * @template T
     * @param {string} name
     * @param {(headers: Record<string, string>) => Promise<T>} work
     * @returns {Promise<T>}
     */
    async step(name, work) {
      if (!(name in held.steps)) {
        held.steps[name] = await work({ "idempotency-key": `${held.id}.${encodeURIComponent(name)}` });
        writePrivately(file, JSON.stringify(held, null, 1));
      }
      return held.steps[name];
    },
  };
}
