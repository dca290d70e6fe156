export { extractDocument, queueExtraction, removeOlderPassages } from "./job";
export { type Passage, PassageBuilder } from "./passages";
export { insertPassages, loadVersion, publishText } from "./publish";
export { objectSource } from "./source";
