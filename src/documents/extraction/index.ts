export { extractDocument, queueExtraction, removeOlderPassages } from "./job";
