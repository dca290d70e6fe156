export { dig, type JsonPath, own, parseTemplate, readFieldPath, type TemplateSource } from "./parse";
export { type ImageUse, Markup, type Part, renderTemplate, textOf } from "./render";
