import type { PrintWarning } from "../../platform/ports";
import { MAX_TEMPLATE_WARNINGS } from "../limits";
import type { FormatProblem } from "../templating";

/** A place of a page that does not show what its template says. */
export type TemplateWarning = PrintWarning & { code: FormatProblem["code"] };

const DETAILS: Readonly<Record<FormatProblem["code"], string>> = {
  "value-not-a-number": "This value is not a number, so the page shows it as it is. Correct the value or the template.",
  "value-not-a-date":
    "This value is not a day, such as 2026-11-19, or a time, so the page shows it as it is. Correct the value or the template.",
};

/** Characters of the place of a warning. */
const MAX_PLACE_CHARACTERS = 60;

/** The warnings of one page, each once. */
export class Warnings {
  readonly #found = new Map<string, TemplateWarning>();

  get list(): TemplateWarning[] {
    return [...this.#found.values()];
  }

  note({ code, name, value }: FormatProblem): void {
    if (this.#found.size >= MAX_TEMPLATE_WARNINGS) return;
    const words = typeof value === "string" ? value.slice(0, MAX_PLACE_CHARACTERS) : typeof value;
    const said = typeof value === "number" || typeof value === "boolean" ? String(value) : words;
    const at = `${name}: ${said}`.replace(/\s+/g, " ").slice(0, MAX_PLACE_CHARACTERS).toWellFormed();
    this.#found.set(`${code} ${at}`, { code, at, detail: DETAILS[code] });
  }
}
