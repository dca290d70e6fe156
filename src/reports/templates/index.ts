export { templateDeletion } from "./deletion";
export {
  chooseTemplate,
  type NewTemplate,
  newTemplateSchema,
  noTemplate,
  requireTemplateOwner,
  type TemplateChoice,
  templateExists,
  templateKeySchema,
} from "./template";
