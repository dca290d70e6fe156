export { type FormatProblem, type Formatter, formatterIn, type Locale } from "./formats";
export { parseTemplate, type TemplateSource } from "./parse";
export { dig, type JsonPath, own, readFieldPath } from "./paths";
export { type ImageUse, Markup, type Part, renderTemplate, textOf } from "./render";
