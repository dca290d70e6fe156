import { DomainError } from "../../src/platform/errors";
import type { Part } from "../../src/reports/templating/render";

/** The parts of a rendered text as one text: a picture stands in `<>`, a gallery in `[]`. */
export const shown = (parts: readonly Part[]): string =>
  parts
    .map((part) => {
      if (typeof part === "string") return part;
      if ("gallery" in part) return `[${part.gallery.map(({ value }) => JSON.stringify(value)).join()}]`;
      return `<${JSON.stringify(part.value)}>`;
    })
    .join("");

/** The code and detail of a refusal. */
export function refusal(work: () => unknown): string {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof DomainError) return `${thrown.code}: ${thrown.detail}`;
    throw thrown;
  }
  return "nothing was refused";
}
