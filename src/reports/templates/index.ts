export { chooseTemplate, noTemplate, type TemplateChoice, templateExists, templateKeySchema } from "./template";
