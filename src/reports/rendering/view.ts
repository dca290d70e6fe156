import { toUtc } from "../../platform/time";
import { dig, readPath } from "../templating/path";
import { Markup } from "../templating/render";
import { contentsOf } from "./contents";
import { renderData } from "./data";
import type { ReportInput } from "./input";
import { renderBody } from "./markdown";

/** Names that no field of a draft takes the place of, at the top or inside a section. */
export const RESERVED: ReadonlySet<string> = new Set([
  "report",
  "location",
  "template",
  "branding",
  "body_html",
  "stylesheet_css",
  "contents_html",
  "data_html",
]);

/** What a template's names mean: the draft's own fields, and above them what is reserved. */
export type PageView = { readonly [name: string]: unknown };

const day = (at: number): string => toUtc(at).slice(0, 10);

/** The text of the body; empty where the draft has none at that place. */
function bodyOf({ content, template }: ReportInput): string {
  const path = template.bodyFieldPath === null ? null : readPath(template.bodyFieldPath);
  const body = path === null ? "" : dig(content, path);
  return typeof body === "string" ? body : "";
}

/** Builds the view of a report at a time. @throws DomainError rule-violated for a body that costs too much. */
export function viewOf(input: ReportInput, branding: Record<string, string>, at: number): PageView {
  const { report, location, template, content } = input;
  const { parts, headings } = renderBody(bodyOf(input));
  return {
    ...content,
    report: {
      id: report.id,
      title: report.title,
      revision: report.revision,
      created_by: report.createdBy,
      created_at_utc: toUtc(report.createdAt),
      created_on: day(report.createdAt),
      updated_at_utc: toUtc(report.updatedAt),
      updated_on: day(report.updatedAt),
      generated_at_utc: toUtc(at),
      generated_on: day(at),
    },
    location: location ?? {},
    template: { id: template.id, key: template.key, display_name: template.displayName, revision: template.revision },
    branding,
    body_html: new Markup(...parts),
    contents_html: new Markup(contentsOf(headings)),
    data_html: new Markup(...renderData(content, template.bodyFieldPath)),
  };
}
