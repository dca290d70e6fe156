import { z } from "@hono/zod-openapi";
import { brandingInputSchema, brandingVariables } from "../../branding";
import type { Context } from "../../platform/context";
import { LANGUAGES } from "../../platform/languages/languages";
import { toUtc } from "../../platform/time";
import {
  dig,
  formatterIn,
  type JsonPath,
  Markup,
  own as ownProperty,
  type Part,
  parseTemplate,
  readFieldPath,
  renderTemplate,
  type TemplateSource,
  textOf,
} from "../templating";
import { renderData, ShownFields } from "./data";
import { defaultLayout, defaultStyle } from "./default-page";
import { resolvedImageSchema } from "./images";
import { languageOf, type PageLanguage } from "./language";
import { contentsOf, renderBody } from "./markdown";
import { type TemplateWarning, Warnings } from "./warnings";

/** A page without its pictures. */
export interface LaidOut {
  parts: Part[];
  language: PageLanguage;
  /** What the page shows in another way than its template says. */
  warnings: TemplateWarning[];
  /** The parts of the draft that the page shows, if its PDFs have them. */
  shown: ShownFields;
}

/** Escapes CSS so that it cannot close its style element. In a stylesheet, an escaped slash is a slash. */
const inStyle = (css: string): string => css.replaceAll("</", "<\\/");

/**
 * Renders a report's templates without their pictures. The page shows `context.now` as its creation time.
 * @throws DomainError template-invalid, rule-violated
 */
export async function layOut(context: Pick<Context, "objects" | "now">, input: ReportInput): Promise<LaidOut> {
  const { htmlLayoutTemplate, cssStylesheetTemplate } = input.template;
  const isDefault = htmlLayoutTemplate.trim() === "";
  const language = languageOf(
    ownProperty(input.content, "language"),
    htmlLayoutTemplate,
    input.timeZone,
    input.language,
  );
  const [shown, inData] = [new ShownFields(), new ShownFields()];
  const view = viewOf(input, language, await brandingVariables(context, input.branding), context.now, inData);
  const warnings = new Warnings();
  const format = formatterIn({ tags: language.tags, timeZone: input.timeZone });
  const partials = new Map(Object.entries(input.template.partials ?? {}));
  const render = (
    source: TemplateSource,
    text: string,
    inPage: PageView,
    onShown?: (path: JsonPath, isPicture: boolean) => void,
  ): Part[] =>
    renderTemplate({
      source,
      text,
      nodes: parseTemplate(source, text),
      view: inPage,
      reserved: RESERVED,
      format,
      note: (problem) => warnings.note(problem),
      partials,
      onShown,
    });
  const own = textOf(render("cssStylesheetTemplate", cssStylesheetTemplate, view));
  const style = isDefault ? textOf(render("cssStylesheetTemplate", defaultStyle(language.labels), view)) + own : own;
  const layout = isDefault ? defaultLayout(language.labels) : htmlLayoutTemplate;
  const note = (path: JsonPath, isPicture: boolean): void => {
    const [name = ""] = path;
    if (name === "data_html") shown.join(inData);
    else if (!RESERVED.has(name)) isPicture ? shown.addPicture(path) : shown.add(path);
  };
  const whole = { ...view, stylesheet_css: new Markup(inStyle(style)) };
  const parts = render("htmlLayoutTemplate", layout, whole, input.template.attachesData && note);
  return { parts, language, warnings: warnings.list, shown };
}

/**
 * All inputs of a page at the time of its request. A PDF job stores them, and their hash shows whether anything has
 * changed.
 */
export const reportInputSchema = z.object({
  tenantId: z.string(),
  report: z.object({
    id: z.string(),
    title: z.string(),
    revision: z.int(),
    createdAt: z.int(),
    updatedAt: z.int(),
    createdBy: z.string().nullable(),
  }),
  /** Null if the reader may not see the location itself. */
  location: z
    .object({
      id: z.string(),
      name: z.string(),
      description: z.string(),
      address: z.string().nullable(),
      latitude: z.number().nullable(),
      longitude: z.number().nullable(),
    })
    .nullable(),
  /** IANA name of the location's time zone. */
  timeZone: z.string(),
  /** The language of the person who asked for the page. Absent: a job of an earlier version. */
  language: z.enum(LANGUAGES).optional(),
  template: z.object({
    id: z.string(),
    key: z.string(),
    displayName: z.string(),
    revision: z.int(),
    htmlLayoutTemplate: z.string(),
    cssStylesheetTemplate: z.string(),
    bodyFieldPath: z.string().nullable(),
    /** The sources of the partials that the page uses, by name. Absent: it uses none. */
    partials: z.record(z.string(), z.string()).optional(),
    /** Absent: no PDF of it has its data. */
    attachesData: z.literal(true).optional(),
  }),
  content: z.record(z.string(), z.unknown()),
  branding: brandingInputSchema,
  /** Pictures that the page names, by `wishKey`. */
  images: z.array(z.tuple([z.string(), z.array(resolvedImageSchema)])),
});
export type ReportInput = z.infer<typeof reportInputSchema>;

/** Reserved names. A field of the draft never replaces them, even inside a section. */
const RESERVED: ReadonlySet<string> = new Set([
  "report",
  "location",
  "template",
  "branding",
  "body_html",
  "stylesheet_css",
  "contents_html",
  "data_html",
]);

/** The values of a template's names: the fields of the draft, and the reserved names above them. */
type PageView = { readonly [name: string]: unknown };

/** The text of the body; empty if the draft has none at its path. */
function bodyOf({ content, template }: ReportInput): string {
  const path = template.bodyFieldPath === null ? null : readFieldPath(template.bodyFieldPath);
  const body = path === null ? "" : dig(content, path);
  return typeof body === "string" ? body : "";
}

/** Builds the view of a report at a time. @throws DomainError rule-violated for a body that is too complex. */
function viewOf(
  input: ReportInput,
  { day, labels }: PageLanguage,
  branding: Record<string, string>,
  at: number,
  inData: ShownFields,
): PageView {
  const { report, location, template, content } = input;
  const { parts, headings } = renderBody(bodyOf(input), labels, template.htmlLayoutTemplate);
  const contents = contentsOf(headings);
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
    contents_html: contents === "" ? "" : new Markup(contents),
    data_html: new Markup(...renderData(content, template.bodyFieldPath, labels, inData)),
  };
}
