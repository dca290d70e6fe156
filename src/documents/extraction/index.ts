export { objectSource } from "./extracted";
export { readWholeMail } from "./formats";
export { extractDocument, queueExtraction, removeOlderSections } from "./job";
export { type Passage, PassageBuilder } from "./passages";
export { loadVersion, publishText, writeSections } from "./publish";
export { counted, nextUnread, removeUnread, type UnreadPages } from "./unread";
