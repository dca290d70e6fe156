export { extractDocument, queueExtraction, removeOlderSections } from "./job";
export { type Passage, PassageBuilder } from "./passages";
export { loadVersion, publishText, writeSections } from "./publish";
export { objectSource } from "./source";
export { counted, nextUnread, pagesIn, removeUnread, type UnreadPages } from "./unread";
