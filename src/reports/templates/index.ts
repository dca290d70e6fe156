export { chooseTemplate, noTemplate, type TemplateChoice, templateKeySchema, templateStands } from "./template";
