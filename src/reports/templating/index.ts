export { type Formatter, formatterIn, type Locale } from "./formats";
export { PARTIAL_NAME, parseTemplate, partialNames, type TemplateSource } from "./parse";
export { dig, type JsonPath, own, readFieldPath } from "./paths";
export { type ImageUse, Markup, type Part, renderTemplate, type TemplateProblem, textOf } from "./render";
