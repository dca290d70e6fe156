import { DomainError } from "../../platform/errors";

/** Which source of a template is meant, by its name on the wire. */
export type TemplateSource = "htmlLayoutTemplate" | "cssStylesheetTemplate";

/** Line and column (both from 1) of an offset. */
export function positionOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  const lastBreak = before.lastIndexOf("\n");
  return { line: before.split("\n").length, column: offset - lastBreak };
}

/** The refusal of a template, with the place in its source that has to be mended. */
export function templateProblem(source: TemplateSource, text: string, offset: number, what: string): DomainError {
  const { line, column } = positionOf(text, offset);
  return new DomainError("template-invalid", `${source}, line ${line}, column ${column}: ${what}`, {
    errors: [{ path: source, message: what, line, column }],
  });
}
