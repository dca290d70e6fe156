import type { PrintWarning } from "../../platform/ports";
import { MAX_TEMPLATE_WARNINGS } from "../limits";
import type { TemplateProblem } from "../templating";

/** A place of a page that does not show what its template says. */
export type TemplateWarning = PrintWarning & { code: TemplateProblem["code"] };

const DETAILS: Readonly<Record<TemplateProblem["code"], string>> = {
  "value-not-a-number": "This value is not a number, so the page shows it as it is. Correct the value or the template.",
  "value-not-a-date":
    "This value is not a day, such as 2026-11-19, or a time, so the page shows it as it is. Correct the value or the template.",
  "partial-missing":
    "The organization of the template has no partial of this name, so the page shows nothing in its place.",
  "partial-too-deep":
    "This partial is within itself or within too many other partials, so the page shows nothing in its place.",
};

/** Characters of the place of a warning. */
const MAX_PLACE_CHARACTERS = 60;

/** The warnings of one page, each once. */
export class Warnings {
  readonly #found = new Map<string, TemplateWarning>();

  get list(): TemplateWarning[] {
    return [...this.#found.values()];
  }

  note(problem: TemplateProblem): void {
    if (this.#found.size >= MAX_TEMPLATE_WARNINGS) return;
    const { code, name } = problem;
    const at = ("value" in problem ? `${name}: ${wordsOf(problem.value)}` : name)
      .replace(/\s+/g, " ")
      .slice(0, MAX_PLACE_CHARACTERS)
      .toWellFormed();
    this.#found.set(`${code} ${at}`, { code, at, detail: DETAILS[code] });
  }
}

/** A value in a warning: its text, or what it is. */
function wordsOf(value: unknown): string {
  if (typeof value === "string") return value.slice(0, MAX_PLACE_CHARACTERS);
  return typeof value === "number" || typeof value === "boolean" ? String(value) : typeof value;
}
