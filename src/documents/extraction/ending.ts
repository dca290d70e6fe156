import type { TextStatus } from "../tables";

/** How a document's text can end other than in passages. */
export type UnreadableStatus = Extract<
  TextStatus,
  "encrypted" | "damaged" | "unsupported" | "unknown-charset" | "too-large"
>;

/** Ends the extraction in a named state; `detail` is a sentence for the document's owner. */
export class Unreadable extends Error {
  constructor(
    readonly status: UnreadableStatus,
    readonly detail: string,
    cause?: unknown,
  ) {
    super(`${status}: ${detail}`, { cause });
    this.name = "Unreadable";
  }
}

export const damaged = (what: string, cause?: unknown): Unreadable =>
  new Unreadable("damaged", `${what} Open it in the program that made it and save it again.`, cause);

export const tooLarge = (detail: string): Unreadable => new Unreadable("too-large", detail);
