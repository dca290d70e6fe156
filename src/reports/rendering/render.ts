import type { Context } from "../../platform/context";
import type { ReportRow } from "../drafts/find";
import { escapeHtml } from "../templating/render";
import { BASE_STYLE } from "./base-style";
import { placeFigures, wantedOf } from "./figures";
import type { Asker } from "./images/resolve";
import { type SupplyMode, supplyImages } from "./images/supply";
import { makeInert, PAGE_POLICY } from "./inert";
import type { ReportInput } from "./input";
import { layOut } from "./layout";
import { prepareReport } from "./prepare";
import type { RenderedReport } from "./rendered";

/** What stands before anything that a template or a draft says, the policy first. */
const headOf = (title: string, language: string): string =>
  `<!doctype html><html lang="${language}"><head><meta charset="utf-8">` +
  `<meta http-equiv="Content-Security-Policy" content="${PAGE_POLICY}">` +
  `<meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeHtml(title)}</title><style>${BASE_STYLE}</style>`;

/**
 * Renders what was gathered into one page that runs and loads nothing. `make` scales pictures that were
 * not shown before, for jobs; `kept` takes what there is, for requests.
 * @throws DomainError template-invalid, rule-violated.
 */
export async function renderInput(
  context: Context,
  input: ReportInput,
  mode: SupplyMode,
  progress?: (done: number, total: number) => Promise<void>,
): Promise<RenderedReport> {
  const { title } = input.report;
  const { parts, language } = await layOut(context, input);
  const resolved = new Map(input.images);
  const wanted = wantedOf(parts, resolved);
  const inert = await makeInert(parts);
  const supplied = await supplyImages(context, input.tenantId, wanted, mode, (done) =>
    Promise.resolve(progress?.(done, wanted.length)),
  );
  const { html, missingImages } = placeFigures(inert, resolved, supplied);
  return { html: headOf(title, language) + html, title, language, missingImages };
}

/** Renders a report as it stands, for somebody who may read it, from what was prepared before. */
export async function renderReport(context: Context, report: ReportRow, asker: Asker): Promise<RenderedReport> {
  const { input } = await prepareReport(context, report, asker);
  return renderInput(context, input, "kept");
}
