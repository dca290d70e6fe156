export { templateDeletion } from "./deletion";
export {
  chooseTemplate,
  type NewTemplate,
  newTemplateSchema,
  noTemplate,
  requireTemplateOwner,
  seesTemplatesOf,
  type TemplateChoice,
  templateExists,
  templateKeySchema,
} from "./template";
