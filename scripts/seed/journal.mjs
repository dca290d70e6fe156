import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { writePrivately } from "../secrets.mjs";

/**
 * What the seeding has done so far, kept in a file that this user alone can read: a step that is in it
 * is not done again, and one that was cut off is repeated under the same `Idempotency-Key`.
 * @param {string} file
 */
export function openJournal(file) {
  const held = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : { id: randomUUID(), steps: {} };
  return {
    /**
     * Does a step once. `work` gets the headers that make its request repeatable.
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
