export { extractDocument, queueExtraction } from "./job";
