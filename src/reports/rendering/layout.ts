import { brandingVariables } from "../../branding";
import type { Context } from "../../platform/context";
import { parseTemplate } from "../templating/parse";
import { own as ownProperty } from "../templating/path";
import type { TemplateSource } from "../templating/problem";
import { Markup, type Part, renderTemplate, textOf } from "../templating/render";
import { DEFAULT_LAYOUT } from "./default/layout";
import { DEFAULT_STYLE } from "./default/style";
import type { ReportInput } from "./input";
import { RESERVED, viewOf } from "./view";

export interface LaidOut {
  parts: Part[];
  language: string;
}

const render = (source: TemplateSource, text: string, view: { readonly [name: string]: unknown }): Part[] =>
  renderTemplate({ source, text, nodes: parseTemplate(source, text), view, reserved: RESERVED });

/** Ends no style element, whatever stands in it: in a stylesheet the escaped slash is the slash. */
const inStyle = (css: string): string => css.replaceAll("</", "<\\/");

/** The draft's `language`, where it is a tag such as `en` or `pt-BR`. */
function languageOf(content: ReportInput["content"], layout: string): string {
  const said = ownProperty(content, "language");
  const tag = /^[a-z]{2,3}(?:-[a-z0-9]{2,8}){0,3}$/i;
  if (typeof said === "string" && tag.test(said)) return said;
  const [, written = "en"] = /<html[^>]*\slang=["']?([a-z0-9-]+)/i.exec(layout.slice(0, 2_000)) ?? [];
  return tag.test(written) ? written : "en";
}

/**
 * Renders a report's templates, pictures left out. `at` is the time that it says it was made.
 * @throws DomainError template-invalid, rule-violated.
 */
export async function layOut(context: Pick<Context, "objects" | "now">, input: ReportInput): Promise<LaidOut> {
  const { htmlLayoutTemplate, cssStylesheetTemplate } = input.template;
  const view = viewOf(input, await brandingVariables(context, input.branding), context.now);
  const own = textOf(render("cssStylesheetTemplate", cssStylesheetTemplate, view));
  const isDefault = htmlLayoutTemplate.trim() === "";
  const style = isDefault ? textOf(render("cssStylesheetTemplate", DEFAULT_STYLE, view)) + own : own;
  const layout = isDefault ? DEFAULT_LAYOUT : htmlLayoutTemplate;
  const parts = render("htmlLayoutTemplate", layout, { ...view, stylesheet_css: new Markup(inStyle(style)) });
  return { parts, language: languageOf(input.content, layout) };
}
