import { createInterface } from "node:readline/promises";
import { Refusal } from "../setup/project.mjs";

/**
 * Asks before a command writes to a place that has something. A script, which cannot answer, is refused.
 * @param {string | null} present what is there, as a sentence; null if nothing is
 * @param {{ question: string, advice: string, nothing: string, isConfirmed?: boolean }} words the question, what a script can do instead,
 * and that nothing was done
 * @throws Refusal without the answer
 */
export async function confirm(present, { question, advice, nothing, isConfirmed = false }) {
  if (isConfirmed || present === null) return;
  if (!process.stdin.isTTY) throw new Refusal(`${present} ${advice}`);
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(`${present} ${question} Enter "yes": `);
  terminal.close();
  if (answer.trim() !== "yes") throw new Refusal(nothing);
}
