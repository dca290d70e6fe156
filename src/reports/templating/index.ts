export { dig, type JsonPath, MAX_PATH_CHARACTERS, own, parseTemplate, readPath, type TemplateSource } from "./parse";
export { type ImageUse, Markup, type Part, renderTemplate, textOf } from "./render";
